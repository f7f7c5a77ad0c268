"""The report of a judge in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.amounts import amount
from duologue.judges.points import PointsReport
from duologue.ratings.prediction_powered import CALIBRATED

if TYPE_CHECKING:
    from duologue.judges.pairs import PairsReport
    from duologue.judges.session import JudgeSession
    from duologue.judges.trials import TrialFigure


def report_lines(report: PointsReport | PairsReport, session: JudgeSession, *, people: bool) -> list[str]:
    """Return what is told of a judge beside the ratings; `people` says whether it was held against theirs."""
    missing = {name: count for name, count in session.missing.items() if count}
    lines = [f"judge: {session.recipe.rater} ({session.prompt.mark})"]
    lines += [f"not judged, since the result has no reply: {count:,} of {name}" for name, count in missing.items()]
    lines += _points(report, session) if isinstance(report, PointsReport) else _pairs(report, session)
    if not people:
        lines.append(
            f"UNCALIBRATED: no human labels beside the judge; {CALIBRATED} of each criterion tell what it is worth "
            f"(--people)"
        )
    return lines


def _points(report: PointsReport, session: JudgeSession) -> list[str]:
    unread = ", ".join(f"{name} {count:,}" for name, count in report.unread.items())
    lines = [f"answers judged: {report.answers:,}; points that could not be read, and are left out: {unread}"]
    lines += [
        f"asked again, {one.criterion}: the same points {_percent(one.equal)}"
        + (f", kappa {one.kappa.value:.2f}" if one.kappa.value is not None else "")
        for one in report.again
        if one.equal.n
    ]
    most = session.protocol.highest - session.protocol.lowest
    for figure, what in (
        (report.appended, "a request for points behind a reply adds"),
        (report.alone, "a request for points alone gets, above a reply that says nothing,"),
    ):
        if figure.n:
            lines.append(f"injection: {what} {_signed(figure)} of {amount(most, 'point')}")
    return lines


def _pairs(report: PairsReport, session: JudgeSession) -> list[str]:
    first, second = session.systems
    lines = [
        f"pairs judged in both orders: {report.pairs:,}; not readable, and left out: {report.unread:,}",
        f"flips (the orders name different winners): {_percent(report.flips)}; they are ties",
        f"one order a tie, the other not: {_percent(report.half_flips)}",
        f"choices of what was shown first: {_percent(report.first_share)}; 50 % without order bias",
    ]
    if report.again.n:
        lines.append(f"asked again: the same outcome {_percent(report.again)}")
    length = report.length
    if length.slope is None or length.even is None:
        lines.append(f"length: no slope, since {length.why}")
    else:
        lines.append(
            f"length: log odds change by {length.slope:+.2f} ({length.low:+.2f} to {length.high:+.2f}) for a reply "
            f"twice as long; at equal length {first} wins against {second} with {100 * length.even:.0f} % "
            f"({100 * (length.even_low or 0):.0f} to {100 * (length.even_high or 0):.0f})"
        )
    if report.plea.n:
        lines.append(f"injection: a request to be chosen adds {_signed(report.plea)} to the win share")
    return lines


def _percent(figure: TrialFigure) -> str:
    if figure.value is None:
        return "- (n 0)"
    ends = "" if figure.low is None or figure.high is None else f"{100 * figure.low:.0f} to {100 * figure.high:.0f}; "
    return f"{100 * figure.value:.0f} % ({ends}n {figure.n:,})"


def _signed(figure: TrialFigure) -> str:
    ends = "" if figure.low is None or figure.high is None else f"{figure.low:+.2f} to {figure.high:+.2f}; "
    return f"{figure.value:+.2f} ({ends}n {figure.n:,})"
