"""Overlap between parts of a split: accounts, posts, dialogues, utterances and word n-grams."""

from __future__ import annotations

import hashlib
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from duologue.challenges.conversation.extraction.twitter import sources
from duologue.challenges.conversation.formats import posts
from duologue.challenges.conversation.formats.id_lists import read_post_ids
from duologue.core.disk import Source, guarded
from duologue.core.fingerprints import of_runs, of_text
from duologue.core.lines import Lines
from duologue.core.records import Record
from duologue.corpus.numbers import NumberSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet
    from pathlib import Path

Thing = TypeVar("Thing")

LONG = 8
"""Minimum number of words of a compared utterance, and default n-gram length: shorter ones are shared by chance."""
_SHOWN = 3
"""Number of examples shown."""
_BLOCK = 4096
"""Utterances per batch."""


class TextPart(NamedTuple):
    """Fingerprints of the dialogue text of a part, as sets on disk."""

    path: Path
    dialogues: NumberSet
    """Whole dialogues by their text, without speakers."""
    utterances: NumberSet
    """Utterances of `LONG` words or more."""
    runs: NumberSet
    """Word n-grams within an utterance."""


class PartContents(NamedTuple):
    """One part of a split, as far as its file tells."""

    name: str
    accounts: AbstractSet[str] | None = None
    """In lower case; `None` where the file names none."""
    posts: AbstractSet[int] | None = None
    words: TextPart | None = None


class SharedTexts(Record, frozen=True, kw_only=True):
    """Number of distinct items that two texts share."""

    count: int
    of_first: int
    """How many the first part has."""
    of_second: int
    examples: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The larger one of the two shares."""
        return max(self.count / max(self.of_first, 1), self.count / max(self.of_second, 1))


class PartOverlap(Record, frozen=True, kw_only=True):
    """Overlap of two parts; `None` where their files cannot tell."""

    first: str
    second: str
    accounts: int | None = None
    posts: int | None = None
    dialogues: int | None = None
    utterances: SharedTexts | None = None
    runs: SharedTexts | None = None
    run_words: int = LONG
    """Length of the n-grams in words."""
    examples: tuple[str, ...] = ()
    """Some shared accounts and posts."""

    def any(self, limit: float | None = None) -> bool:
        """Tell whether accounts, posts or dialogues are shared, or over the share `limit` of utterances or n-grams."""
        said = [one.share for one in (self.utterances, self.runs) if one is not None]
        return bool(self.accounts or self.posts or self.dialogues) or (
            limit is not None and max(said, default=0) > limit
        )

    def told(self) -> str:
        """Return this as lines of text."""
        known = {"accounts": self.accounts, "posts": self.posts, "dialogues": self.dialogues}
        found = [f"{count:,} {what}" for what, count in known.items() if count is not None]
        shown = f" ({', '.join(self.examples)})" if self.examples else ""
        lines = [f"{self.first} and {self.second}: {', '.join(found) or 'nothing to compare'} in both{shown}"]
        for what, common in (
            (f"utterances of {LONG} words or more", self.utterances),
            (f"runs of {self.run_words} words", self.runs),
        ):
            if common is not None and (common.of_first or common.of_second):
                shares = ", ".join(
                    f"{100 * common.count / max(n, 1):.2f} % of {n:,} in {name}"
                    for name, n in ((self.first, common.of_first), (self.second, common.of_second))
                )
                lines.append(f"  {what}: {common.count:,} in both ({shares})")
                lines += [f"    {text}" for text in common.examples]
        return "\n".join(lines)


def read_part(name: str, path: Path, folder: Path, store: Path | None = None, run_words: int = LONG) -> PartContents:
    """Return a part from its file: dialogue text, a list of ids (one per line, or the challenge's JSON), or accounts.

    With a store, the posts of listed accounts are known too. What texts say is kept in files of `folder`, so that
    memory does not grow with them. Raises `FormatError`, `StorageError`, and what `sources.read` raises.
    """
    start = next(iter(Lines(Source(path), unmarked=True)), "").strip()
    if start[:2] in {"U:", "S:"}:
        return PartContents(name, words=read_text(path, folder, run_words))
    if start[:1] == "[" or (start.isascii() and start.isdigit() and len(start) > 5):
        return PartContents(name, posts=set(read_post_ids(path)))
    accounts = posts.read_accounts(path)
    found = None
    if store is not None:
        found = {
            post.id for one in sources.read(store, accounts) for dialogue in one.dialogues.values() for post in dialogue
        }
    return PartContents(name, accounts={account.lower() for account in accounts}, posts=found)


def compare(parts: Iterable[PartContents], run_words: int = LONG) -> list[PartOverlap]:
    """Return what each two parts have in common."""
    found = []
    for one, other in combinations(parts, 2):
        accounts = _shared(one.accounts, other.accounts)
        common = _shared(one.posts, other.posts)
        words = (one.words, other.words) if one.words is not None and other.words is not None else None
        found.append(
            PartOverlap(
                first=one.name,
                second=other.name,
                accounts=None if accounts is None else len(accounts),
                posts=None if common is None else len(common),
                dialogues=None if words is None else words[0].dialogues.common(words[1].dialogues).size,
                utterances=None if words is None else _said(*words),
                runs=None if words is None else _common(words[0].runs, words[1].runs),
                run_words=run_words,
                examples=(*sorted(accounts or ())[:5], *map(str, sorted(common or ())[:5])),
            )
        )
    return found


def _shared(one: AbstractSet[Thing] | None, other: AbstractSet[Thing] | None) -> AbstractSet[Thing] | None:
    return None if one is None or other is None else one & other


def _common(one: NumberSet, other: NumberSet) -> SharedTexts:
    return SharedTexts(count=one.common(other).size, of_first=len(one), of_second=len(other))


def _said(one: TextPart, other: TextPart) -> SharedTexts:
    """Return the utterances in common, with some of them as the first part has them."""
    size, some = one.utterances.common(other.utterances, _SHOWN)
    examples: dict[int, str] = {}
    for said in _lines(one.path) if some else ():
        if said is None:
            continue
        said_print = of_text(said).print
        if said_print in some:
            examples.setdefault(said_print, said)
            if len(examples) == len(some):
                break
    return SharedTexts(
        count=size,
        of_first=len(one.utterances),
        of_second=len(other.utterances),
        examples=tuple(examples.values()),
    )


def read_text(path: Path, folder: Path, run_words: int = LONG) -> TextPart:
    """Return what a dialogue text says, as sets in files of a folder."""
    with guarded("write to", folder):
        folder.mkdir(parents=True, exist_ok=True)
    found = TextPart(path, *(NumberSet(folder / kind) for kind in ("dialogues", "utterances", "runs")))
    said: list[str] = []
    dialogue = _Dialogue()
    for text in _lines(path):
        if text is None:
            found.dialogues.add(dialogue.ended())
            continue
        dialogue.add(text)
        said.append(text)
        if len(said) >= _BLOCK:
            _take(found, said, run_words)
            said = []
    found.dialogues.add(dialogue.ended())
    _take(found, said, run_words)
    for kind in (found.dialogues, found.utterances, found.runs):
        kind.flush()
    return found


def _take(found: TextPart, said: list[str], run_words: int) -> None:
    found.utterances.add(one.print for one in map(of_text, said) if one.size >= LONG)
    found.runs.add(one for text in said for one in of_runs(text, run_words))


class _Dialogue:
    """The hash of a dialogue as its lines come: one may be as long as its file."""

    def __init__(self) -> None:
        self._lines = 0
        self._digest = hashlib.blake2b(digest_size=8)

    def add(self, text: str) -> None:
        self._digest.update(b"\n" + text.encode("utf-8", "surrogatepass"))
        self._lines += 1

    def ended(self) -> list[int]:
        """Return the hash and begin anew; nothing where no line came."""
        found = [int.from_bytes(self._digest.digest())] if self._lines else []
        self._lines, self._digest = 0, hashlib.blake2b(digest_size=8)
        return found


def _lines(path: Path) -> Iterator[str | None]:
    """Yield what each line says, without its speaker, and `None` where a dialogue ends."""
    for line in Lines(Source(path), unmarked=True):
        words = line.split()
        yield " ".join(words[1:]) if words else None
