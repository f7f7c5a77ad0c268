"""Sheet for people to fill in: some of the judged answers, drawn by lot, with their contexts."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from duologue.core.errors import UsageError
from duologue.core.rng import Rng
from duologue.judges.calls import drawn
from duologue.ratings.files import SHEET_TEXTS

if TYPE_CHECKING:
    from duologue.judges.session import JudgeSession


def sheet_text(session: JudgeSession, count: int) -> str:
    """Return a sheet as CSV: a row for each of so many answers, with an empty cell for each criterion.

    Context and reply stand in columns that are not read as ratings; a row that stays empty is no rating. All systems'
    answers are drawn alike, as PPI++ needs it, and stand in an order by lot. Raises `UsageError` for pairs.
    """
    if session.kind == "pairs":
        raise UsageError("a sheet has points for single answers; leave --pairs out")
    names = [(system, item) for system, items in session.systems.items() for item in items]
    chosen = drawn(names, count, session.seed, "sheet")
    order = Rng(session.seed, "sheet").shuffled(sorted(chosen))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    criteria = [one.name for one in session.protocol.criterion]
    writer.writerow([*SHEET_TEXTS, *criteria, "rater", "item", "system"])
    for system, name in order:
        item = session.systems[system][name]
        context, said = session.prompt.context(item), session.prompt.said(item)
        writer.writerow([_cell(context), _cell(said), *("" for _ in criteria), "", name, system])
    return text.getvalue()


def _cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text
