"""Systems as live partners, for the terminal and the site alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.capabilities import lacking_capability
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Conversable
from duologue.core.plugins import load_task
from duologue.run.systems import open_system

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Protocol

    from duologue.core.optional_protocols import Partner
    from duologue.core.protocols import System, Task, World

    class ConversableTask(Task, Conversable, Protocol):
        """A task whose systems can be talked to."""


def is_address(system: str) -> bool:
    """Whether the name of a system is the address of a chat endpoint."""
    return system.startswith(("http://", "https://"))


def conversable(task: str) -> ConversableTask:
    """Return the task of a name. Raises `UsageError` where its systems cannot be talked to."""
    loaded = load_task(task)
    if not isinstance(loaded, Conversable):
        raise lacking_capability(task, "Conversable")
    return loaded


def open_talker(
    task: ConversableTask, name: str | None, recipe: Path | None = None, overrides: Sequence[str] = ()
) -> System:
    """Return the system of a name, or the task's default. Raises `UsageError` without either, and as `open_system`."""
    name = name or task.default_system
    if not name:
        raise UsageError(
            f"say whom to talk to in task '{task.info.name}': --system NAME (duologue list) or a model's folder"
        )
    return open_system(task, name, recipe, overrides)


def open_partner(
    task: str,
    name: str | None,
    place: Path | World | None,
    recipe: Path | None = None,
    overrides: Sequence[str] = (),
    *,
    seed: int,
    lang: str,
    called: str,
) -> Partner:
    """Return a system of a task as a partner of its own. Raises as `conversable` and `open_talker` do.

    A knowledge base that is read already is taken by tasks that are `Grounded`.
    """
    loaded = conversable(task)
    return loaded.partner(open_talker(loaded, name, recipe, overrides), place, seed=seed, lang=lang, name=called)
