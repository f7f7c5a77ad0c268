"""What there is to collect: posts, timelines, deletions and protected accounts."""

from __future__ import annotations

import hashlib
import json
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    Row = dict[str, Any]

FIRST = 1_000


class World:
    """Posts by id, and the timelines of accounts, newest first. Growing and reading may happen at once."""

    def __init__(self) -> None:
        self.posts: dict[int, Row] = {}
        self.timelines: dict[str, list[int]] = {}
        self.errors: dict[str, int] = {}
        self.page: int | None = None
        self.lock = RLock()

    @classmethod
    def load(cls, path: Path) -> World:
        """Read a world of the golden cases."""
        decoded = json.loads(path.read_text(encoding="utf-8"))
        world = cls()
        world.posts = {post["id"]: post for post in decoded["tweets"]}
        world.timelines = {name: list(ids) for name, ids in decoded["timelines"].items()}
        world.errors = dict(decoded["errors"])
        world.page = decoded["page"]
        return world

    def open_account(self, name: str) -> None:
        """Let an account exist that has said nothing yet."""
        with self.lock:
            self.timelines.setdefault(name, [])

    def user(self, name: str) -> Row:
        """Return the user object of a name; its number depends on the name alone."""
        for one in self.timelines.get(name, ()):
            if one in self.posts:
                found: Row = self.posts[one]["user"]
                return found
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:5], "big")
        return {"id": number, "screen_name": name, "name": name.title()}

    def say(self, name: str, text: str, answers: int | None = None, *, language: str = "en") -> int:
        """Let someone post; return the id, which grows with time."""
        with self.lock:
            number = max(self.posts, default=FIRST - 1) + 1
            second = number % 60
            self.posts[number] = {
                "id": number,
                "id_str": str(number),
                "created_at": f"Tue Sep 12 {number // 3600 % 24:02}:{number // 60 % 60:02}:{second:02} +0000 2017",
                "text": text,
                "truncated": False,
                "lang": language,
                "in_reply_to_status_id": answers,
                "user": self.user(name),
            }
            if name in self.timelines:
                self.timelines[name].insert(0, number)
            return number

    def delete(self, number: int) -> None:
        """Let a post vanish."""
        with self.lock:
            del self.posts[number]
            for ids in self.timelines.values():
                if number in ids:
                    ids.remove(number)

    def grow(self, chance: Random, steps: int) -> None:
        """Let customers write to accounts, and accounts answer: chains, forks, self-replies, posts soon deleted."""
        for _ in range(steps):
            account = chance.choice(sorted(self.timelines))
            question = self.say(f"cust_{chance.randrange(400)}", f"@{account} where is my parcel ?")
            if chance.random() < 0.1:  # gone before anyone could collect it
                reply = self.say(account, "please write to us", question)
                self.delete(question)
                question = reply
            for _ in range(chance.choice((1, 1, 1, 2, 3))):
                reply = self.say(account, "we are looking into it", question)
                if chance.random() < 0.2:
                    self.say(account, "and one thing more", question)
                if chance.random() < 0.2:
                    reply = self.say(account, "done now", reply)
                question = self.say("cust_7", f"@{account} thanks", reply)
            if chance.random() < 0.3:
                self.say(account, "big sale today")
            if chance.random() < 0.3:  # an old dialogue goes on
                old = chance.choice(sorted(self.posts))
                self.say(account, "is it all right now ?", old)

    def dialogues(self, account: str) -> dict[str, list[Row]]:
        """Return what a collector must have: the chain of each reply of the account that no chain goes on from."""
        inner: set[int] = set()
        found = {}
        for last in self.timelines[account]:
            if last in inner or self.posts[last]["in_reply_to_status_id"] is None:
                continue
            chain = [last]
            while (parent := self.posts[chain[-1]]["in_reply_to_status_id"]) in self.posts:
                chain.append(parent)
            inner.update(chain)
            if len(chain) > 1:
                found[str(last)] = [self.posts[one] for one in reversed(chain)]
        return found
