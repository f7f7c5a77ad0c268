"""A dialogue as a page shows it: who said what, what it means, and tables beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from duologue.core.annotation import Bilingual
from duologue.core.escapes import one_line
from duologue.core.marked_text import MarkedText, raised
from duologue.core.text_columns import aligned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Said = str | Bilingual
    """Words of the data, as they stand; or words of ours, in both languages of a page."""
    Statistics = Mapping[str, int | float | Sequence[Said]]
    """Counts, means and lists by name."""

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


def in_two(en: str, zh: str) -> Said:
    """Return words of both languages; those that are alike in them as they are."""
    return en if en == zh else Bilingual(en=en, zh=zh)


def in_english(said: Said) -> str:
    """Return words as plain text has them: of ours, the English ones."""
    return said if isinstance(said, str) else said.en


def english_statistics(found: Statistics) -> dict[str, int | float | list[str]]:
    """Return statistics as text and JSON have them: of words of ours, the English ones."""
    return {
        name: value if isinstance(value, int | float) else [in_english(one) for one in value]
        for name, value in found.items()
    }


def view_lines(view: DialogueView) -> Iterator[str]:
    """Yield a dialogue as plain text: its title, what was known, who said what with what is told of it, the rest."""
    yield in_english(view.title)
    for table in view.tables:
        yield from table_lines(table) if table.rows else ()
    for said in view.utterances:
        yield from utterance_lines(said, f"{said.speaker}: " if said.speaker else "", "    ")
    for table in view.after:
        yield from table_lines(table) if table.rows else ()


def plain_lines(views: Iterable[DialogueView]) -> Iterator[str]:
    """Yield dialogues as lines of plain text with their ends, an empty one after each; control characters escaped."""
    for view in views:
        for line in (*view_lines(view), ""):
            yield f"{one_line(line)}\n"


def utterance_lines(said: UtteranceView, head: str, indent: str) -> Iterator[str]:
    """Yield an utterance behind `head`, with brackets around what is marked, then what this is, and notes."""
    yield head + (said.text.bracketed() if isinstance(said.text, MarkedText) else in_english(said.text))
    for number, line in enumerate(said.legend, 1):
        yield f"{indent}{raised(number)} {in_english(line)}"
    for note in said.notes:
        yield indent + in_english(note)


def table_lines(table: TableView) -> list[str]:
    """Return a table as plain text: its title and aligned rows."""
    if not table.rows:
        return [f"{table.title}: empty"]
    rows = [table.columns, *(list(map(in_english, row)) for row in table.rows)]
    return [f"{table.title}:", *(f"    {line}" for line in aligned(rows))]


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
