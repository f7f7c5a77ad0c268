"""A dialogue as a page shows it: who said what, what it means, and tables beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duologue.core.annotation import Bilingual
    from duologue.core.marked_text import MarkedText

    Said = str | Bilingual
    """Words of the data, as they stand; or words of ours, in both languages of a page."""

Role = Literal["user", "agent", "answer", ""]
"""Who somebody is, whatever they are called: the user, whoever serves or leads, what a system answered; or none."""
ROLES: dict[str, Role] = {"user": "user", "system": "agent", "agent": "agent", "staff": "agent", "reply": "answer"}
"""Speakers whose role goes without saying."""


class UtteranceView(NamedTuple):
    """An utterance, or another line of text, with what is told of it."""

    speaker: str
    """Who speaks, such as `user`, `system` or `staff`; empty where nobody does."""
    text: Said | MarkedText
    legend: Sequence[Said] = ()
    """What each stretch of a numbered text is, in the order of their numbers."""
    notes: Sequence[Said] = ()
    """What is told of the utterance as a whole, a line each."""
    played: Role | None = None
    """The speaker's role, where it is not that of `ROLES`."""

    @property
    def role(self) -> Role:
        """Who the speaker is."""
        return ROLES.get(self.speaker, "") if self.played is None else self.played


class TableView(NamedTuple):
    """A table beside a dialogue: its knowledge, its goal, its candidates."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Said]]


class DialogueView(NamedTuple):
    """A dialogue, or whatever else a data file holds one after another."""

    title: Said
    utterances: Sequence[UtteranceView] = ()
    tables: Sequence[TableView] = ()
    """What was known before: above the utterances."""
    after: Sequence[TableView] = ()
    """What comes after the last utterance, such as candidates for the next."""


def in_english(said: Said) -> str:
    """Return words as plain text has them: of ours, the English ones."""
    return said if isinstance(said, str) else said.en


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
