"""Extraction of dialogue text from post stores, byte for byte as the official trial, official and test-set tools.

Specification, sections 2.1 to 2.3. One store is held at a time; the file appears whole or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.conversation.extraction.twitter import forest, sources
from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.challenges.conversation.extraction.twitter.rules import SYSTEM, USER, Speech
from duologue.challenges.conversation.extraction.twitter.tokenizer import CHALLENGE
from duologue.challenges.conversation.formats import stores
from duologue.core import disk
from duologue.core.errors import FormatError, UsageError, did_you_mean
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from duologue.challenges.conversation.formats.posts import Post, Store, TurnIds

MISSING, UNDISCLOSED = "__MISSING__", "__UNDISCLOSED__"
"""Placeholders of the test set: incomplete turns, and hidden replies."""
_RULE = "-" * 56


class Settings(Record, frozen=True, kw_only=True):
    """Extraction settings; the defaults are the official ones."""

    max_turns: int = 20
    """Maximum number of turns (groups of posts); the test set has no limit."""
    tokenizer: str = CHALLENGE
    """Tokenizer version: the challenge's text was made with `2017`."""


class Extracted(Record, frozen=True, kw_only=True):
    """Counts of an extraction from account stores."""

    accounts: int = 0
    dialogues: int = 0
    utterances: int = 0
    words: int = 0
    left_out: int = 0
    """Dialogues with excluded posts."""


class Restored(Record, frozen=True, kw_only=True):
    """Counts of an extraction from an id list."""

    dialogues: int = 0
    complete: int = 0
    """Dialogues without a missing turn."""
    turns: int = 0
    found: int = 0
    """Turns with all their posts; hidden replies count."""

    def printed(self) -> str:
        """Return the lines that the official tool prints at its end."""
        return (
            f"{_RULE}\nNumber of successfully extracted dialogs: {self.complete} in {self.dialogues}\n"
            f"Number of successfully extracted turns: {self.found} in {self.turns}\n{_RULE}\n"
        )


class _Dialogue:
    """State of one dialogue: the customer's names."""

    def __init__(self, cleaner: Cleaner) -> None:
        self._cleaner = cleaner
        self._screen_name = self._first_name = ""

    def text(self, post: Post, speaker: str) -> str:
        """Return the preprocessed text of a post; the customer's names are known from the next post on."""
        text = self._cleaner.clean(post.text, Speech(speaker, self._screen_name, self._first_name))
        if speaker == USER:
            self._screen_name = post.screen_name
            first = next(iter(post.name.split()), "")
            if len(first) > 2 and first.isascii() and first.isalnum():
                self._first_name = first
        return text if text.isascii() else _without_surrogates(text)


def from_accounts(
    source: Path,
    out: Path,
    settings: Settings | None = None,
    *,
    accounts: Sequence[str] | None = None,
    limits: Mapping[str, Mapping[int, int]] | None = None,
    without: AbstractSet[int] = frozenset(),
) -> Extracted:
    """Extract the dialogues of all accounts of a store, or of `accounts`, ordered by file name.

    `limits`, account -> end post -> begin post, makes of the trial extraction the official one. `without` are posts
    that must be in no dialogue, such as those of the test set; those with one are left out. Raises `UsageError` for
    accounts without a store or without limits, and what reading stores raises.
    """
    settings = settings or Settings()
    cleaner = Cleaner(settings.tokenizer)
    made = {"accounts": 0, "dialogues": 0, "utterances": 0, "words": 0, "left_out": 0}
    with disk.replacing_text(out) as file:
        for store in sources.read(source, accounts):
            made["accounts"] += 1
            for path in _paths_of(store, settings, _limits_of(store.account, limits)):
                if without and any(post.id in without for post in forest.in_order(path)):
                    made["left_out"] += 1
                    continue
                lines = _lines(forest.in_order(path), store.account.lower(), _Dialogue(cleaner))
                made["dialogues"] += 1
                made["utterances"] += len(lines)
                made["words"] += sum(len(line.split()) - 1 for line in lines)
                file.write("\n".join(lines) + "\n\n")
    return Extracted(**made)


def from_ids(
    source: Path, dialogues: Sequence[Sequence[TurnIds]], out: Path, settings: Settings | None = None
) -> Restored:
    """Extract the dialogues of an id list from the posts of a store.

    There is no filter: what is missing is marked. Raises what reading stores raises.
    """
    cleaner = Cleaner((settings or Settings()).tokenizer)
    wanted = {number for turns in dialogues for turn in turns for number in turn.ids}
    pool = {post.id: post for post in stores.posts_in(source, wanted)}
    complete = found = 0
    with disk.replacing_text(out) as file:
        for turns in dialogues:
            lines = list(_turns(turns, pool, _Dialogue(cleaner)))
            present = sum(line is not None for _, line in lines)
            found += present
            complete += present == len(turns)
            texts = (f"{speaker}:{f' {MISSING}' if line is None else line}\n" for speaker, line in lines)
            file.write("".join(texts) + "\n")
    return Restored(dialogues=len(dialogues), complete=complete, turns=sum(map(len, dialogues)), found=found)


def _limits_of(account: str, limits: Mapping[str, Mapping[int, int]] | None) -> Mapping[int, int] | None:
    if limits is None or account in limits:
        return None if limits is None else limits[account]
    raise UsageError(f"the file of begin and end ids does not have account '{account}'{did_you_mean(account, limits)}")


def _paths_of(store: Store, settings: Settings, limits: Mapping[int, int] | None) -> Iterator[list[forest.PostGroup]]:
    dialogues = store.dialogues if limits is None else forest.cut_to(store.dialogues, limits)
    try:
        roots = forest.grow(dialogues)
    except FormatError as error:
        raise FormatError(f"the store of {store.account}", error.problems) from error
    return (path for path in forest.paths(roots) if forest.is_dialogue(path, settings.max_turns))


def _lines(posts: Iterable[Post], account: str, dialogue: _Dialogue) -> list[str]:
    """Return the utterances of a dialogue, consecutive posts of one speaker merged."""
    lines: list[str] = []
    before = ""
    for post in posts:
        speaker = SYSTEM if post.screen_name.lower() == account else USER
        text = dialogue.text(post, speaker)
        if speaker == before:
            lines[-1] += f" {text}"
        else:
            lines.append(f"{speaker}: {text}")
        before = speaker
    return lines


def _turns(turns: Sequence[TurnIds], pool: Mapping[int, Post], dialogue: _Dialogue) -> Iterator[tuple[str, str | None]]:
    """Yield speaker and text of each turn; `None` where a post is missing."""
    for place, turn in enumerate(turns, start=1):
        if not turn.ids and place == len(turns):
            yield turn.speaker, f" {UNDISCLOSED}"
        elif all(number in pool for number in turn.ids):
            yield turn.speaker, "".join(f" {dialogue.text(pool[number], turn.speaker)}" for number in turn.ids)
        else:
            yield turn.speaker, None


def _without_surrogates(text: str) -> str:
    """Replace lone surrogates, on which the official tools crash."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
