"""Ratings and pairwise judgements as the text of a file that `files` reads: a row each, CSV or JSON lines."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.ratings.judgement import Preference, Rating

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def ratings_text(ratings: Sequence[Rating | Preference], path: Path) -> str:
    """Return the text of a file of ratings, or of judgements; the name of the file tells the form.

    Raises `UsageError` for a name that ends otherwise than in .csv, .tsv or .jsonl.
    """
    rows = [_row(one) for one in ratings]
    if path.suffix == ".jsonl":
        return "".join(msgspec.json.encode(row).decode() + "\n" for row in rows)
    if path.suffix not in _DELIMITERS:
        raise UsageError(f"{path}: a file of ratings is called .csv, .tsv or .jsonl")
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=_DELIMITERS[path.suffix], lineterminator="\n")
    writer.writerow(rows[0] if rows else ("item", "system", "rater", "criterion", "value"))
    writer.writerows(row.values() for row in rows)
    return text.getvalue()


def _row(one: Rating | Preference) -> dict[str, Any]:
    """Return a row by its columns; whole points are written as such."""
    row: dict[str, Any] = one._asdict()
    if "value" in row:
        value = row["value"]
        return {**row, "value": int(value) if value.is_integer() else value}
    winner = {"a": row["a"], "b": row["b"], "tie": "tie"}[row["outcome"]]
    names = {"item": row["item"], "system_a": row["a"], "system_b": row["b"], "rater": row["rater"]}
    return {**names, "criterion": row["criterion"], "winner": winner}
