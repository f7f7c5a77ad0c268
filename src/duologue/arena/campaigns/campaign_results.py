"""Results of a campaign: its ratings as a file, the final rank by the challenge's rule, and how far to trust it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from duologue.arena.campaigns.ballots import BETTER, counted_ballots
from duologue.arena.campaigns.norm_round import choice_agreement, norm_agreement
from duologue.arena.campaigns.volunteers import careless_people, codes_of, quality_of
from duologue.core.errors import UsageError
from duologue.ratings.files import RatingFile
from duologue.ratings.judgement import OVERALL, Preference, Rating
from duologue.ratings.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Literal

    from sqlalchemy import Connection

    from duologue.arena.campaigns.ballots import CountedBallot
    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.campaigns.norm_round import NormAgreement
    from duologue.arena.campaigns.volunteers import VolunteerQuality
    from duologue.ratings.agreement import Agreement
    from duologue.ratings.summary import RatingsSummary


class Selection(NamedTuple):
    """Which systems a campaign selects."""

    wanted: int
    selected: tuple[str, ...]
    """By the rule, the best first."""
    even: tuple[str, ...]
    """Systems that share the last place: the rule does not tell them apart, and none of them is in."""
    uncertain: tuple[str, ...]
    """Systems beyond that are not shown to be worse than the last one selected."""


class CampaignResults(NamedTuple):
    """All that came of a campaign."""

    summary: RatingsSummary
    quality: tuple[VolunteerQuality, ...]
    left_out: tuple[str, ...]
    """Codes of those whose ratings do not count, since they failed attention checks."""
    norming: tuple[NormAgreement, ...]
    choices: tuple[Agreement, ...]
    """Of pairs: how well raters agree in what they choose."""
    reasons: tuple[tuple[str, str, int], ...]
    """Of pairs: system that won, reason, how often."""
    selection: Selection | None


def ratings_of(
    connection: Connection, campaign: Campaign, *, everybody: bool = False
) -> tuple[Rating | Preference, ...]:
    """Return the ratings that count, by the codes of the raters; those of careless ones only with `everybody`."""
    left_out = frozenset() if everybody else careless_people(connection, campaign)
    found: list[Rating | Preference] = []
    for rater, one in _by_others(connection, campaign, left_out):
        if one.system_b is not None:
            outcome = _outcome(str(one.points[BETTER]))
            found.append(Preference(one.item_key, one.system_a, one.system_b, rater, OVERALL, outcome))
            continue
        found.extend(
            Rating(one.item_key, one.system_a, rater, criterion.name, float(one.points[criterion.name]))
            for criterion in campaign.rating.criterion
            if criterion.name in one.points
        )
    return tuple(found)


def has_ratings(connection: Connection, campaign: Campaign) -> bool:
    """Whether anybody has rated anything, careless ones too."""
    return bool(counted_ballots(connection, campaign))


def _by_others(
    connection: Connection, campaign: Campaign, left_out: Collection[str]
) -> Iterator[tuple[str, CountedBallot]]:
    """Yield the ballots that count, with their raters' codes, but for some raters' ones."""
    codes = codes_of(connection, campaign)
    for one in counted_ballots(connection, campaign):
        rater = codes.get(one.person, one.person)
        if rater not in left_out:
            yield rater, one


def results_of(
    connection: Connection,
    campaign: Campaign,
    *,
    judge: RatingFile | None = None,
    automatic: Mapping[str, float] | None = None,
) -> CampaignResults:
    """Return what came of a campaign so far.

    Raises `UsageError` where nobody has rated anything yet, or all who did are left out, for automatic scores of other
    systems alone, and as `duologue.ratings.summary.summarise`.
    """
    counted = ratings_of(connection, campaign)
    if not counted:
        if has_ratings(connection, campaign):
            raise UsageError(f"no rating counts in the campaign '{campaign.title}': all who rated failed its checks")
        raise UsageError(f"nobody has rated anything in the campaign '{campaign.title}' yet")
    if campaign.pairs and (judge is not None or automatic is not None):
        raise UsageError("a campaign of pairs has win shares; a judge's points and automatic scores go with scales")
    ratings = tuple(one for one in counted if isinstance(one, Rating))
    preferences = tuple(one for one in counted if isinstance(one, Preference))
    summary = summarise(
        RatingFile(ratings, preferences, ()),
        campaign.rating,
        judge=judge,
        automatic=_known(automatic, ratings, campaign),
    )
    quality = quality_of(connection, campaign)
    left_out = frozenset(one.code for one in quality if one.careless)
    kept = [one for _, one in _by_others(connection, campaign, left_out)] if campaign.pairs else []
    reasons = Counter(
        ({"a": one.system_a, "b": one.system_b or ""}.get(str(one.points[BETTER]), ""), one.reason) for one in kept
    )
    return CampaignResults(
        summary=summary,
        quality=quality,
        left_out=tuple(sorted(left_out)),
        norming=norm_agreement(connection, campaign),
        choices=choice_agreement([(one.unit_id, one.person, str(one.points[BETTER])) for one in kept]) if kept else (),
        reasons=tuple((system, reason, count) for (system, reason), count in sorted(reasons.items())),
        selection=_selection(summary, campaign.protocol.select),
    )


def _selection(summary: RatingsSummary, wanted: int) -> Selection | None:
    """Return the systems that are among the best `wanted`."""
    if not wanted or summary.rated is None:
        return None
    ranked = [one for one in summary.rated.systems if one.rank is not None]
    places = {one.system: one.rank or 0 for one in ranked}
    shared = Counter(places.values())
    # a place that several share counts as its last one: who shares the border is not in
    inside = [one for one in ranked if places[one.system] + shared[places[one.system]] - 1 <= wanted]
    border = {places[one.system] for one in ranked if places[one.system] <= wanted} - {
        places[one.system] for one in inside
    }
    even = tuple(one.system for one in ranked if places[one.system] in border)
    selected = tuple(one.system for one in inside)
    shown = {(one.better, one.b if one.better == one.a else one.a) for one in summary.rated.tests if one.better}
    outside = [one.system for one in ranked if one.system not in selected]
    last = selected[-1] if selected else ""
    uncertain = tuple(name for name in outside if last and (last, name) not in shown)
    return Selection(wanted, selected, even, uncertain)


def _known(
    automatic: Mapping[str, float] | None, ratings: tuple[Rating, ...], campaign: Campaign
) -> Mapping[str, float] | None:
    """Return the automatic scores of systems that somebody has rated already; others may not have entered.

    Raises `UsageError` where all are of others.
    """
    if automatic is None:
        return None
    if automatic and not automatic.keys() & set(campaign.systems):
        raise UsageError(
            f"no system of the campaign has an automatic score: found {', '.join(map(repr, sorted(automatic)[:5]))}; "
            f"the systems are {', '.join(map(repr, campaign.systems))}"
        )
    rated = {one.system for one in ratings}
    return {name: score for name, score in automatic.items() if name in rated}


def _outcome(word: str) -> Literal["a", "b", "tie"]:
    if word not in {"a", "b", "tie"}:
        raise AssertionError(word)
    return "a" if word == "a" else "b" if word == "b" else "tie"
