"""A campaign before it starts: what is asked for, held against its protocol, with all its items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.arena.campaigns.campaign import CampaignSettings, start_campaign
from duologue.arena.campaigns.campaign_protocol import CampaignProtocol, campaign_protocols
from duologue.arena.campaigns.material import Material, material_of_files, material_of_scenes
from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.judges.judge_texts import load_texts
from duologue.judges.results import JudgedFiles
from duologue.ratings.protocol import RatingProtocol, find_protocol
from duologue.run.partners import conversable, is_address, kept_system, open_live_system, systems_lead

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.arena.database.database import Database
    from duologue.core.protocols import Task, World
    from duologue.run.partners import ConversableTask


class GivenSystem(NamedTuple):
    """A system that is to be rated."""

    name: str
    """What the results call it; volunteers never see it."""
    source: str
    """Its result file, or what a talk with it is started with: a registered name, a model folder, an endpoint."""

    @classmethod
    def of(cls, word: str) -> GivenSystem:
        """Return the system of NAME=SOURCE, or of SOURCE alone."""
        name, mark, source = word.partition("=")
        if not mark:
            return cls(Path(word).name.partition(".")[0] or word, word)
        if not name.strip() or not source.strip():
            raise UsageError(f"'{word}' is no system; give NAME=RESULT_FILE, or NAME=SYSTEM for people to talk with")
        return cls(name.strip(), source.strip())


class Proposal(NamedTuple):
    """A campaign that can be started."""

    task: str
    protocol: CampaignProtocol
    rating: RatingProtocol
    material: Material
    settings: CampaignSettings
    title: str

    def start(self, database: Database) -> str:
        """Write it into a database and return its id. Raises as `start_campaign`."""
        return database.write(
            lambda connection: start_campaign(connection, **self._asdict(), now=database.now()),
        )


def propose(
    protocol: CampaignProtocol,
    systems: Sequence[str | GivenSystem],
    *,
    n: int,
    task: str | None = None,
    golds: Sequence[Path] = (),
    data: Path | None = None,
    world: World | None = None,
    whole: bool = False,
    place: Path | None = None,
    automatic: Mapping[str, float] | None = None,
    settings: CampaignSettings,
    title: str = "",
) -> Proposal:
    """Return a campaign of a protocol over `n` items, drawn by the seed.

    `systems` are NAME=SOURCE: all result files, or all systems that people talk with, in `n` scenes that are drawn from
    `place` (a file of goals or knowledge; `None`: built in). `automatic` has scores by system: where more are given
    than enter, the best do. Raises `UsageError` for what does not go together; else as `material_of_files`.
    """
    loaded = _task_of(protocol, task)
    if not protocol.ratings or protocol.unit == "pair":
        own = _own_of(loaded.info.name, protocol)
        sees = protocol.talker_sees or own.talker_sees
        protocol = msgspec.structs.replace(protocol, ratings=protocol.ratings or own.ratings, talker_sees=sees)
    rating = find_protocol(protocol.ratings)
    named = [GivenSystem.of(one) if isinstance(one, str) else one for one in systems]
    given = _entered(named, protocol, automatic)
    files = [one for one in given if Path(one.source).is_file()]
    if files and len(files) < len(given):
        other = next(one for one in given if one not in files)
        raise UsageError(f"'{other.source}' is no file; give all systems as NAME=RESULT_FILE, or none")
    title = title or f"{protocol.name}: {loaded.info.name}"
    if files:
        if place is not None:
            raise UsageError("result files are rated as they are: leave --goals out, which is where people talk")
        unit = "dialogue" if whole or protocol.unit == "dialogue" else _unit_of(loaded, protocol)
        judged = JudgedFiles(
            tuple(Path(one.source) for one in files), tuple(one.name for one in files), tuple(golds), data, whole
        )
        bare = msgspec.structs.replace(rating, reference="") if protocol.unit == "pair" else rating
        material = material_of_files(loaded, judged, bare, unit, n=n, seed=settings.seed, world=world)
        return Proposal(
            loaded.info.name, msgspec.structs.replace(protocol, live=False), rating, material, settings, title
        )
    if not protocol.live:
        raise UsageError(f"'{given[0].source}' is no file; {protocol.name} rates result files: give NAME=RESULT_FILE")
    talked = conversable(loaded.info.name)
    sources = {}
    for one in given:
        sources[one.name] = kept_system(talked, one.source).system
    if golds or data is not None or whole or world is not None:
        raise UsageError(
            "people talk with these systems: leave --gold, --input, --kb and --whole out, or give result files"
        )
    _demand_scenes(talked, protocol, list(sources.values()), place, settings.seed)
    scenes = [_scene(settings.seed + number, place) for number in range(n)]
    material = material_of_scenes(scenes, [one.name for one in given])
    told = {name: source for name, source in sources.items() if source != name}
    settings = msgspec.structs.replace(settings, sources=told)
    return Proposal(loaded.info.name, protocol, rating, material, settings, title)


def _demand_scenes(
    task: ConversableTask, protocol: CampaignProtocol, sources: Sequence[str], place: Path | None, seed: int
) -> None:
    """Raise what opening the first talk raises, and `UsageError` where nobody would have the goal card to talk by."""
    openable = [one for one in sorted(sources, key=is_address) if systems_lead(task) or not is_address(one)]
    here = task.default_system or next(iter(openable), "")
    if not here:
        return
    partner = task.partner(open_live_system(task, here), place, seed=seed, lang="en", name="first")
    if "goal" in protocol.talker_sees and not partner.goal_card():
        raise UsageError(
            f"'{place}' allows no goal cards, by which people talk in {protocol.name}; give another file to draw from"
        )


def _scene(seed: int, place: Path | None) -> str:
    """Return what a talk is set in, as talks write it: a seed, and the file that is drawn from."""
    return str(seed) if place is None else f"{seed}@{place.absolute()}"


def _task_of(protocol: CampaignProtocol, task: str | None) -> Task:
    if protocol.task and task not in (None, protocol.task):
        raise UsageError(f"{protocol.name} rates systems of {protocol.task}, not of {task}")
    name = protocol.task or task
    if name is None:
        raise UsageError(f"{protocol.name} is for any task: say which with --task")
    return load_task(name)


def _own_of(task: str, protocol: CampaignProtocol) -> CampaignProtocol:
    """Return the task's own campaign protocol, for one that is for any task."""
    own = next((one for one in campaign_protocols().values() if one.task == task and one.ratings), None)
    if own is not None:
        return own
    if protocol.ratings:
        return protocol
    raise UsageError(f"no rating protocol is known of {task}; a campaign protocol of your own names one (ratings)")


def _unit_of(task: Task, protocol: CampaignProtocol) -> str:
    return load_texts(task).texts.unit if protocol.unit == "pair" else protocol.unit


def _entered(
    given: Sequence[GivenSystem], protocol: CampaignProtocol, automatic: Mapping[str, float] | None
) -> list[GivenSystem]:
    """Return the systems that enter: all, or the best by their automatic scores where there are too many."""
    names = [one.name for one in given]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"two systems are called '{twice[0]}'; give each its own name: NAME=SOURCE")
    if automatic is None or not protocol.enter or len(given) <= protocol.enter:
        return list(given)
    lacking = [name for name in names if name not in automatic]
    if lacking:
        raise UsageError(f"'{lacking[0]}' has no automatic score, by which the {protocol.enter} best enter")
    return sorted(given, key=lambda one: (-automatic[one.name], one.name))[: protocol.enter]
