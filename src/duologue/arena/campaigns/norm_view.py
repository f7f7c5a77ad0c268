"""What a rater sees of a norming round: its items, the votes that may be shown, what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from duologue.arena.campaigns.norm_round import current_round, remarks_of, votes_of
from duologue.arena.campaigns.tables import campaign_volunteers
from duologue.arena.campaigns.volunteer_view import ShownItem, shown_unit
from duologue.core.records import Record

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.campaigns.campaign import Campaign


class ShownVote(Record, frozen=True, kw_only=True):
    """A vote before the discussion, by the code of who gave it."""

    code: str
    points: dict[str, int | str]


class ShownRemark(Record, frozen=True, kw_only=True):
    """What somebody said in the discussion."""

    code: str
    text: str


class NormItem(Record, frozen=True, kw_only=True):
    """One item of a round."""

    unit: str
    item: ShownItem
    points: dict[str, int | str]
    """What the rater has voted in this part; empty where nothing."""
    votes: tuple[ShownVote, ...]
    """Everybody's before the discussion, once they are shown."""
    remarks: tuple[ShownRemark, ...]


class NormView(Record, frozen=True, kw_only=True):
    """A round as one rater sees it."""

    number: int
    state: str
    """`vote`, `discuss` or `revote`."""
    votes_now: bool
    """Whether somebody may vote."""
    revealed: bool
    items: tuple[NormItem, ...]


def norm_view(connection: Connection, campaign: Campaign, person: str) -> NormView | None:
    """Return the round that is open as a rater of the campaign sees it; `None` where there is none."""
    norm = current_round(connection, campaign)
    if norm is None:
        return None
    votes, remarks = votes_of(connection, campaign, norm, person), remarks_of(connection, campaign, norm)
    own = campaign_volunteers.c
    code = select(own.code).where(own.campaign_id == campaign.id, own.person_id == person)
    mine, phase = connection.execute(code).scalar_one(), norm.phase or "before"
    items = [
        NormItem(
            unit=unit,
            item=shown_unit(connection, campaign, unit),
            points=next(
                (one.points for one in votes if (one.unit, one.code, one.phase) == (unit, mine, phase)),
                {},
            ),
            votes=tuple(
                ShownVote(code=one.code, points=one.points)
                for one in votes
                if norm.revealed and one.unit == unit and one.phase == "before"
            ),
            remarks=tuple(ShownRemark(code=one.code, text=one.text) for one in remarks if one.unit == unit),
        )
        for unit in norm.units
    ]
    return NormView(
        number=norm.number,
        state=norm.state,
        votes_now=norm.phase is not None,
        revealed=norm.revealed,
        items=tuple(items),
    )
