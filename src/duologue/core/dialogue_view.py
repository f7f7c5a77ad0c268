"""A dialogue as a page shows it: who said what, what it means, and tables beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duologue.core.marked_text import MarkedText


class UtteranceView(NamedTuple):
    """An utterance, or another line of text, with what is told of it."""

    speaker: str
    """Who speaks, such as `user`, `system` or `staff`; empty where nobody does."""
    text: str | MarkedText
    legend: Sequence[str] = ()
    """What each stretch of a numbered text is, in the order of their numbers."""
    notes: Sequence[str] = ()
    """What is told of the utterance as a whole, a line each."""


class TableView(NamedTuple):
    """A table beside a dialogue: its knowledge, its goal, its candidates."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


class DialogueView(NamedTuple):
    """A dialogue, or whatever else a data file holds one after another."""

    title: str
    utterances: Sequence[UtteranceView] = ()
    tables: Sequence[TableView] = ()
    """What was known before: above the utterances."""
    after: Sequence[TableView] = ()
    """What comes after the last utterance, such as candidates for the next."""


def views_of_lines(lines: Iterable[str]) -> Iterator[DialogueView]:
    """Yield a view for each block of lines between blank ones; the first line of a block is its title.

    >>> [one] = views_of_lines(["dialogue 1", "user: hello", ""])
    >>> one.title, one.utterances[0].text
    ('dialogue 1', 'user: hello')
    """
    block: list[str] = []
    for line in (*lines, ""):
        if line.strip():
            block.append(line)
        elif block:
            yield DialogueView(block[0], [UtteranceView("", text) for text in block[1:]])
            block = []
