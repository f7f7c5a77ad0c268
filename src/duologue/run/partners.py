"""Systems as live partners, for the terminal and the site alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.capabilities import lacking_capability
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Conversable, Paired
from duologue.core.plugins import load_task
from duologue.core.protocols import Trainable
from duologue.core.recipe import read_toml, to_overrides
from duologue.endpoints.secret import Secret
from duologue.run.systems import demand_none_by_hand, has_to_learn, is_model, open_system, recipe_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from duologue.core.optional_protocols import Partner
    from duologue.core.protocols import System, Task, World

    class ConversableTask(Task, Conversable, Protocol):
        """A task whose systems can be talked to."""


_ASKED_LIVE = {"cache": "", "tries": 1, "omit": ["max_tokens", "seed", "temperature"]}
"""Settings of an address that is opened as a system: as `ChatEndpoint` asks, which keeps no calls, leaves to the server
how its model writes, and tells at once what went wrong."""


def is_address(system: str) -> bool:
    """Whether the name of a system is the address of a chat endpoint."""
    return system.startswith(("http://", "https://"))


def systems_lead(task: Task) -> bool:
    """Whether the systems of a task speak first, to a goal of their own: they must be told more than the talk."""
    return isinstance(task, Paired) and task.pair_first == "system"


def conversable(task: str) -> ConversableTask:
    """Return the task of a name. Raises `UsageError` where its systems cannot be talked to."""
    loaded = load_task(task)
    if not isinstance(loaded, Conversable):
        raise lacking_capability(task, "Conversable")
    return loaded


def open_live_system(
    task: ConversableTask, name: str | None, recipe: Path | None = None, overrides: Sequence[str] = ()
) -> System:
    """Return the system of a name, or the task's default. Raises `UsageError` without either, and as `open_system`.

    Where systems lead, the address of a chat endpoint is asked as the system `endpoint` asks, with the task's prompt:
    the model is told goal and knowledge. Raises then as `ChatEndpoint`, which says what model there is where none is
    named.
    """
    name = name or task.default_system
    if is_address(name) and systems_lead(task):
        if recipe is not None or overrides:
            raise _asked_as_it_stands(name)
        return open_system(task, "endpoint", None, _settings_of(name))
    if not name:
        raise UsageError(
            f"say whom to talk to in task '{task.info.name}': --system NAME (duologue list) or a model's folder"
        )
    return open_system(task, name, recipe, overrides)


class KeptSystem(NamedTuple):
    """A system as it is opened at any later time, from any folder."""

    system: str
    """A registered name, the folder of a model, or the address of a chat endpoint."""
    settings: tuple[str, ...] = ()
    """Of its recipe, as KEY=VALUE."""


def kept_system(
    task: ConversableTask,
    name: str | None,
    recipe: Path | None = None,
    overrides: Sequence[str] = (),
    *,
    by_hand: bool = True,
) -> KeptSystem:
    """Return a system, or the task's default, as it can be kept; what a recipe's file says is among its settings.

    What would be told to the first who talks is told now. `by_hand`: whoever gives the overrides runs the site; else
    `UsageError` is raised as `demand_none_by_hand` does. It is raised, too, for an address that is none, or with a
    password in it, which would be kept; for settings beside it, which it does not have; for settings with the
    endpoint's key in them; for a system that has to learn first; and as `open_live_system` does.
    """
    if name is not None and is_address(name):
        from duologue.endpoints.chat_endpoint import base_of  # needs httpx

        base_of(name.partition("#")[0])
        if recipe is not None or overrides:
            raise _asked_as_it_stands(name)
        return KeptSystem(name)
    called = name or task.default_system
    settings = (*_of_file(called, recipe), *overrides)
    Secret.of_environment().demand_apart_from({f"--set {one.partition('=')[0]}": one for one in settings})
    if not by_hand:
        demand_none_by_hand(called, overrides)
    system = open_live_system(task, name, recipe, overrides)
    if is_model(called):
        return KeptSystem(str(Path(called).absolute()))
    if isinstance(system, Trainable):
        raise has_to_learn(called)
    return KeptSystem(called, settings)


def _settings_of(address: str) -> list[str]:
    """Return the recipe of the system `endpoint` for an address with its model, as overrides."""
    from duologue.endpoints.chat_endpoint import ChatEndpoint  # needs httpx

    url, _, model = address.partition("#")
    with ChatEndpoint(url, model or None) as there:
        model = there.model
    return to_overrides({"url": url, "model": model, **_ASKED_LIVE})


def _asked_as_it_stands(address: str) -> UsageError:
    return UsageError(
        f"{address} is asked as it stands; leave --recipe and --set out, or give --system endpoint --set url=URL "
        "--set model=NAME"
    )


def _of_file(name: str, recipe: Path | None) -> list[str]:
    """Return what a recipe's file says as overrides; a model has none, which `open_system` tells."""
    return [] if recipe is None or is_model(name) else to_overrides(read_toml(recipe_file(name, recipe)))


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
    """Return a system of a task as a partner of its own. Raises as `conversable` and `open_live_system` do.

    A knowledge base that is read already is taken by tasks that are `Grounded`.
    """
    loaded = conversable(task)
    return loaded.partner(open_live_system(loaded, name, recipe, overrides), place, seed=seed, lang=lang, name=called)
