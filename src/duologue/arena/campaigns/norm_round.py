"""Norming rounds: raters vote blind on the same items, see each other's votes, discuss, and vote again."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, func, insert, select, update

from duologue.arena.campaigns.ballots import BETTER, LONGEST_REMARK, OUTCOMES, Points, checked_points, kept_points
from duologue.arena.campaigns.tables import campaign_items, campaign_units, norm_remarks, norm_rounds, norm_votes
from duologue.arena.campaigns.volunteers import codes_of
from duologue.arena.database.tables import new_id
from duologue.arena.people.audit import log
from duologue.core.errors import UsageError
from duologue.core.rng import digest
from duologue.ratings.agreement import Agreement, agreement
from duologue.ratings.coefficients import COEFFICIENTS, FleissKappa, GwetAc1, KrippendorffAlpha
from duologue.ratings.judgement import Rating
from duologue.ratings.protocol import Criterion
from duologue.ratings.table import RatingTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Select

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.ratings.coefficients import Coefficient

STATES = ("vote", "discuss", "revote", "closed")
CHOICE = Criterion(name="choice", zh="选择", low=0, high=2)
"""The choice of a pair as a category."""
CHOICE_COEFFICIENTS: tuple[Coefficient, ...] = (KrippendorffAlpha("nominal"), FleissKappa(), GwetAc1())


class NormRound(NamedTuple):
    """One round."""

    id: str
    number: int
    state: str
    units: tuple[str, ...]

    @property
    def part(self) -> str:
        """What forms say of the part that they were shown in, such as `1-vote`."""
        return f"{self.number}-{self.state}"

    @property
    def revealed(self) -> bool:
        """Whether the votes before the discussion are shown."""
        return self.state != "vote"

    @property
    def phase(self) -> str | None:
        """What a vote counts as now; `None` where nobody votes."""
        return {"vote": "before", "revote": "after"}.get(self.state)


class NormVote(NamedTuple):
    """One vote, by the code of who gave it."""

    unit: str
    code: str
    phase: str
    points: Points


class NormRemark(NamedTuple):
    """What somebody said in the discussion of an item."""

    unit: str
    code: str
    text: str


class NormAgreement(NamedTuple):
    """How well raters agreed before the discussion and after."""

    number: int
    criterion: str
    before: tuple[Agreement, ...]
    after: tuple[Agreement, ...]


def open_round(connection: Connection, campaign: Campaign, n: int, now: int, *, by: str | None = None) -> NormRound:
    """Begin a round with `n` answers that nobody has rated yet; their items are rated in no other way.

    Raises `UsageError` while another round is open, and where there are not so many items.
    """
    if current_round(connection, campaign) is not None:
        raise UsageError("a norming round is open; bring it to its end first (campaign norm CAMPAIGN --next)")
    units, items = campaign_units.c, campaign_items.c
    rows = connection.execute(
        select(units.id, units.item_id, items.item_key, units.system_a, units.system_b)
        .join(campaign_items, items.id == units.item_id)
        .where(
            units.campaign_id == campaign.id,
            items.role == "main",
            items.starters == 0,
            units.answer_a.is_not(None),
            units.system_b.is_(None) | units.answer_b.is_not(None),
        )
    ).all()
    seed = campaign.settings.seed
    drawn: dict[str, Any] = {}
    for row in sorted(rows, key=lambda one: digest(seed, "norm", one.item_key, one.system_a, one.system_b or "")):
        drawn.setdefault(row.item_id, row)  # one answer of an item
    chosen = list(drawn.values())[:n]
    if len(chosen) < n:
        raise UsageError(f"{n} items are asked for; {len(chosen)} have an answer that nobody has begun to rate")
    connection.execute(update(campaign_items).where(items.id.in_([row.item_id for row in chosen])).values(role="norm"))
    own = norm_rounds.c
    number = connection.execute(select(func.count()).where(own.campaign_id == campaign.id)).scalar_one() + 1
    found = NormRound(new_id(), number, "vote", tuple(row.id for row in chosen))
    values = {
        "id": found.id, "campaign_id": campaign.id, "number": number, "state": "vote", "units": list(found.units),
        "created_at": now,
    }  # fmt: skip
    connection.execute(insert(norm_rounds).values(values))
    log(connection, by, "norm.open", now=now, about=campaign.id, items=n)
    return found


def current_round(connection: Connection, campaign: Campaign) -> NormRound | None:
    """Return the round that is open; `None` where there is none."""
    return next((one for one in all_rounds(connection, campaign) if one.state != "closed"), None)


def open_round_of(connection: Connection, campaign: Campaign, *, shown: str = "") -> NormRound:
    """Return the round that is open. Raises `UsageError` where there is none.

    So it does where another part of it is `shown` (`NormRound.part`) on a page that asks for something.
    """
    found = current_round(connection, campaign)
    if found is None:
        raise UsageError("no norming round is open")
    if shown and found.part != shown:
        raise UsageError("the norming round has gone on since this page was shown; look at it again")
    return found


def all_rounds(connection: Connection, campaign: Campaign) -> tuple[NormRound, ...]:
    """Return all rounds of a campaign in their order."""
    rows = connection.execute(_rounds(), {"campaign": campaign.id})
    return tuple(NormRound(row.id, row.number, row.state, tuple(row.units)) for row in rows)


@cache
def _rounds() -> Select[Any]:
    """Return the query of `all_rounds`, made once: every page of a volunteer asks it."""
    own = norm_rounds.c
    query = select(own.id, own.number, own.state, own.units)
    return query.where(own.campaign_id == bindparam("campaign")).order_by(own.number)


def advance(connection: Connection, norm: NormRound, now: int, *, by: str | None = None) -> NormRound:
    """Go on to the next part: votes are shown, then voted on again, then the round is closed. Who did is logged."""
    state = STATES[min(STATES.index(norm.state) + 1, len(STATES) - 1)]
    connection.execute(update(norm_rounds).where(norm_rounds.c.id == norm.id).values(state=state))
    log(connection, by, f"norm.{state}", now=now, about=norm.id)
    return norm._replace(state=state)


def vote(
    connection: Connection,
    campaign: Campaign,
    norm: NormRound,
    person: str,
    unit: str,
    said: Mapping[str, Any],
    now: int,
) -> None:
    """Keep a vote; a second one in the same part takes its place.

    Raises `UsageError` while nobody votes, for a unit of another round, and for points out of the scale.
    """
    if norm.phase is None:
        raise UsageError("nobody votes now; the votes are discussed, or the round is closed")
    if unit not in norm.units:
        raise UsageError("this item is not one of the round")
    points = checked_points(campaign, said)
    own = norm_votes.c
    mine = (own.round_id == norm.id) & (own.unit_id == unit) & (own.person_id == person) & (own.phase == norm.phase)
    changed = connection.execute(update(norm_votes).where(mine).values(points=points, created_at=now))
    if not changed.rowcount:
        row = {
            "round_id": norm.id, "unit_id": unit, "person_id": person, "phase": norm.phase, "points": points,
            "created_at": now,
        }  # fmt: skip
        connection.execute(insert(norm_votes).values(row))


def remark(connection: Connection, norm: NormRound, person: str, unit: str, text: str, now: int) -> None:
    """Keep what a person says of an item. Raises `UsageError` before votes are shown, and for a text that is no use."""
    if not norm.revealed or norm.state == "closed":
        raise UsageError("a round is discussed after the blind vote and before it is closed")
    if unit not in norm.units:
        raise UsageError("this item is not one of the round")
    if not text.strip() or len(text) > LONGEST_REMARK:
        raise UsageError(f"found {len(text.strip()):,} characters; a remark has 1 to {LONGEST_REMARK:,}")
    row = {
        "id": new_id(), "round_id": norm.id, "unit_id": unit, "person_id": person, "text": text.strip(),
        "created_at": now,
    }  # fmt: skip
    connection.execute(insert(norm_remarks).values(row))


def votes_of(connection: Connection, campaign: Campaign, norm: NormRound, person: str = "") -> tuple[NormVote, ...]:
    """Return the votes of a round; with a `person` those that the person may see: before the reveal, only their own."""
    own, codes = norm_votes.c, codes_of(connection, campaign)
    rows = connection.execute(
        select(own.unit_id, own.person_id, own.phase, own.points).where(own.round_id == norm.id)
    ).all()
    found = []
    for unit, who, phase, points in rows:
        shown = phase == "before" and norm.revealed
        if not person or who == person or shown:
            kept = kept_points(campaign, dict(points), f"a vote of round {norm.number}")
            found.append(NormVote(unit, codes.get(who, who), phase, kept))
    return tuple(sorted(found, key=lambda one: (one.unit, one.code, one.phase)))


def remarks_of(connection: Connection, campaign: Campaign, norm: NormRound) -> tuple[NormRemark, ...]:
    """Return the discussion in its order."""
    own, codes = norm_remarks.c, codes_of(connection, campaign)
    rows = connection.execute(
        select(own.unit_id, own.person_id, own.text).where(own.round_id == norm.id).order_by(own.created_at, own.id)
    ).all()
    return tuple(NormRemark(unit, codes.get(who, who), text) for unit, who, text in rows)


def norm_agreement(connection: Connection, campaign: Campaign) -> tuple[NormAgreement, ...]:
    """Return by round and criterion how well raters agreed before the discussion and after, all coefficients."""
    found = []
    criteria = (CHOICE,) if campaign.pairs else campaign.rating.criterion
    for norm in all_rounds(connection, campaign):
        votes = votes_of(connection, campaign, norm)
        for criterion in criteria:
            before, after = (_agreement(votes, phase, criterion) for phase in ("before", "after"))
            found.append(NormAgreement(norm.number, criterion.name, before, after))
    return tuple(found)


def choice_agreement(choices: Sequence[tuple[str, str, str]]) -> tuple[Agreement, ...]:
    """Return how well raters agree in what they choose of pairs: item, rater, and `a`, `b` or `tie` of each."""
    ratings = [Rating(item, "", rater, CHOICE.name, float(OUTCOMES.index(choice))) for item, rater, choice in choices]
    return agreement(RatingTable.of(ratings, [CHOICE.name]).units(0), CHOICE, CHOICE_COEFFICIENTS)


def _agreement(votes: Sequence[NormVote], phase: str, criterion: Criterion) -> tuple[Agreement, ...]:
    said = [one for one in votes if one.phase == phase]
    if criterion is CHOICE:
        return choice_agreement([(one.unit, one.code, str(one.points[BETTER])) for one in said])
    ratings = [
        Rating(one.unit, "", one.code, criterion.name, float(one.points[criterion.name]))
        for one in said
        if criterion.name in one.points
    ]
    return agreement(RatingTable.of(ratings, [criterion.name]).units(0), criterion, COEFFICIENTS)
