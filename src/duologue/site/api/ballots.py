"""Ballots over the API, for volunteers: the next item, ballots, corrections, norming rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from duologue.arena.campaigns.assignment import skip
from duologue.arena.campaigns.ballots import LONGEST_REMARK, cast
from duologue.arena.campaigns.campaign import campaigns_with
from duologue.arena.campaigns.norm_round import open_round_of, remark, vote
from duologue.arena.campaigns.norm_view import NormView, norm_view
from duologue.arena.campaigns.session_room import SessionRoom
from duologue.arena.campaigns.volunteer_view import OwnBallot, ShownItem, VolunteerView, shown_item, volunteer_view
from duologue.arena.campaigns.volunteer_view import own_ballots as ballots_of
from duologue.core.errors import UsageError
from duologue.core.records import Record
from duologue.site.api.operation import Operation
from duologue.site.page_error import not_found

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.site.api.operation import OperationCall


class RatedCampaign(Record, frozen=True, kw_only=True):
    """A campaign that somebody rates in."""

    id: str
    title: str
    open: bool


class RatedCriterion(Record, frozen=True, kw_only=True):
    """One question of a ballot."""

    name: str
    low: int
    high: int
    anchors: tuple[str, ...]


class NextItem(Record, frozen=True, kw_only=True):
    """What a volunteer does next."""

    view: VolunteerView
    criteria: tuple[RatedCriterion, ...]
    """Empty for pairs: `better` is `a`, `b` or `tie` then."""
    reasons: tuple[str, ...]
    """Of which a ballot on a pair gives one."""


class SentBallot(Record, frozen=True, kw_only=True):
    """What a volunteer says of an item."""

    points: dict[str, int | str]
    """By criterion; of a pair `better`."""
    reason: str = ""
    remark: Annotated[str, Meta(max_length=LONGEST_REMARK)] = ""
    seconds: Annotated[int, Meta(ge=0)] | None = None


class KeptBallot(Record, frozen=True, kw_only=True):
    """What came of a ballot."""

    assignment: str
    version: int
    right: bool | None
    """Of an item to learn from."""
    why: str
    why_zh: str


class SentVote(Record, frozen=True, kw_only=True):
    """A vote of a norming round."""

    points: dict[str, int | str]


class SentRemark(Record, frozen=True, kw_only=True):
    """What somebody says in a discussion."""

    text: Annotated[str, Meta(min_length=1, max_length=LONGEST_REMARK)]


class OpenNorming(Record, frozen=True, kw_only=True):
    """The norming round that is open; none where none is."""

    norming: NormView | None


def operations() -> list[Operation]:
    """Return the operations."""
    one = "/rate/{id}"
    item, unit = f"{one}/items/{{item}}", f"{one}/norm/{{unit}}"
    return [
        Operation("GET", "/rate", "The campaigns that one rates in", everything, gives=list[RatedCampaign]),
        Operation("GET", one, "What a volunteer does next", next_item, gives=NextItem),
        Operation("GET", f"{one}/mine", "One's own ratings", mine, gives=list[OwnBallot]),
        Operation("GET", item, "An item that one has, with what one said of it", show_item, gives=ShownItem),
        Operation("POST", item, "Rate an item, or correct a rating", rate, takes=SentBallot, gives=KeptBallot),
        Operation("POST", f"{item}/skip", "Leave an item out, and go on", leave_out, gives=NextItem),
        Operation("GET", f"{one}/norm", "The norming round that is open", norming, gives=OpenNorming),
        Operation("POST", unit, "Vote in a norming round", vote_on, takes=SentVote, gives=OpenNorming),
        Operation("POST", f"{unit}/remark", "Discuss an item of it", say, takes=SentRemark, gives=OpenNorming),
    ]


async def everything(call: OperationCall) -> list[RatedCampaign]:
    """Return the caller's campaigns."""
    found = await call.read(campaigns_with, call.me.id)
    return [RatedCampaign(id=one.id, title=one.title_in(call.language), open=one.open) for one in found]


async def next_item(call: OperationCall) -> NextItem:
    """Return what comes next for the volunteer; it waits for this person from now on."""
    campaign, now, me = await _own(call), call.now, call.me.id
    room = SessionRoom(call.language, now)
    view = await call.site.write(call.by_me(lambda connection: volunteer_view(connection, campaign, me, now, room)))
    criteria = () if campaign.pairs else campaign.rating.criterion
    return NextItem(
        view=view,
        criteria=tuple(
            RatedCriterion(name=one.name, low=one.low, high=one.high, anchors=one.anchors) for one in criteria
        ),
        reasons=tuple(one.name for one in campaign.protocol.reason) if campaign.pairs else (),
    )


async def mine(call: OperationCall) -> list[OwnBallot]:
    """Return what the caller has rated."""
    return list(await call.read(ballots_of, await _own(call), call.me.id))


async def show_item(call: OperationCall) -> ShownItem:
    """Return one of the caller's items."""
    campaign = await _own(call)
    try:
        return await call.read(shown_item, campaign, call.me.id, call.at("item"))
    except UsageError as error:
        raise not_found() from error


async def rate(call: OperationCall) -> KeptBallot:
    """Keep a ballot."""
    campaign, item, said, now, me = await _own(call), call.at("item"), call.body, call.now, call.me.id

    def action(connection: Connection) -> dict[str, Any]:
        outcome = cast(
            connection, campaign, me, item, said.points, now=now, reason=said.reason, remark=said.remark,
            seconds=said.seconds,
        )  # fmt: skip
        return outcome._asdict()

    return KeptBallot(**await call.write(action))


async def leave_out(call: OperationCall) -> NextItem:
    """Give an item back for good."""
    campaign, item, me = await _own(call), call.at("item"), call.me.id
    await call.write(lambda connection: skip(connection, campaign, me, item))
    return await next_item(call)


async def norming(call: OperationCall) -> OpenNorming:
    """Return the round as the caller sees it."""
    return OpenNorming(norming=await call.read(norm_view, await _own(call), call.me.id))


async def vote_on(call: OperationCall) -> OpenNorming:
    """Keep a vote."""
    campaign, unit, said, now, me = await _own(call), call.at("unit"), call.body, call.now, call.me.id

    def action(connection: Connection) -> None:
        vote(connection, campaign, open_round_of(connection, campaign), me, unit, said.points, now)

    await call.write(action)
    return await norming(call)


async def say(call: OperationCall) -> OpenNorming:
    """Keep a remark."""
    campaign, unit, said, now, me = await _own(call), call.at("unit"), call.body, call.now, call.me.id

    def action(connection: Connection) -> None:
        remark(connection, open_round_of(connection, campaign), me, unit, said.text, now)

    await call.write(action)
    return await norming(call)


async def _own(call: OperationCall) -> Campaign:
    """Return a campaign for its volunteers alone. Raises `PageError` for others."""
    found = await call.read(campaigns_with, call.me.id, call.at("id"))
    if not found:
        raise not_found()
    return found[0]
