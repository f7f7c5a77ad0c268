"""A campaign of files that came over the network: laid out in a folder for the time in which they are read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.arena.campaigns.campaign import CampaignSettings
from duologue.arena.campaigns.campaign_protocol import campaign_protocols
from duologue.arena.campaigns.proposal import GivenSystem, propose
from duologue.core.disk import temporary_folder, write_scratch
from duologue.core.errors import DuologueError, NoSpaceError, UsageError, did_you_mean
from duologue.core.escapes import last_part
from duologue.core.optional_protocols import Grounded
from duologue.core.plugins import load_task

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.arena.campaigns.proposal import Proposal
    from duologue.core.protocols import World

_STRANGE = re.compile(r"[^\w.\-]")


class GivenFile(NamedTuple):
    """A file that somebody sent."""

    name: str
    """As the sender calls it: nothing of it but its last part is used, for messages and the name of a system."""
    data: bytes


class GivenCampaign(NamedTuple):
    """What somebody wants to have rated."""

    protocol: str
    n: int
    task: str = ""
    title: str = ""
    title_zh: str = ""
    per_item: int | None = None
    overlap: float = 1.0
    seed: int = 1
    whole: bool = False
    """Whether the results are whole dialogues."""
    results: tuple[GivenFile, ...] = ()
    gold: tuple[GivenFile, ...] = ()
    data: tuple[GivenFile, ...] = ()
    """The data that were answered: one file, or none."""
    kb: tuple[GivenFile, ...] = ()
    live: tuple[GivenSystem, ...] = ()
    """Systems that people talk with, instead of results."""


def propose_given(asked: GivenCampaign) -> Proposal:
    """Return a campaign that can be started.

    Raises `UsageError` for a protocol that is not known, for no system and for files and live systems together; else
    as `propose`. What it says of files names no folder of this machine.
    """
    known = campaign_protocols()
    if asked.protocol not in known:
        raise UsageError(f"there is no campaign protocol '{asked.protocol}'{did_you_mean(asked.protocol, known)}")
    if bool(asked.results) == bool(asked.live):
        raise UsageError("give result files, or systems that people talk with, and not both")
    protocol = known[asked.protocol]
    settings = CampaignSettings(
        per_item=asked.per_item or protocol.per_item,
        check_every=protocol.check_every,
        seed=asked.seed,
        overlap=asked.overlap,
        title_zh=asked.title_zh,
    )
    with temporary_folder() as folder:
        try:
            results = [
                GivenSystem(one.name.partition(".")[0], str(one)) for one in _lay(folder / "results", asked.results)
            ]
            kb, data = _lay(folder / "kb", asked.kb), _lay(folder / "data", asked.data)
            task = protocol.task or asked.task
            return propose(
                protocol,
                results or asked.live,
                n=asked.n,
                task=asked.task or None,
                golds=_lay(folder / "truth", asked.gold),
                data=data[0] if data else None,
                world=_world(task, kb[0]) if kb else None,
                whole=asked.whole,
                settings=settings,
                title=asked.title,
            )
        except NoSpaceError:  # no fault of the files
            raise
        except DuologueError as error:
            raise UsageError(str(error).replace(f"{folder}/", "")) from error


def _lay(folder: Path, files: Sequence[GivenFile]) -> list[Path]:
    """Write files under the last part of their names."""
    found: list[Path] = []
    for one in files:
        path = folder / (_STRANGE.sub("_", last_part(one.name)).lstrip(".") or "file")
        if path in found:
            raise UsageError(f"two files are called {path.name}; give each its own name")
        write_scratch(path, one.data)
        found.append(path)
    return found


def _world(name: str, path: Path) -> World:
    if not name:
        raise UsageError("say which task it is; the knowledge base is that of a task")
    task = load_task(name)
    if not isinstance(task, Grounded):
        raise UsageError(f"{name} has no knowledge base; leave the file out")
    return task.world(path)
