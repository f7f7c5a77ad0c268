"""Self-contained HTML page of a data file: dialogues with what is marked in them, tables beside them, statistics."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.annotation import Bilingual
from duologue.core.dialogue_view import in_english
from duologue.core.disk import replacing_text
from duologue.core.escapes import one_line
from duologue.core.version import __version__
from duologue.report.html import template
from duologue.report.words import said

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from duologue.core.dialogue_view import DialogueView, Said, Statistics, TableView, UtteranceView
    from duologue.core.marked_text import MarkedText

MAX_UTTERANCES, MAX_ROWS = 500, 200
"""Utterances of a dialogue and rows of a table that are shown; the others are counted."""
_MAX_LISTED = 20
"""Texts of a statistic that are shown."""
_COLOURS = {"user": 0, "agent": 1, "answer": 2}
"""By role, so that who has a colour in one dialogue has it in all."""
_OTHERS, _NOBODY = (3, 4), 5
"""Colours of other speakers, in the order in which the page first has them, and of lines that nobody says."""


class _Shown(NamedTuple):
    """A dialogue as far as it is shown, its speakers by their colours."""

    dialogue: DialogueView
    utterances: list[tuple[int, UtteranceView]]
    tables: list[TableView]
    after: list[TableView]

    @property
    def more(self) -> int:
        return len(self.dialogue.utterances) - len(self.utterances)


def write_dialogues_page(
    path: Path,
    dialogues: Iterable[DialogueView],
    statistics: Statistics,
    *,
    title: str,
    n: int,
) -> None:
    """Write the first `n` dialogues and the statistics as one file, and how many there are beside them.

    Nothing of the data is obeyed by a browser. Raises `StorageError` for what the disk refuses.
    """
    left = iter(dialogues)
    others: dict[str, int] = {}
    shown = [_shown(dialogue, others) for dialogue in islice(left, n)]
    parts = template("dialogues.html.j2").generate(
        title=one_line(title),
        dialogues=shown,
        more=sum(1 for _ in left),
        statistics=[(name, _spelled(value)) for name, value in statistics.items()],
        max_rows=MAX_ROWS,
        plain=said,
        version=__version__,
    )
    with replacing_text(path) as out:
        out.writelines(parts)


def _shown(dialogue: DialogueView, others: dict[str, int]) -> _Shown:
    utterances = [(_colour(one, others), one) for one in islice(dialogue.utterances, MAX_UTTERANCES)]
    tables, after = ([table for table in group if table.rows] for group in (dialogue.tables, dialogue.after))
    return _Shown(dialogue, utterances, tables, after)


def _colour(one: UtteranceView, others: dict[str, int]) -> int:
    if one.role:
        return _COLOURS[one.role]
    return _OTHERS[others.setdefault(one.speaker, len(others)) % len(_OTHERS)] if one.speaker else _NOBODY


def _spelled(value: float | Sequence[Said]) -> str | MarkedText:
    if isinstance(value, int | float):
        return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
    more = f", … ({len(value):,})" if len(value) > _MAX_LISTED else ""
    listed = value[:_MAX_LISTED]
    english = one_line(", ".join(map(in_english, listed))) + more
    if not any(isinstance(one, Bilingual) for one in listed):
        return english
    chinese = "、".join(one.zh if isinstance(one, Bilingual) else one for one in listed)
    return said(Bilingual(en=english, zh=one_line(chinese) + more))
