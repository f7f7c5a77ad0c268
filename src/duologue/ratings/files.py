"""Files of ratings: CSV, TSV or JSON lines, read whole with all their problems.

One row is one rating (`item,system,rater,criterion,value`), one rater's ratings of one answer with a column for each
criterion (`item,system,rater,coherence,...`; an empty cell is no rating), or one pairwise judgement
(`item,system_a,system_b,rater,winner`, where `winner` is the name of a system, `a`, `b` or `tie`).
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from duologue.core import disk
from duologue.core.decoded import is_text, shown
from duologue.core.errors import FormatError, did_you_mean
from duologue.core.lines import cut
from duologue.core.problems import ProblemCollector
from duologue.core.records import Problem
from duologue.ratings.judgement import OVERALL, Preference, Rating

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from duologue.ratings.judgement import Outcome
    from duologue.ratings.protocol import Criterion, RatingProtocol

_NUMBER = re.compile(r"[+-]?[0-9]{1,9}(\.[0-9]{1,12})?")
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_JSON = (".jsonl", ".ndjson", ".json")
_ADVICE = "name the columns item,system,rater,criterion,value, or a column for each criterion"

SHEET_TEXTS = ("context", "reply")
"""Columns of a sheet that show its reader what is rated; they are no ratings."""


class RatingFile(NamedTuple):
    """What a file of ratings holds: ratings or pairwise judgements, in the order of the file, and warnings."""

    ratings: tuple[Rating, ...]
    preferences: tuple[Preference, ...]
    warnings: tuple[Problem, ...]


class _Row(NamedTuple):
    place: str
    cells: Mapping[str, Any]


def read_ratings(path: Path, protocol: RatingProtocol, *, judge: bool = False) -> RatingFile:
    """Return what a file holds, checked against the protocol.

    Raises as `parse_ratings`, and `StorageError` where it cannot be read.
    """
    return parse_ratings(disk.read_bytes(path), path, protocol, judge=judge)


def parse_ratings(data: bytes, path: Path, protocol: RatingProtocol, *, judge: bool = False) -> RatingFile:
    """Return what the bytes of a file called `path` hold; its name tells a table from JSON lines.

    A `judge` may give fractions of a point, and needs no column `rater`. Raises `FormatError` with all problems of the
    file, each with its line, field, what was found and what was expected.
    """
    text, _ = disk.decode_text(data, path)  # its one warning, of a byte order mark, is about official programs
    problems = ProblemCollector()
    reader = _Reader(protocol, problems, judge=judge)
    for row in _rows(text, path, problems):
        reader.take(row)
    if (
        not reader.ratings
        and not reader.preferences
        and not any(one.severity == "error" for one in problems.problems())
    ):
        problems.add(Problem(rule="ratings-none", message="found no rating", advice=_ADVICE))
    if reader.ratings and reader.preferences:
        message = f"found {len(reader.ratings):,} ratings and {len(reader.preferences):,} pairwise judgements"
        problems.add(Problem(rule="ratings-mixed", message=message, advice="put them into a file each"))
    found = problems.problems()
    if any(one.severity == "error" for one in found):
        raise FormatError(path, found)
    return RatingFile(tuple(reader.ratings), tuple(reader.preferences), found)


def read_system_scores(path: Path) -> dict[str, float]:
    """Return automatic scores by system from a table with the columns `system` and `score`.

    Raises `FormatError` with all problems of the file; `StorageError` where it cannot be read.
    """
    text, _ = disk.decode_text(disk.read_bytes(path), path)
    problems = ProblemCollector()
    found: dict[str, float] = {}
    for row in _rows(text, path, problems):
        system, score = (str(row.cells.get(name, "")).strip() for name in ("system", "score"))
        if not is_text(system) or not system or system in found:
            message = f"field system: found {shown(row.cells.get('system'))}, expected a name that stands there once"
            problems.add(Problem(rule="score-system", place=row.place, message=message))
        elif not _NUMBER.fullmatch(score):
            message = f"field score: found {shown(row.cells.get('score'))}, expected a number such as 1.613"
            problems.add(Problem(rule="score-value", place=row.place, message=message))
        else:
            found[system] = float(score)
    told = problems.problems()
    if not found and not told:
        told = (Problem(rule="scores-none", message="found no score", advice="name the columns system,score"),)
    if any(one.severity == "error" for one in told):
        raise FormatError(path, told)
    return found


def _rows(text: str, path: Path, problems: ProblemCollector) -> Iterator[_Row]:
    suffixes = [one for one in path.suffixes if one not in {".gz", ".bz2"}]
    suffix = suffixes[-1].lower() if suffixes else ".csv"
    if suffix in _JSON or (suffix not in _DELIMITERS and text.lstrip().startswith("{")):
        yield from _of_json(text, path, problems)
    else:
        yield from _of_table(text, _DELIMITERS.get(suffix, ","), problems)


def _of_json(text: str, path: Path, problems: ProblemCollector) -> Iterator[_Row]:
    for number, line in enumerate(cut(text), start=1):
        if not line.strip():
            continue
        try:
            cells = disk.decode_json(line, path, number)
        except FormatError as error:
            problems.add(error.problems[0])
            continue
        if not isinstance(cells, dict):
            message = f'found {shown(cells)}, expected an object such as {{"item": "1", ...}} on each line'
            problems.add(Problem(rule="rating-row", place=f"line {number}", message=message))
            continue
        yield _Row(f"line {number}", {_named(str(key)): cell for key, cell in cells.items()})


def _of_table(text: str, mark: str, problems: ProblemCollector) -> Iterator[_Row]:
    """Yield the rows of a table; spreadsheets of many languages write semicolons for the commas of CSV."""
    names = text.partition("\n")[0]
    if mark == "," and ";" in names and "," not in names:
        mark = ";"
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    try:
        head = [_named(name) for name in next(rows, [])]
        twice = sorted(name for name, times in Counter(head).items() if times > 1)
        if twice:
            message = f"the column {shown(twice[0])} stands there twice"
            problems.add(Problem(rule="rating-columns", place="line 1", message=message, advice="leave one out"))
            return
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            place = f"line {rows.line_num}"
            if len(row) != len(head):
                message = f"found {len(row)} cells, expected {len(head)} as in the first line"
                problems.add(Problem(rule="rating-row", place=place, message=message))
                continue
            yield _Row(place, {name: cell.strip() for name, cell in zip(head, row, strict=True)})
    except csv.Error as error:
        problems.add(Problem(rule="not-csv", place=f"line {rows.line_num}", message=f"not valid CSV: {error}"))


def _named(column: str) -> str:
    """Return the name of a column as the protocol spells it."""
    return column.strip().lower().replace("_", "-").replace(" ", "-")


class _Reader:
    """Takes rows one by one."""

    def __init__(self, protocol: RatingProtocol, problems: ProblemCollector, *, judge: bool) -> None:
        self.ratings: list[Rating] = []
        self.preferences: list[Preference] = []
        self._protocol, self._problems, self._judge = protocol, problems, judge
        self._names = [one.name for one in protocol.criterion]
        self._columns = {_named(one.name): one for one in protocol.criterion}
        self._seen: dict[tuple[str, ...], str] = {}
        self._strange: set[str] = set()

    def take(self, row: _Row) -> None:
        """Take one row, or its problems."""
        wide = [name for name in self._columns if name in row.cells]
        if "winner" in row.cells:
            self._preference(row)
        elif "value" in row.cells:
            self._rating(row, self._criterion(row, self._names), "value")
            wide = []
        elif wide:
            for name in wide:
                if row.cells[name] not in (None, ""):
                    self._rating(row, self._columns[name], name)
        else:
            known = ", ".join(self._names)
            message = f"found {shown(', '.join(row.cells))}, expected the field value, winner, or one of {known}"
            self._problem("rating-columns", row.place, message, _ADVICE)
        self._tell_strange(row, wide)

    def _rating(self, row: _Row, criterion: Criterion | None, field: str) -> None:
        item, system, rater = (self._text(row, name) for name in ("item", "system", "rater"))
        value = None if criterion is None else self._value(row, criterion, field)
        if item is None or system is None or rater is None or criterion is None or value is None:
            return
        if self._new(row.place, item, system, rater, criterion.name):
            self.ratings.append(Rating(item, system, rater, criterion.name, value))

    def _preference(self, row: _Row) -> None:
        item, a, b, rater, winner = (
            self._text(row, name) for name in ("item", "system-a", "system-b", "rater", "winner")
        )
        if "criterion" in row.cells and row.cells["criterion"] not in (None, "", OVERALL):
            criterion = self._criterion(row, [*self._names, OVERALL])
            name = criterion.name if criterion else None
        else:
            name = OVERALL
        if item is None or a is None or b is None or rater is None or winner is None or name is None:
            return
        outcome = {a: "a", b: "b"}.get(winner, winner if winner in {"a", "b", "tie"} else None)
        if a == b:
            message = f"system_a and system_b are both {shown(a)}, expected two systems"
            self._problem("rating-systems", row.place, message)
        elif outcome is None:
            message = f"field winner: found {shown(winner)}, expected {shown(a)}, {shown(b)}, a, b or tie"
            self._problem("rating-winner", row.place, message)
        elif self._new(row.place, item, *sorted((a, b)), rater, name):
            self.preferences.append(Preference(item, a, b, rater, name, cast("Outcome", outcome)))

    def _text(self, row: _Row, name: str) -> str | None:
        """Return a field that is a name, or `None` with its problem."""
        found = row.cells.get(name)
        if name == "rater" and self._judge and found in (None, ""):
            return "judge"
        if isinstance(found, int) and not isinstance(found, bool) and abs(found) < 10**18:
            found = str(found)
        if isinstance(found, str) and is_text(found) and found.strip():
            return found.strip()
        told = f"found {shown(found)}" if name in row.cells else "it is missing"
        field = name.replace("-", "_")
        self._problem("rating-field", row.place, f"field {field}: {told}, expected a name", "each row names it")
        return None

    def _criterion(self, row: _Row, known: list[str]) -> Criterion | None:
        found = row.cells.get("criterion")
        if found in (None, "") and len(self._protocol.criterion) == 1:
            return self._protocol.criterion[0]
        word = found if isinstance(found, str) and is_text(found) else ""
        criterion = self._columns.get(_named(word))
        if criterion is None:
            near = did_you_mean(word, known).removeprefix("; ")
            message = f"field criterion: found {shown(found)}, expected one of {', '.join(known)}"
            self._problem("rating-criterion", row.place, message, near if near.startswith("did") else "")
        return criterion

    def _value(self, row: _Row, criterion: Criterion, field: str) -> float | None:
        found = row.cells[field]
        text = str(found) if isinstance(found, int | float) and not isinstance(found, bool) else found
        value = float(text) if isinstance(text, str) and _NUMBER.fullmatch(text.strip()) else None
        fits = value is not None and criterion.low <= value <= criterion.high
        if value is not None and fits and (self._judge or value == round(value)):
            return value
        kind = "a number" if self._judge else "a whole number"
        message = f"field {field}: found {shown(found)}, expected {kind} from {criterion.low} to {criterion.high}"
        self._problem("rating-value", row.place, message, f"the scale of {criterion.name} in {self._protocol.name}")
        return None

    def _new(self, place: str, *key: str) -> bool:
        """Tell whether nobody has said this yet; otherwise it is a problem."""
        before = self._seen.setdefault(key, place)
        if before != place:
            message = f"found a second rating of {' / '.join(map(shown, key))}; the first is in {before}"
            self._problem("rating-repeated", place, message, "a rater rates each answer once; leave one out")
        return before == place

    def _tell_strange(self, row: _Row, wide: list[str]) -> None:
        """Warn once of each column that nothing reads."""
        known = {"item", "system", "rater", "criterion", "value", "system-a", "system-b", "winner", *SHEET_TEXTS, *wide}
        for name in [one for one in row.cells if one not in known and one not in self._strange]:
            self._strange.add(name)
            self._problems.add(
                Problem(
                    rule="rating-column-unread",
                    severity="warning",
                    place=row.place,
                    message=f"the field {shown(name)} is not read; criteria of {self._protocol.name} are "
                    f"{', '.join(self._names)}",
                )
            )

    def _problem(self, rule: str, place: str, message: str, advice: str = "") -> None:
        self._problems.add(Problem(rule=rule, place=place, message=message, advice=advice))
