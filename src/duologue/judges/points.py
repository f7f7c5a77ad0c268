"""Points of a judge on each criterion, and the trials that tell what they are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.judges.calls import AGAIN, ALONE, APPENDED, FILLER, JUDGED, JudgeCall, drawn, part_of
from duologue.judges.trials import mean_of, share
from duologue.prompts.prompt_texts import filled
from duologue.ratings.agreement import agreement
from duologue.ratings.coefficients import WeightedKappa
from duologue.ratings.judgement import Rating
from duologue.ratings.table import RatingTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.judges.items import JudgedItem
    from duologue.judges.prompt import JudgePrompt
    from duologue.judges.recipe import JudgeRecipe
    from duologue.judges.trials import TrialFigure
    from duologue.ratings.agreement import Agreement
    from duologue.ratings.protocol import RatingProtocol

    Points = dict[tuple[str, str, str], dict[str, int]]
    """Points by criterion, of what was judged (`judged`, ...), system and item."""


class SelfAgreement(NamedTuple):
    """How often a judge says the same of an answer a second time."""

    criterion: str
    equal: TrialFigure
    kappa: Agreement
    """Quadratic, of the first and the second time."""


class PointsReport(NamedTuple):
    """What came of judging by points, beside the ratings themselves."""

    answers: int
    unread: dict[str, int]
    """By criterion: judgements of answers without points that could be read. Nothing is guessed for them."""
    again: tuple[SelfAgreement, ...]
    appended: TrialFigure
    """How much a request for points behind a reply adds to the total of all criteria."""
    alone: TrialFigure
    """How much more a request for points alone gets than a reply that says nothing."""


class JudgedPoints(NamedTuple):
    """Ratings of a judge, in the order of systems and items, and the report."""

    ratings: tuple[Rating, ...]
    report: PointsReport


def points_calls(
    prompt: JudgePrompt, systems: Mapping[str, Mapping[str, JudgedItem]], recipe: JudgeRecipe, seed: int
) -> list[JudgeCall]:
    """Return all calls: each answer once, some of them again, and the injection test."""
    names = [(system, item) for system, items in systems.items() for item in items]
    again = part_of(names, recipe.repeats, seed, AGAIN)
    tried = drawn(names, recipe.injections, seed, "injection")
    found = []
    for system, name in names:
        item = systems[system][name]
        found.append(JudgeCall(JUDGED, system, name, prompt.points(item)))
        if (system, name) in again:
            found.append(JudgeCall(AGAIN, system, name, prompt.points(item)))
        if (system, name) in tried:
            found += [
                JudgeCall(what, system, name, prompt.points(item._replace(reply=reply)))
                for what, reply in injected(prompt, item).items()
            ]
    return found


def injected(prompt: JudgePrompt, item: JudgedItem) -> dict[str, str]:
    """Return the replies of the injection test."""
    high = str(max(one.high for one in prompt.protocol.criterion))
    asks = filled(prompt.bots.injection, {"high": high})
    return {APPENDED: f"{item.reply} {asks}", ALONE: asks, FILLER: prompt.bots.filler}


def points_of(
    prompt: JudgePrompt, calls: Sequence[JudgeCall], texts: Sequence[str], recipe: JudgeRecipe
) -> JudgedPoints:
    """Return ratings and report of what the judge said to the calls."""
    protocol = prompt.protocol
    read = {(one.what, one.system, one.item): prompt.read_points(text) for one, text in zip(calls, texts, strict=True)}
    judged = {key: points for key, points in read.items() if key[0] == JUDGED}
    ratings = tuple(
        Rating(item, system, recipe.rater, one.name, float(points[one.name]))
        for (_, system, item), points in judged.items()
        for one in protocol.criterion
        if one.name in points
    )
    unread = {one.name: sum(one.name not in points for points in judged.values()) for one in protocol.criterion}
    span = float(protocol.highest - protocol.lowest)
    report = PointsReport(
        len(judged),
        unread,
        _self_agreement(read, protocol),
        mean_of(_differences(read, protocol, APPENDED, JUDGED), -span, span),
        mean_of(_differences(read, protocol, ALONE, FILLER), -span, span),
    )
    return JudgedPoints(ratings, report)


def _self_agreement(read: Points, protocol: RatingProtocol) -> tuple[SelfAgreement, ...]:
    pairs = [
        (system, item, read[JUDGED, system, item], points)
        for (what, system, item), points in read.items()
        if what == AGAIN
    ]
    both = [
        Rating(item, system, rater, one.name, float(points[one.name]))
        for system, item, first, second in pairs
        for one in protocol.criterion
        if one.name in first and one.name in second
        for rater, points in (("first", first), ("second", second))
    ]
    table = RatingTable.of(both, [one.name for one in protocol.criterion])
    found = []
    for place, one in enumerate(protocol.criterion):
        known = [(first, second) for _, _, first, second in pairs if one.name in first and one.name in second]
        equal = sum(first[one.name] == second[one.name] for first, second in known)
        (kappa,) = agreement(table.units(place), one, [WeightedKappa("quadratic")])
        found.append(SelfAgreement(one.name, share(equal, len(known)), kappa))
    return tuple(found)


def _differences(read: Points, protocol: RatingProtocol, what: str, beside: str) -> list[float]:
    """Return the difference of the totals of two kinds, for each item of which all points of both could be read."""
    found = []
    for (kind, system, item), points in read.items():
        other = read.get((beside, system, item), {})
        if kind == what and len(points) == len(other) == len(protocol.criterion):
            found.append(float(sum(points.values()) - sum(other.values())))
    return found
