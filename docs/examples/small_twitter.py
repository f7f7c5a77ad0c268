"""A small Twitter on this machine, to try the collector without an account: posts of its own, asked for as X's are.

    python docs/examples/small_twitter.py --days 2 duologue data collect twitter AirCare --store tweets --base-url URL

Starts the service, carries the command out with the address in place of the word URL, and stops. Accounts answer
customers every day, and on the next day once more; more days only add posts, so that a second run has something new to
find. It knows the calls that the collector makes of X's API v2 and nothing else, sets no limits and asks for no keys.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

ACCOUNTS = {
    "AirCare": "flight",
    "BankCare": "card",
    "BikeHelp": "bike",
    "BookHelp": "book",
    "MealCare": "meal",
    "RailHelp": "train",
    "ShopCare": "shoe",
    "WifiHelp": "router",
}
"""What each account is asked about."""
THINGS = ("order", "payment", "parcel", "refund", "booking", "invoice", "return")
TROUBLES = ("112-34567{0} is late again", "was never there", "has the wrong name", "can’t be changed", "came twice")
REPLIES = (
    "sorry about the {thing}, can you tell us its number? https://t.co/{number} ^TH",
    "Hi Anna, that should not be! We ask who has your {thing} and write to you. 1/2",
    "thanks for telling us, your {thing} is looked at right now, or write to help@{account}.example ^TH",
)
FIRST, PER_DAY = 1_000, 2
BEGINNING = datetime(2024, 5, 6, 8, tzinfo=UTC)
TIMELINE = re.compile(r"/2/users/(\d+)/tweets")


class Post(NamedTuple):
    """What somebody said, and the post that it answers."""

    number: int
    author: str
    text: str
    answers: int | None

    def row(self) -> dict[str, Any]:
        """Return the post as the API has it."""
        moment = BEGINNING + timedelta(minutes=20 * (self.number - FIRST))
        answered = [] if self.answers is None else [{"type": "replied_to", "id": str(self.answers)}]
        return {
            "id": str(self.number),
            "author_id": str(user_number(self.author)),
            "created_at": moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "lang": "en",
            "text": self.text,
            **({"referenced_tweets": answered} if answered else {}),
        }


def user_number(name: str) -> int:
    """Return the number of an account or a customer."""
    return [*ACCOUNTS].index(name) + 1 if name in ACCOUNTS else 100 + int(name.removeprefix("anna_"))


def user_row(name: str) -> dict[str, str]:
    """Return a user as the API has them."""
    return {"id": str(user_number(name)), "name": name if name in ACCOUNTS else "Anna", "username": name}


def posts(days: int) -> list[Post]:
    """Return all posts of so many days, the oldest first.

    >>> posts(2)[: len(posts(1))] == posts(1)
    True
    """
    made: list[Post] = []

    def say(author: str, text: str, answers: Post | None = None) -> Post:
        made.append(Post(FIRST + len(made), author, text, answers.number if answers else None))
        return made[-1]

    open_talks: list[tuple[str, str, Post]] = []
    for _ in range(days):
        answered, open_talks = open_talks, []
        for customer, account, last in answered:
            thanks = say(customer, f"@{account} it’s solved now, thank you", last)
            say(account, f"@{customer} good to hear, have a nice day with your {ACCOUNTS[account]}!", thanks)
        for account, about in [*ACCOUNTS.items()] * PER_DAY:
            number = len(made)
            customer, thing = f"anna_{number}", f"{about} {THINGS[number % len(THINGS)]}"
            trouble = TROUBLES[number % len(TROUBLES)].format(number)
            question = say(customer, f"@{account} my {thing} {trouble}")
            told = REPLIES[number % len(REPLIES)].format(thing=thing, number=number, account=account.lower())
            reply = say(account, f"@{customer} {told}", question)
            if number % 3:
                open_talks.append((customer, account, reply))
    return made


class Service(ThreadingTCPServer):
    """The service, with the posts of so many days."""

    daemon_threads = True

    def __init__(self, days: int) -> None:
        self.posts = {post.number: post for post in posts(days)}
        super().__init__(("127.0.0.1", 0), Handler)

    def answer(self, path: str, asked: dict[str, str]) -> dict[str, Any] | None:
        """Return what the API answers, or nothing where there is no such page."""
        if path == "/2/users/by":
            names = asked["usernames"].split(",")
            gone = [{"value": name, "title": "Not Found Error"} for name in names if name not in ACCOUNTS]
            return {"data": [user_row(name) for name in names if name in ACCOUNTS], "errors": gone}
        if path == "/2/users/search":
            found = [user_row(name) for name in ACCOUNTS if asked["query"].lower() in name.lower()]
            return {"data": found[: int(asked["max_results"])], "meta": {}}
        if path == "/2/tweets":
            numbers = [int(one) for one in asked["ids"].split(",")]
            gone = [{"resource_id": str(one), "title": "Not Found Error"} for one in numbers if one not in self.posts]
            return {**_page([self.posts[one] for one in numbers if one in self.posts]), "errors": gone}
        if timeline := TIMELINE.fullmatch(path):
            top = int(asked.get("pagination_token", asked.get("until_id", 2**62)))
            said = [one for one in self.posts.values() if str(user_number(one.author)) == timeline[1]]
            new = [one for one in reversed(said) if int(asked.get("since_id", 0)) < one.number < top]
            size = int(asked["max_results"])
            more = {"next_token": str(new[size - 1].number)} if len(new) > size else {}
            return {**_page(new[:size]), "meta": {"result_count": len(new[:size]), **more}}
        return None


def _page(found: list[Post]) -> dict[str, Any]:
    if not found:
        return {}
    users = [user_row(name) for name in sorted({one.author for one in found})]
    return {"data": [one.row() for one in found], "includes": {"users": users}}


class Handler(BaseHTTPRequestHandler):
    """One call."""

    server: Service

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer in JSON."""
        asked = urlsplit(self.path)
        body = self.server.answer(asked.path, dict(parse_qsl(asked.query)))
        data = json.dumps({"title": "Not Found"} if body is None else body).encode()
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


async def carry_out(command: list[str]) -> int:
    """Carry a command out, and return its exit code."""
    return await (await asyncio.create_subprocess_exec(*command)).wait()


def main() -> int:
    """Serve while the command runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=1, help="how long the accounts have been there")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="a command with the word URL in it")
    given = parser.parse_args()
    if "URL" not in given.command:
        parser.error("found no word URL in the command; write it where the address of the service belongs")
    with Service(given.days) as service:
        Thread(target=service.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        address = f"http://127.0.0.1:{service.server_address[1]}"
        done = asyncio.run(carry_out([address if word == "URL" else word for word in given.command]))
        service.shutdown()
    return done


if __name__ == "__main__":
    sys.exit(main())
