"""The campaign of a final: its systems are the finalists' entries, under the names of their teams."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from duologue.arena.campaigns.campaign import CampaignSettings, all_campaigns, change_settings
from duologue.arena.campaigns.campaign_protocol import campaign_protocols
from duologue.arena.campaigns.proposal import GivenSystem, propose
from duologue.arena.competition.entries import find_entry
from duologue.arena.competition.phases import finalists_of
from duologue.arena.competition.teams import teams_of
from duologue.arena.competition.tracks import find_track, lay_out
from duologue.arena.people.audit import log
from duologue.core.disk import write_scratch
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.optional_protocols import Grounded
from duologue.core.plugins import load_task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from duologue.arena.campaigns.campaign import Campaign
    from duologue.arena.campaigns.campaign_protocol import CampaignProtocol
    from duologue.arena.campaigns.proposal import Proposal
    from duologue.arena.competition.track_file import PhaseDefinition, TrackDefinition
    from duologue.arena.database.blobs import Blobs


def campaigns_of(connection: Connection, track: str, phase: str) -> list[Campaign]:
    """Return the campaigns that rate a final, the newest first: the first of them decides."""
    return [one for one in all_campaigns(connection) if (one.settings.track, one.settings.phase) == (track, phase)]


def protocol_of(track: TrackDefinition, phase: PhaseDefinition) -> CampaignProtocol:
    """Return the campaign protocol of a final: that of its rating protocol, else that of the track's task.

    Raises `UsageError` where there is none.
    """
    known = [one for one in campaign_protocols().values() if one.task in ("", track.task) and one.ratings]
    fitting = [one for one in known if not phase.protocol or one.ratings == phase.protocol]
    found = next((one for one in fitting if one.name == phase.protocol), next(iter(fitting), None))
    if found is None:
        wanted = phase.protocol or track.task
        raise UsageError(f"no campaign protocol goes with '{wanted}'; start a campaign of your own and link it")
    return found


def propose_final(
    connection: Connection,
    blobs: Blobs,
    track: TrackDefinition,
    phase: PhaseDefinition,
    folder: Path,
    *,
    n: int,
    per_item: int | None = None,
    seed: int = 1,
    live: Mapping[str, str] | None = None,
) -> Proposal:
    """Return the campaign in which people rate the finalists on `n` items of the test set that their entries answer.

    `folder` is an empty one for the files, needed until this returns. With `live`, people talk with systems instead: by
    the name of each team what its talks are started with. Raises `UsageError` where nobody is in the final; else as
    `propose`.
    """
    _expect_final(phase)
    inside = finalists_of(connection, track.name, phase.name)
    if not inside:
        raise UsageError(
            f"nobody is in the final '{phase.name}' yet; it fills when the phase before is over, or by hand"
        )
    protocol = protocol_of(track, phase)
    title, title_zh = track.titles(phase)
    settings = CampaignSettings(
        per_item=per_item or protocol.per_item,
        check_every=protocol.check_every,
        seed=seed,
        track=track.name,
        phase=phase.name,
        title_zh=title_zh,
    )
    places = {one.name: -float(one.place) for one in inside}  # of too many the first enter
    if live is not None:
        _expect_teams(live, [one.name for one in inside])
        systems = [GivenSystem(name, source) for name, source in live.items()]
        return propose(protocol, systems, n=n, task=track.task, automatic=places, settings=settings, title=title)
    source = find_entry(connection, inside[0].entry).phase
    files = lay_out(connection, blobs, track.name, source, folder / "track")
    given = []
    for number, one in enumerate(inside):
        entry = find_entry(connection, one.entry)
        path = folder / str(number) / entry.file_name
        write_scratch(path, blobs.read(entry.sha256))
        given.append(GivenSystem(one.name, str(path)))
    task = load_task(track.task)
    kb = next(iter(files["kb"]), None)
    return propose(
        protocol,
        given,
        n=n,
        task=track.task,
        golds=[Path(one) for one in files["gold"]],
        data=Path(files["input"][0]) if len(files["input"]) == 1 else None,
        world=task.world(Path(kb)) if kb and isinstance(task, Grounded) else None,
        automatic=places,
        settings=settings,
        title=title,
    )


def link_campaign(
    connection: Connection,
    campaign: Campaign,
    track: TrackDefinition,
    phase: PhaseDefinition,
    *,
    now: int,
    by: str | None = None,
) -> None:
    """Let a campaign that was started by itself rate a final, and log who did.

    Raises `UsageError` for pairs, another rating protocol than the final's, and systems that are no teams of the track.
    """
    _expect_final(phase)
    if campaign.pairs:
        raise UsageError("a final is decided by ratings on the protocol's scale; this campaign compares pairs")
    if phase.protocol and campaign.rating.name != phase.protocol:
        raise UsageError(
            f"the final '{phase.name}' is rated by {phase.protocol}, the campaign by {campaign.rating.name}"
        )
    rated = [name for name in campaign.systems if name != campaign.rating.reference]
    _expect_teams(rated, [one.name for one in teams_of(connection, track.name)])
    change_settings(connection, campaign.id, track=track.name, phase=phase.name)
    log(connection, by, "final.link", now=now, about=campaign.id, track=track.name)


def final_of(connection: Connection, campaign: Campaign) -> tuple[TrackDefinition, PhaseDefinition] | None:
    """Return the final that a campaign rates, with its track; `None` for none."""
    if not campaign.settings.track:
        return None
    track = find_track(connection, campaign.settings.track)
    return track, track.phase(campaign.settings.phase)


def _expect_final(phase: PhaseDefinition) -> None:
    if phase.kind != "human":
        raise UsageError(f"the phase '{phase.name}' is not rated by people (kind = \"human\")")


def _expect_teams(names: Mapping[str, str] | list[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            raise UsageError(f"'{name}' is no team there{did_you_mean(name, known)}; call each system as its team")
