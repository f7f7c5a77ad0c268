"""Saved reports (JSON): read and validated, with the formulas of their scores."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core.decoded import all_whole
from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import FormatError
from duologue.core.plugins import load_task, names
from duologue.core.records import Problem, Report, Scoring
from duologue.core.typed import convert, decode_json
from duologue.run.stored import files_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from duologue.core.protocols import TaskInfo
    from duologue.core.records import Score
    from duologue.metrics.counts import Metric


def save_report(report: Report, path: Path) -> None:
    """Write the whole report, with the counts per item that paired tests need.

    Figures that JSON has no number for are written as the texts `NaN`, `Infinity` and `-Infinity`; a file name that is
    no UTF-8 has its odd bytes spelled out.
    """
    told = _with_figures(msgspec.to_builtins(report), _in_json)
    try:
        data = msgspec.json.encode(told)
    except UnicodeEncodeError:
        data = msgspec.json.encode(all_whole(told))
    write_bytes(path, data)


def read_report(path: Path) -> Report:
    """Return a saved report. Raises `FormatError` for a file that is none, or damaged, saying how one is made."""
    report = _decoded(path)
    problems = list(_mistakes(report))
    if problems:
        raise FormatError(path, problems)
    return report


def _decoded(path: Path) -> Report:
    data = read_bytes(path)
    try:
        try:
            return decode_json(data, Report)
        except msgspec.ValidationError:  # a figure that JSON has no number for, or something that is wrong
            return convert(_with_figures(msgspec.json.decode(data), _of_json), Report)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problem = Problem(
            rule="not-a-report",
            message=f"this is not a saved report: {error}",
            advice="make one with `duologue score ... --out FILE.report.json`",
        )
        raise FormatError(path, [problem]) from error


_FIGURES = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def _in_json(figure: Any) -> Any:
    if not isinstance(figure, float) or math.isfinite(figure):
        return figure
    return "NaN" if math.isnan(figure) else "Infinity" if figure > 0 else "-Infinity"


def _of_json(figure: Any) -> Any:
    return _FIGURES.get(figure, figure) if isinstance(figure, str) else figure


def _with_figures(report: Any, change: Callable[[Any], Any]) -> Any:
    """Return a report as JSON holds it, changed where scores and counts stand; anything else stays as it is."""
    if not isinstance(report, dict):
        return report
    found = dict(report)
    if "scores" in found:
        found["scores"] = _with_scores(found["scores"], change)
    if isinstance(found.get("slices"), list | tuple):
        found["slices"] = [
            {**part, "scores": _with_scores(part.get("scores"), change)} if isinstance(part, dict) else part
            for part in found["slices"]
        ]
    if isinstance(found.get("items"), list | tuple):
        found["items"] = [
            (one[0], [change(count) for count in one[1]])
            if isinstance(one, list | tuple) and len(one) == 2 and isinstance(one[1], list | tuple)
            else one
            for one in found["items"]
        ]
    return found


def _with_scores(scores: Any, change: Callable[[Any], Any]) -> Any:
    """Return scores with their figures changed; a value that is null is what older versions wrote for NaN."""
    if not isinstance(scores, list | tuple):
        return scores
    return [
        {
            **score,
            **{name: change(score[name]) for name in ("value", "low", "high") if name in score},
            **({"value": math.nan} if score.get("value", 0) is None else {}),
        }
        if isinstance(score, dict)
        else score
        for score in scores
    ]


def _mistakes(report: Report) -> Iterator[Problem]:
    """Yield what in a report does not fit together: whoever reads it counts on all of this."""
    columns, names = len(report.columns), [name for name, _ in report.items]
    ragged = [name for name, counts in report.items if len(counts) != columns]
    if ragged:
        yield _damage("/items", f"{len(ragged):,} items have not {columns} counts, as there are columns: '{ragged[0]}'")
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        yield _damage("/items", f"{len(twice):,} items stand there more than once: '{twice[0]}'")
    if len(set(report.columns)) < columns:
        yield _damage("/columns", "a column stands there twice")
    if report.groups and len(report.groups) != len(names):
        yield _damage("/groups", f"{len(report.groups):,} groups are given for {len(names):,} items")
    scores = [score.name for score in report.scores]
    if len(set(scores)) < len(scores):
        yield _damage("/scores", "a score stands there twice")
    if report.rank_by not in scores:
        yield _damage("/rank_by", f"there is no score '{report.rank_by}', by which systems are ranked")
    yield from _odd_intervals("/scores", report.scores)
    for number, part in enumerate(report.slices):
        yield from _odd_intervals(f"/slices/{number}/scores", part.scores)
    if report.n < 0:
        yield _damage("/n", f"{report.n} items cannot be")
    commands = report.meta.get("commands", [])
    if not isinstance(commands, list) or not all(isinstance(one, str) for one in commands):
        yield _damage("/meta/commands", "expected a list of texts")


def _odd_intervals(place: str, scores: Sequence[Score]) -> Iterator[Problem]:
    """Yield what of scores has an interval that no interval can be: two numbers, the lower first, or none."""
    for number, score in enumerate(scores):
        if not math.isfinite(score.value) or (score.low is None and score.high is None):
            continue
        if score.low is None or score.high is None or not -math.inf < score.low <= score.high < math.inf:
            message = f"the interval of '{score.name}' is from {score.low} to {score.high}; expected two numbers"
            yield _damage(f"{place}/{number}", message)


def _damage(place: str, message: str) -> Problem:
    advice = "the report is damaged; score the files again with --out"
    return Problem(rule="report-damaged", place=place, message=message, advice=advice)


def how_of(report: Report) -> Scoring:
    """Return how a report was scored; one that does not say so was scored by its variant alone.

    Options that were files or programs come back as the hash of what they were, never as a path. Raises `FormatError`
    for a report that does not say how in a form that can be read, or that names a path there.
    """
    name = report.system or report.task
    told = report.meta.get("how")
    if not isinstance(told, dict):
        return Scoring(variant=report.variant)
    try:
        how = convert(told, Scoring)
    except msgspec.ValidationError as error:
        raise _not_told(name, f"this does not say how to score: {error}") from error
    info = load_task(report.task).info if report.task in names("tasks") else None
    outside = (*info.files, *info.programs) if info is not None else ()
    for option in outside:
        if option in how.options:
            raise _not_told(name, f"option '{option}' names a file, and no path is ever taken from a report")
    files = files_of(report, name)
    used = {} if files is None else {one.option: one.sha256 for one in (*files.options, *files.programs)}
    return msgspec.structs.replace(how, options={**how.options, **{one: used.get(one, "") for one in outside}})


def how_to_save(how: Scoring, info: TaskInfo) -> dict[str, Any]:
    """Return how a file was scored as a report keeps it: without paths, whose files it keeps by their hashes."""
    outside = {*info.files, *info.programs}
    kept = {name: value for name, value in how.options.items() if name not in outside}
    made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(how, options=kept)))
    return made  # as it is read back


def _not_told(name: str, message: str) -> FormatError:
    advice = "score the files again with --out"
    return FormatError(name, [Problem(rule="report-how", place="/meta/how", message=message, advice=advice)])


def formulas_of(report: Report) -> Sequence[Metric[Any]]:
    """Return the formulas over the counts that a report keeps, as its task gives them.

    Formulas over counts that the report does not keep are left out. For a report of a task that is not installed these
    are the ranking formulas that its scores name.
    """
    if report.task in names("tasks"):
        known = load_task(report.task).metrics(how_of(report))
        return [one for one in known if not report.columns or set(one.columns) <= set(report.columns)]
    from duologue.metrics.rank import ranking_metric  # numpy only where it is needed

    return [one for one in (ranking_metric(score.name) for score in report.scores) if one is not None]
