"""Campaigns over the API, for organisers: started, watched, normed, ended, with their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta
from starlette.concurrency import run_in_threadpool

from duologue.arena.campaigns.campaign import (
    all_campaigns,
    find_campaign,
    reopen_campaign,
    start_campaign,
    status_of,
)
from duologue.arena.campaigns.campaign_results import ratings_of, results_of
from duologue.arena.campaigns.given_files import GivenCampaign, GivenFile, propose_given
from duologue.arena.campaigns.invitation import invite_one
from duologue.arena.campaigns.kept_judge import judge_of, keep_judge
from duologue.arena.campaigns.norm_round import advance, open_round, open_round_of
from duologue.arena.campaigns.proposal import GivenSystem
from duologue.arena.campaigns.result_page import results_to_json
from duologue.arena.campaigns.volunteers import enrol, quality_of
from duologue.arena.finals.final_results import end_campaign
from duologue.arena.people.links import VOLUNTEER_DAYS, path_of
from duologue.arena.talks.offers import talk_offers
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.records import Record
from duologue.site.api.operation import Operation, QueryParameter
from duologue.site.page_error import not_found
from duologue.site.pages.campaign_start import MAX_ITEMS, MAX_RATERS
from duologue.site.pages.campaigns import MAX_NORMED
from duologue.site.pages.rate import JOINERS
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
    n: Annotated[int, Meta(ge=1, le=MAX_ITEMS)]
    task: str = ""
    title: Annotated[str, Meta(max_length=200)] = ""
    title_zh: Annotated[str, Meta(max_length=200)] = ""
    """The title on Chinese pages; empty: the same."""
    per_item: Annotated[int, Meta(ge=1, le=MAX_RATERS)] | None = None
    overlap: Annotated[float, Meta(ge=0, le=1)] = 1.0
    """Share of the items that so many people rate; the others have one rater."""
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 1
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


class NormingStep(Record, frozen=True, kw_only=True):
    """`items` opens a norming round with so many; without, the open round is brought on."""

    items: Annotated[int, Meta(ge=1, le=MAX_NORMED)] | None = None


class NormingRound(Record, frozen=True, kw_only=True):
    """A norming round as its organiser sees it."""

    number: int
    state: str
    """`vote`, `discuss`, `revote` or `closed`."""
    items: int


class JoinedCampaign(Record, frozen=True, kw_only=True):
    """The code by which one's ratings are known."""

    code: str


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
            "POST", f"{one}/judge/upload", "Keep a judge's scores, the file as it is", take_judge, takes=bytes,
            gives=KeptJudge, roles=_ORGANISERS, asks=(QueryParameter("name", "What the file is called."),),
        ),
        Operation("GET", one, "A campaign and its volunteers", progress, gives=dict[str, Any], roles=_ORGANISERS),
        Operation(
            "POST", f"{one}/links", "Invite volunteers", add_links, takes=NewLinks, gives=list[VolunteerLink],
            roles=_ORGANISERS,
        ),
        Operation("POST", f"{one}/join", "Rate too", join, gives=JoinedCampaign, roles=JOINERS),
        Operation(
            "POST", f"{one}/norm", "Open a norming round, or bring it on", norm, takes=NormingStep, gives=NormingRound,
            roles=_ORGANISERS,
        ),
        Operation("POST", f"{one}/close", "End a campaign", close, gives=CampaignSummary, roles=_ORGANISERS),
        Operation("POST", f"{one}/reopen", "Let it go on", reopen, gives=CampaignSummary, roles=_ORGANISERS),
        Operation("GET", f"{one}/results", "Ranks by the rule", results, gives=dict[str, Any], roles=_ORGANISERS),
        Operation("GET", f"{one}/ratings", "All that counts", ratings, gives=list[dict[str, Any]], roles=_ORGANISERS),
    ]  # fmt: skip


async def everything(call: OperationCall) -> list[CampaignSummary]:
    """Return all campaigns."""

    def action(connection: Connection) -> list[CampaignSummary]:
        return [_summary(connection, one) for one in all_campaigns(connection)]

    return await call.read(action)


async def begin(call: OperationCall) -> CampaignSummary:
    """Start a campaign; systems to talk with are those that the site offers."""
    wanted: NewCampaign = call.body
    offers = await run_in_threadpool(talk_offers, call.site.settings.workspace)
    task = wanted.task or next((one.task for one in offers if one.system in wanted.systems), "")
    known = [one.system for one in offers if one.task == task]
    for name in wanted.systems:
        if name not in known:
            raise UsageError(f"the site offers no system '{name}'{did_you_mean(name, known)}")
    asked = GivenCampaign(
        protocol=wanted.protocol, n=wanted.n, task=task, title=wanted.title, title_zh=wanted.title_zh,
        per_item=wanted.per_item, overlap=wanted.overlap, seed=wanted.seed, whole=wanted.whole,
        results=_files(wanted.results), gold=_files(wanted.gold), data=_files(wanted.input), kb=_files(wanted.kb),
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
    me = call.me.id
    kept = await run_in_threadpool(keep_judge, call.database, blobs, campaign, name, data, by=me, nonce=call.nonce)
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
    secrets = [call.secret(number) for number in range(wanted.n)]

    def action(connection: Connection) -> list[str]:
        return [invite_one(connection, campaign, one, days=VOLUNTEER_DAYS, now=now, by=me) for one in secrets]

    codes = await call.write(action)
    return [VolunteerLink(code=code, link=call.base + path_of(one)) for code, one in zip(codes, secrets, strict=True)]


async def close(call: OperationCall) -> CampaignSummary:
    """End a campaign."""
    campaign, blobs, me = await _campaign(call), blobs_of(call), call.me.id
    await run_in_threadpool(end_campaign, call.database, blobs, campaign, by=me, nonce=call.nonce)
    return await call.read(_summary, await _campaign(call))


async def reopen(call: OperationCall) -> CampaignSummary:
    """Let a campaign go on."""
    campaign, now, me = await _campaign(call), call.now, call.me.id
    await call.write(lambda connection: reopen_campaign(connection, campaign, now, by=me))
    return await call.read(_summary, await _campaign(call))


async def join(call: OperationCall) -> JoinedCampaign:
    """Let an organiser or a judge rate too."""
    campaign, now, me = await _campaign(call), call.now, call.me.id
    return JoinedCampaign(code=await call.write(lambda connection: enrol(connection, campaign, me, now)))


async def norm(call: OperationCall) -> NormingRound:
    """Open a norming round, or bring the open one on."""
    campaign, n, now, me = await _campaign(call), call.body.items, call.now, call.me.id

    def action(connection: Connection) -> list[Any]:
        if n is not None:
            found = open_round(connection, campaign, n, now, by=me)
        else:
            found = advance(connection, open_round_of(connection, campaign), now, by=me)
        return [found.number, found.state, len(found.units)]

    number, state, items = await call.write(action)
    return NormingRound(number=number, state=state, items=items)


async def results(call: OperationCall) -> dict[str, Any]:
    """Return the results so far."""
    campaign = await _campaign(call)
    judge = await run_in_threadpool(judge_of, blobs_of(call), campaign)
    return results_to_json(await call.read(results_of, campaign, judge=judge))


async def ratings(call: OperationCall) -> list[dict[str, Any]]:
    """Return the ratings that count; raters stand there by codes."""
    campaign = await _campaign(call)
    return [one._asdict() for one in await call.read(ratings_of, campaign)]


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
