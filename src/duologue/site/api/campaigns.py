"""Campaigns over the API: for organisers progress, links and results; for volunteers the next item, and ballots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool

from duologue.arena.campaigns.ballots import LONGEST_REMARK, cast
from duologue.arena.campaigns.campaign import (
    all_campaigns,
    find_campaign,
    start_campaign,
    status_of,
)
from duologue.arena.campaigns.campaign_results import ratings_of, results_of
from duologue.arena.campaigns.given_files import GivenCampaign, GivenFile, propose_given
from duologue.arena.campaigns.invitation import invite_one
from duologue.arena.campaigns.kept_judge import judge_of, keep_judge
from duologue.arena.campaigns.proposal import GivenSystem
from duologue.arena.campaigns.result_page import results_to_json
from duologue.arena.campaigns.session_room import SessionRoom
from duologue.arena.campaigns.tables import campaign_volunteers
from duologue.arena.campaigns.volunteer_view import VolunteerView, volunteer_view
from duologue.arena.campaigns.volunteers import quality_of
from duologue.arena.finals.final_results import end_campaign
from duologue.arena.people.links import path_of
from duologue.arena.people.secret import new_secret
from duologue.arena.talks.offers import talkers
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.records import Record
from duologue.site.api.operation import Operation
from duologue.site.page_error import not_found
from duologue.site.pages.campaign_start import MOST_ITEMS, MOST_RATERS
from duologue.site.pages.tracks import blobs_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.site.api.operation import OperationCall

_ORGANISERS = ("organiser",)


class CampaignSummary(Record, frozen=True, kw_only=True):
    """A campaign and how far it is."""

    id: str
    title: str
    task: str
    protocol: str
    status: str
    systems: tuple[str, ...]
    progress: dict[str, Any]
    """Ratings wanted, rated, being made, and by system; of live campaigns the dialogues too."""


class SentFile(Record, frozen=True, kw_only=True):
    """A file as text."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    text: str


class NewCampaign(Record, frozen=True, kw_only=True):
    """What is to be rated: results, or systems that volunteers talk with by name."""

    protocol: str
    n: Annotated[int, Meta(ge=1, le=MOST_ITEMS)]
    task: str = ""
    title: Annotated[str, Meta(max_length=200)] = ""
    title_zh: Annotated[str, Meta(max_length=200)] = ""
    """The title on Chinese pages; empty: the same."""
    per_item: Annotated[int, Meta(ge=1, le=MOST_RATERS)] | None = None
    seed: Annotated[int, Meta(ge=0)] = 1
    whole: bool = False
    results: tuple[SentFile, ...] = ()
    gold: tuple[SentFile, ...] = ()
    input: tuple[SentFile, ...] = ()
    kb: tuple[SentFile, ...] = ()
    systems: tuple[str, ...] = ()


class KeptJudge(Record, frozen=True, kw_only=True):
    """How many scores of a judge are kept."""

    scores: int


class NewLinks(Record, frozen=True, kw_only=True):
    """How many volunteers to invite."""

    n: Annotated[int, Meta(ge=1, le=100)]


class VolunteerLink(Record, frozen=True, kw_only=True):
    """A volunteer's code, and the link, which nobody is told again."""

    code: str
    link: str


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


def operations() -> list[Operation]:
    """Return the operations."""
    one = "/campaigns/{id}"
    return [
        Operation("GET", "/campaigns", "All campaigns", everything, gives=list[CampaignSummary], roles=_ORGANISERS),
        Operation(
            "POST", "/campaigns/upload", "Start a campaign", begin, takes=NewCampaign, gives=CampaignSummary,
            roles=_ORGANISERS,
        ),
        Operation(
            "POST", f"{one}/judge/upload", "Keep a judge's scores: the bytes of the file; ?name=", take_judge,
            gives=KeptJudge, roles=_ORGANISERS,
        ),
        Operation("GET", one, "A campaign and its volunteers", progress, gives=dict[str, Any], roles=_ORGANISERS),
        Operation(
            "POST", f"{one}/links", "Invite volunteers", add_links, takes=NewLinks, gives=list[VolunteerLink],
            roles=_ORGANISERS,
        ),
        Operation("POST", f"{one}/close", "End a campaign", close, gives=CampaignSummary, roles=_ORGANISERS),
        Operation("GET", f"{one}/results", "Ranks by the rule", results, gives=dict[str, Any], roles=_ORGANISERS),
        Operation("GET", f"{one}/ratings", "All that counts", ratings, gives=list[dict[str, Any]], roles=_ORGANISERS),
        Operation("GET", "/rate/{id}", "What a volunteer does next", next_item, gives=NextItem),
        Operation(
            "POST", "/rate/{id}/items/{item}", "Rate an item, or correct a rating", rate, takes=SentBallot,
            gives=KeptBallot,
        ),
    ]  # fmt: skip


async def everything(call: OperationCall) -> list[CampaignSummary]:
    """Return all campaigns."""

    def action(connection: Connection) -> list[CampaignSummary]:
        return [_summary(connection, one) for one in all_campaigns(connection)]

    return await call.read(action)


async def begin(call: OperationCall) -> CampaignSummary:
    """Start a campaign; systems to talk with are those that the site offers."""
    wanted: NewCampaign = call.body
    offers = await run_in_threadpool(talkers, call.site.settings.workspace)
    task = wanted.task or next((one.task for one in offers if one.system in wanted.systems), "")
    known = [one.system for one in offers if one.task == task]
    for name in wanted.systems:
        if name not in known:
            raise UsageError(f"the site offers no system '{name}'{did_you_mean(name, known)}")
    asked = GivenCampaign(
        protocol=wanted.protocol, n=wanted.n, task=task, title=wanted.title, title_zh=wanted.title_zh,
        per_item=wanted.per_item, seed=wanted.seed, whole=wanted.whole, results=_files(wanted.results),
        gold=_files(wanted.gold), data=_files(wanted.input), kb=_files(wanted.kb),
        live=tuple(map(GivenSystem.of, wanted.systems)),
    )  # fmt: skip
    proposal = await run_in_threadpool(propose_given, asked)
    now, me = call.now, call.me.id

    made = await call.write(lambda connection: start_campaign(connection, **proposal._asdict(), now=now, by=me))
    return await call.read(lambda connection: _summary(connection, find_campaign(connection, made)))


async def take_judge(call: OperationCall) -> KeptJudge:
    """Keep a judge's scores beside people's."""
    campaign, blobs, name = await _campaign(call), blobs_of(call), call.asked("name", "judge.csv")
    data = await call.request.body()
    now, me = call.now, call.me.id
    kept = await call.write(
        lambda connection: keep_judge(connection, blobs, campaign, name, data, now=now, by=me),
    )
    return KeptJudge(scores=kept)


async def progress(call: OperationCall) -> dict[str, Any]:
    """Return how far a campaign is, and how well each volunteer rates."""
    campaign = await _campaign(call)

    def action(connection: Connection) -> dict[str, Any]:
        told: dict[str, Any] = msgspec.to_builtins(_summary(connection, campaign))
        told["volunteers"] = [{**one._asdict(), "careless": one.careless} for one in quality_of(connection, campaign)]
        return told

    return await call.read(action)


async def add_links(call: OperationCall) -> list[VolunteerLink]:
    """Invite volunteers."""
    campaign, wanted, now, me = await _campaign(call), call.body, call.now, call.me.id
    secrets = [new_secret() for _ in range(wanted.n)]

    def action(connection: Connection) -> list[str]:
        return [invite_one(connection, campaign, one, days=60, now=now, by=me) for one in secrets]

    codes = await call.site.write(action)
    return [VolunteerLink(code=code, link=call.base + path_of(one)) for code, one in zip(codes, secrets, strict=True)]


async def close(call: OperationCall) -> CampaignSummary:
    """End a campaign."""
    campaign, blobs, me = await _campaign(call), blobs_of(call), call.me.id
    await run_in_threadpool(end_campaign, call.site.database, blobs, campaign, by=me, nonce=call.nonce)
    return await call.read(_summary, await _campaign(call))


async def results(call: OperationCall) -> dict[str, Any]:
    """Return the results so far."""
    campaign = await _campaign(call)
    judge = await run_in_threadpool(judge_of, blobs_of(call), campaign)
    return results_to_json(await call.read(results_of, campaign, judge=judge))


async def ratings(call: OperationCall) -> list[dict[str, Any]]:
    """Return the ratings that count; raters stand there by codes."""
    campaign = await _campaign(call)
    return [one._asdict() for one in await call.read(ratings_of, campaign)]


async def next_item(call: OperationCall) -> NextItem:
    """Return what comes next for the volunteer; it waits for this person from now on."""
    campaign, now, me = await _own(call), call.now, call.me.id
    room = SessionRoom(call.language, now)
    view = await call.site.write(lambda connection: volunteer_view(connection, campaign, me, now, room))
    criteria = () if campaign.pairs else campaign.rating.criterion
    return NextItem(
        view=view,
        criteria=tuple(
            RatedCriterion(name=one.name, low=one.low, high=one.high, anchors=one.anchors) for one in criteria
        ),
        reasons=tuple(one.name for one in campaign.protocol.reason) if campaign.pairs else (),
    )


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


def _files(sent: tuple[SentFile, ...]) -> tuple[GivenFile, ...]:
    return tuple(GivenFile(one.name, one.text.encode("utf-8", "surrogatepass")) for one in sent)


def _summary(connection: Connection, campaign: Campaign) -> CampaignSummary:
    return CampaignSummary(
        id=campaign.id,
        title=campaign.title,
        task=campaign.task,
        protocol=campaign.protocol.name,
        status=campaign.status,
        systems=campaign.systems,
        progress=status_of(connection, campaign)._asdict(),
    )


async def _campaign(call: OperationCall) -> Campaign:
    try:
        return await call.read(find_campaign, call.at("id"))
    except UsageError as error:
        raise not_found() from error


async def _own(call: OperationCall) -> Campaign:
    """Return a campaign for its volunteers alone. Raises `PageError` for others."""
    campaign, me = await _campaign(call), call.me.id

    def action(connection: Connection) -> bool:
        own = campaign_volunteers.c
        query = select(own.code).where(own.campaign_id == campaign.id, own.person_id == me)
        return connection.execute(query).scalar_one_or_none() is not None

    if not await call.read(action):
        raise not_found()
    return campaign
