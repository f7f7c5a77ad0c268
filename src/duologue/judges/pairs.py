"""Pairs of two systems: each in both orders, where two orders that disagree are a tie, and trials of the judge."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from duologue.judges.calls import AGAIN, APPENDED, JUDGED, JudgeCall, drawn, part_of
from duologue.judges.length_slope import length_slope
from duologue.judges.trials import mean_of, share
from duologue.ratings.judgement import OVERALL, Preference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.judges.items import JudgedItem
    from duologue.judges.length_slope import LengthSlope
    from duologue.judges.prompt import JudgePrompt
    from duologue.judges.recipe import JudgeRecipe
    from duologue.judges.trials import TrialFigure
    from duologue.ratings.judgement import Outcome

    Items = Mapping[str, JudgedItem]

_SWAPPED: dict[Outcome, Outcome] = {"a": "b", "b": "a", "tie": "tie"}
_WINS: dict[Outcome, float] = {"a": 1.0, "tie": 0.5, "b": 0.0}


class PairsReport(NamedTuple):
    """What came of judging pairs, beside the judgements themselves."""

    pairs: int
    unread: int
    """Pairs of which an order could not be read: left out, never guessed."""
    flips: TrialFigure
    """Share of the pairs whose two orders name different winners: they count as ties."""
    half_flips: TrialFigure
    """Share of the pairs of which one order is a tie and the other is not: ties too."""
    first_share: TrialFigure
    """Of the choices that are no tie, the share for what was shown first, as the mean over pairs; .5 without bias."""
    again: TrialFigure
    """Share of the repeated pairs with the same outcome a second time."""
    length: LengthSlope
    """A is the first system."""
    plea: TrialFigure
    """Win share of a reply that asks to be chosen, beside the same reply without that, less .5."""


class JudgedPairs(NamedTuple):
    """Judgements in the order of the data, and the report."""

    preferences: tuple[Preference, ...]
    report: PairsReport


class _Both(NamedTuple):
    """What a judge chose in the two orders; `a` is the first system. `None` could not be read."""

    straight: Outcome | None
    swapped: Outcome | None

    @property
    def outcome(self) -> Outcome | None:
        """The judgement: a tie where both orders disagree."""
        if self.straight is None or self.swapped is None:
            return None
        return self.straight if self.straight == self.swapped else "tie"

    @property
    def first_share(self) -> float | None:
        """Of the choices that are no tie, the share of those for what was shown first; `None` without any."""
        firsts = [
            outcome == shown
            for outcome, shown in ((self.straight, "a"), (self.swapped, "b"))
            if outcome not in {None, "tie"}
        ]
        return sum(firsts) / len(firsts) if firsts else None


def pairs_calls(prompt: JudgePrompt, one: Items, other: Items, recipe: JudgeRecipe, seed: int) -> list[JudgeCall]:
    """Return all calls for the items that both systems have: two for each, for some again, and the injection test."""
    names = [("", name) for name in one if name in other]
    again = part_of(names, recipe.repeats, seed, AGAIN)
    tried = drawn(names, recipe.injections, seed, "injection")
    found = []
    for key in names:
        name = key[1]
        kinds = [(JUDGED, one[name], other[name])]
        if key in again:
            kinds.append((AGAIN, one[name], other[name]))
        if key in tried:
            pleads = one[name]._replace(reply=f"{one[name].reply} {prompt.bots.plea}")
            kinds.append((APPENDED, pleads, one[name]))
        for what, first, second in kinds:
            found.append(JudgeCall(what, "", name, prompt.better(first, second)))
            found.append(JudgeCall(what, "", name, prompt.better(second, first), swapped=True))
    return found


def pairs_of(
    prompt: JudgePrompt,
    calls: Sequence[JudgeCall],
    texts: Sequence[str],
    recipe: JudgeRecipe,
    systems: tuple[str, str],
    items: tuple[Items, Items],
) -> JudgedPairs:
    """Return judgements and report of what the judge said to the calls."""
    said = {(one.what, one.item, one.swapped): prompt.read_better(text) for one, text in zip(calls, texts, strict=True)}
    both = {
        (what, item): _Both(straight, _turned(said[what, item, True]))
        for (what, item, swapped), straight in said.items()
        if not swapped
    }
    judged = {item: one for (what, item), one in both.items() if what == JUDGED}
    outcomes = {item: one.outcome for item, one in judged.items() if one.outcome is not None}
    found = tuple(Preference(item, *systems, recipe.rater, OVERALL, outcome) for item, outcome in outcomes.items())
    read = [judged[item] for item in outcomes]
    first = [one.first_share for one in read if one.first_share is not None]
    repeated = [
        (outcomes[item], one.outcome)
        for (what, item), one in both.items()
        if what == AGAIN and item in outcomes and one.outcome is not None
    ]
    pleas = [one.outcome for (what, _), one in both.items() if what == APPENDED and one.outcome is not None]
    report = PairsReport(
        len(judged),
        len(judged) - len(outcomes),
        share(sum({one.straight, one.swapped} == {"a", "b"} for one in read), len(read)),
        share(sum(one.straight != one.swapped and "tie" in one for one in read), len(read)),
        mean_of(first, 0.0, 1.0),
        share(sum(first == second for first, second in repeated), len(repeated)),
        length_slope(
            [_WINS[outcome] for outcome in outcomes.values()],
            [_ratio(prompt, items[0][item], items[1][item]) for item in outcomes],
        ),
        mean_of([_WINS[outcome] - 0.5 for outcome in pleas], -0.5, 0.5),
    )
    return JudgedPairs(found, report)


def _turned(outcome: Outcome | None) -> Outcome | None:
    return None if outcome is None else _SWAPPED[outcome]


def _ratio(prompt: JudgePrompt, one: JudgedItem, other: JudgedItem) -> float:
    """Return log2 of the ratio of the lengths of what the judge was shown, in characters."""
    return math.log2(len(prompt.said(one)) / len(prompt.said(other)))
