"""Plug-ins: tasks and systems found through entry points, ours and other packages'.

Looking for names reads only the metadata of the installed packages; nothing is imported before a name is
asked for. A trained system is a folder: what it learned, and a `system.toml` that says what made it.
"""

from __future__ import annotations

import ast
import sys
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import EntryPoint
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import msgspec

from duologue.core.definitions import defined_in, source_of, summary
from duologue.core.disk import write_text
from duologue.core.entry_points import registered
from duologue.core.errors import DuologueError, PlugInError, StorageError, UsageError, did_you_mean
from duologue.core.extras import OURS, extra_with, lacking, missing_library
from duologue.core.identity import files_of_model, packages
from duologue.core.protocols import System, Task, TaskInfo, Trainable
from duologue.core.recipe import dump, from_table, read_toml, recipe_hash, resolve, to_table
from duologue.core.records import Record
from duologue.core.scope import Scope
from duologue.core.typed import convert
from duologue.core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Kind = Literal["tasks", "systems", "commands", "prompts", "user_prompts", "linearizations", "loggers"]
"""What a package may register, in an entry-point group such as `duologue.tasks`."""
KINDS: tuple[Kind, ...] = ("tasks", "systems", "commands", "prompts", "user_prompts", "linearizations", "loggers")

CARD = "system.toml"
"""The file that makes a folder a trained system."""

_NO_PART = (CARD, "training.")
"""How the names of files begin that lie in a model's folder and that no system loads: what the training left."""

_TASK_METHODS = (
    *("load", "load_files", "load_training", "rows", "rounds", "read", "write", "answers", "check", "score", "metrics"),
    *("data_sets", "test_set", "replay_check"),
)
_SYSTEM_METHODS = {"prepare": ("info", "seed", "worlds"), "answer": ("samples",)}
"""What every system has, with what each is called with."""
_PROMPT_METHODS = ("prepare", "messages", "shot", "schema", "read", "read_order", "read_choice", "empty")


class Entry(Record, frozen=True, kw_only=True):
    """One registered name."""

    kind: str
    """One of `KINDS`."""
    name: str
    target: str
    """Where the class or command is: `package.module:name`."""
    distribution: str
    """The package that registers it, as pip names it."""
    version: str


class SystemCard(Record, frozen=True, kw_only=True):
    """What the `system.toml` of a trained system says."""

    system: str
    """Registered name of the system."""
    distribution: str
    """The package that registers it."""
    version: str
    """Version of that package when the model was saved."""
    duologue: str = ""
    """Version of duologue when the model was saved."""
    task: str
    """The task it was trained for."""
    seed: int
    data: str
    """Where the training data came from, in words or as a hash."""
    data_hash: str
    """Hash of the training data."""
    world_hash: str = ""
    """Hash of the knowledge bases at hand in training; empty where there were none."""
    sketch: str = ""
    """Hash of the sketch of the training data that lies beside the card."""
    external: list[str] | None = None
    """Data that are not the challenge's own and that the system learned from, by name; `None`: not declared."""
    files: dict[str, str] = {}
    """Hash of each file of the folder but this one, by its name: what is damaged is told before it is read."""
    recipe_hash: str
    recipe: dict[str, Any] = {}
    """The resolved recipe."""


class Described(NamedTuple):
    """What a registered class says of itself."""

    about: str
    """First line of its docstring."""
    scope: Scope
    """Which tasks it serves; open for a task, and for a system that does not say."""
    extras: tuple[str, ...]
    """Extras of its package that it needs."""


def entries(kind: Kind) -> list[Entry]:
    """Return everything that is registered, by name and then by distribution; nothing is imported."""
    return [
        Entry(kind=kind, name=point.name, target=point.value, distribution=distribution, version=version)
        for point, distribution, version in registered(f"duologue.{kind}")
    ]


def names(kind: Kind) -> list[str]:
    """Return the registered names, sorted; nothing is imported."""
    return sorted({one.point.name for one in registered(f"duologue.{kind}")})


def describe(entry: Entry) -> Described:
    """Return what the class of an entry says of itself, read from its source: nothing is imported.

    A class that its module only imports from elsewhere, or that may have a declaration from another class, is
    loaded for it. Raises as `load_task` does.
    """
    kind: Kind = "tasks" if entry.kind == "tasks" else "systems"
    text = source_of(entry.target)
    read = None if text is None else _written_out(text, entry.target.partition(":")[2], kind)
    if read is not None:
        return read
    found = _load_class(kind, entry.name, _TASK_METHODS if kind == "tasks" else tuple(_SYSTEM_METHODS))
    if kind == "systems" and (wrong := _wrongly_declared(found)):
        raise PlugInError(f"{_told(entry)}: {found.__name__}{wrong}")
    about = (found.__doc__ or "").strip().partition("\n")[0]
    return Described(about, scope_of(found), tuple(getattr(found, "extras", ())))


@lru_cache(maxsize=256)
def _written_out(source: str, name: str, kind: Kind) -> Described | None:
    """Return what the source of a class says; `None` where it cannot be told from it alone."""
    node = defined_in(source, name)
    if not isinstance(node, ast.ClassDef):
        return None
    about = summary(node)
    values: dict[str, ast.expr | None] = {}
    for one in node.body:
        if isinstance(one, ast.Assign | ast.AnnAssign):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            values |= {target.id: one.value for target in targets if isinstance(target, ast.Name)}
    if kind == "tasks":
        return Described(about, Scope(), ())
    if node.bases and not {"scope", "extras"} <= values.keys():
        return None  # they may be those of the class that it is made from
    try:
        scope, extras = values.get("scope"), values.get("extras")
        told = {}
        if isinstance(scope, ast.Call):
            told = {one.arg: ast.literal_eval(one.value) for one in scope.keywords if one.arg}
        elif scope is not None:
            return None
        needed = ast.literal_eval(extras) if extras is not None else ()
        return Described(about, convert(told, Scope), convert(needed, tuple[str, ...]))
    except (ValueError, msgspec.ValidationError):
        return None


def scope_of(system: object) -> Scope:
    """Return the scope that a system or its class declares; one that declares none serves every task."""
    scope = getattr(system, "scope", None)
    return scope if isinstance(scope, Scope) else Scope()


def demand_fit(name: str, info: TaskInfo) -> None:
    """Raise `UsageError` where the registered system `name` does not serve a task, with a list of those that do.

    Raises as `load_task` does.
    """
    why = scope_of(load_system_class(name)).refusal(info)
    if why:
        others = ", ".join(_systems_for(info)) or "none that is installed"
        raise UsageError(f"system '{name}' does not serve task '{info.name}': {why}; systems that do: {others}")


def demand_extras(name: str, system: System) -> None:
    """Raise `MissingExtraError` where a library that a system needs is not installed.

    A class says what it needs as `extras = ("models",)`, extras of its own package; an object may say otherwise, where
    its recipe needs less.
    """
    owner = _entry("systems", name).distribution
    for extra in getattr(system, "extras", ()):
        for library in lacking(extra, owner):
            raise missing_library(library, extra, owner, what=f"the system '{name}'")


def _systems_for(info: TaskInfo) -> list[str]:
    """Return the names of the systems that serve a task; those that cannot be read are left out."""
    found = []
    for entry in entries("systems"):
        try:
            told = describe(entry)
        except DuologueError:
            continue
        if not told.scope.refusal(info):
            found.append(entry.name)
    return found


def load_task(name: str) -> Task:
    """Return the task of that name, ready for use.

    Raises `UsageError` for an unknown name, `PlugInError` for a package that is broken, claims a name
    that another package has, or does not keep the `Task` protocol, and `MissingExtraError` where an
    optional library is missing.
    """
    cls = _load_class("tasks", name, _TASK_METHODS)
    try:
        task = cls()
    except DuologueError:
        raise
    except Exception as error:
        raise PlugInError(f"{_owner('tasks', name)}: {cls.__name__}() fails: {_cause(error)}") from error
    if not isinstance(task, Task):  # the methods are there, so it is the task info
        raise PlugInError(f"{_owner('tasks', name)}: {cls.__name__} has no attribute 'info'")
    if wrong := _unlike_an_info(task.info, name):
        raise PlugInError(f"{_owner('tasks', name)}: {cls.__name__}.info{wrong}")
    return task


def _unlike_an_info(info: object, name: str) -> str:
    """Return what of a task's info is not as the commands take it; empty where all is."""
    if not isinstance(info, TaskInfo):
        return f" must be a `TaskInfo`, found {info!r:.80}"
    if info.name != name:
        return f".name is '{info.name}', but it is registered as '{name}'; reports name a task as it is registered"
    if not _is_of_names(info.variants) or not info.variants:
        return f".variants must be a tuple of names of score variants, the default first, found {info.variants!r}"
    return ""


def challenges() -> dict[str, list[str]]:
    """Return the names of the tasks of each challenge: `mobilecs` has `mobilecs/dialogue` and `mobilecs/extraction`."""
    found: dict[str, list[str]] = {}
    for name in names("tasks"):
        found.setdefault(name.partition("/")[0], []).append(name)
    return found


def load_sharing_task(name: str, shared: str) -> Task:
    """Return the task of that name; of a challenge's name, the first of its tasks where all share what is wanted.

    Tasks of one challenge are called `<challenge>/<task>`. They share their data, say, when their classes have the very
    same object under the attribute `shared`. Raises `UsageError` where they do not, and as `load_task` does.
    """
    parts = challenges().get(name, [])
    if name in parts or not parts:
        return load_task(name)
    loaded = [load_task(one) for one in parts]
    kept = [getattr(task, shared, None) for task in loaded]
    if any(one is None or one is not kept[0] for one in kept):
        raise UsageError(f"the tasks of '{name}' do not share this; name one: {', '.join(parts)}")
    return loaded[0]


def load_system_class(name: str) -> type[System]:
    """Return the class of the system of that name. Raises as `load_task` does."""
    cls = _load_class("systems", name, tuple(_SYSTEM_METHODS))
    recipe = getattr(cls, "Recipe", None)
    if not (isinstance(recipe, type) and issubclass(recipe, Record)):
        raise PlugInError(
            f"{_owner('systems', name)}: {cls.__name__}.Recipe must be a subclass of duologue.core.records.Record, "
            f"found {recipe!r}; write `Recipe = Record` where there is nothing to configure"
        )
    if wrong := _wrongly_declared(cls):
        raise PlugInError(f"{_owner('systems', name)}: {cls.__name__}{wrong}")
    return cast("type[System]", cls)


def make_system(name: str, recipe: Record | None = None) -> System:
    """Return a new system of that name with `recipe`, or with the defaults.

    Raises as `load_task` does, `PlugInError` when the class does not take the recipe, and `MissingExtraError` when a
    library that the system needs is not installed.
    """
    cls = load_system_class(name)
    chosen = resolve(cls.Recipe) if recipe is None else recipe
    try:
        system = cls(chosen)
    except DuologueError:
        raise
    except Exception as error:
        raise PlugInError(f"{_owner('systems', name)}: {cls.__name__}(recipe) fails: {_cause(error)}") from error
    if wrong := _unlike_a_system(system):
        raise PlugInError(f"{_owner('systems', name)}: {cls.__name__}{wrong}")
    demand_extras(name, system)
    return system


def _unlike_a_system(system: object) -> str:
    """Return what of a new system is not as the protocol has it; empty where all is."""
    for method, arguments in _SYSTEM_METHODS.items():
        try:
            with suppress(ValueError):  # what is not written in Python may not tell
                signature(getattr(system, method)).bind(*arguments)
        except TypeError as error:
            return f".{method}({', '.join(arguments)}) cannot be called so: {error}"
    learns = callable(getattr(system, "load", None))  # such a system may know what it saw when it has learned
    seen, external = getattr(system, "seen", "" if learns else None), getattr(system, "external", None)
    if not isinstance(seen, str):
        return f".seen must be a text that says what data it saw in training, found {seen!r}"
    if external is not None and not _is_of_names(external):
        return f".external must be a tuple of names of data, or None, found {external!r}"
    return _wrongly_declared(system)


def _wrongly_declared(found: object) -> str:
    """Return what of scope and extras of a class or an object is not as it must be; empty where all is."""
    scope, extras = getattr(found, "scope", Scope()), getattr(found, "extras", ())
    if not isinstance(scope, Scope):
        return f".scope must be a Scope of duologue.core.scope, found {scope!r}"
    for name, held in msgspec.structs.asdict(scope).items():
        if not _is_of_names(held):
            return f".scope.{name} must be a tuple of names, found {held!r}"
    return "" if _is_of_names(extras) else f".extras must be a tuple of names, found {extras!r}"


def _is_of_names(value: object) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(one, str) for one in value)


def save_card(
    folder: Path,
    *,
    name: str,
    recipe: Record,
    task: str,
    seed: int,
    data: str,
    data_hash: str,
    world_hash: str = "",
    sketch: str = "",
    external: list[str] | None = None,
) -> SystemCard:
    """Write the `system.toml` that makes a folder a trained system; write it last, beside what `save` wrote.

    Raises `UsageError` for an unknown name and `StorageError` for what the disk refuses.
    """
    entry = _entry("systems", name)
    card = SystemCard(
        system=name,
        distribution=entry.distribution,
        version=entry.version,
        duologue=__version__,
        task=task,
        seed=seed,
        data=data,
        data_hash=data_hash,
        world_hash=world_hash,
        sketch=sketch,
        external=external,
        recipe_hash=recipe_hash(recipe),
        recipe=to_table(recipe),
        files={one: content for one, content in files_of_model(folder).items() if not one.startswith(_NO_PART)},
    )
    write_card(folder, card)
    return card


def write_card(folder: Path, card: SystemCard) -> None:
    """Write the card of a trained system. Raises `StorageError` for what the disk refuses."""
    write_text(folder / CARD, dump(card))


def packages_of(name: str) -> str:
    """Return the packages that the system of that name is made of, with their versions. Raises as `load_task` does."""
    entry = _entry("systems", name)
    return packages(entry.distribution, entry.version)


def read_card(folder: Path) -> SystemCard:
    """Return what the folder's `system.toml` says.

    Raises `UsageError` when the folder is not there or holds no trained system, or a key of the card is
    unknown or of a wrong type, and `FormatError` when the card is not TOML.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder; expected the folder of a trained system")
    path = folder / CARD
    if not path.is_file():
        raise UsageError(
            f"{folder}: there is no {CARD} in it, so it is not a trained system; "
            f"if its training was stopped, run the same `duologue train` again and it goes on"
        )
    return from_table(SystemCard, read_toml(path), str(path))


def load_system(folder: Path) -> System:
    """Return the system that a folder holds, with its recipe and what it learned.

    Raises as `read_card` does, as `make_system` does for the system that the card names, and `UsageError` for a system
    that learns nothing: no recipe of a foreign folder decides what such a system opens, asks or runs.
    """
    card, path = read_card(folder), folder / CARD
    if card.system not in names("systems"):
        raise UsageError(
            f"{path}: made by the system '{card.system}' of the package '{card.distribution}' {card.version}, "
            f"which is not installed{did_you_mean(card.system, names('systems'))}"
        )
    cls = load_system_class(card.system)
    if not callable(getattr(cls, "load", None)):  # its recipe may name files, addresses or commands: a stranger's word
        raise UsageError(
            f"{path}: the system '{card.system}' learns nothing, so no folder can hold it; name it with "
            f"--system {card.system}, and its settings with --set"
        )
    system = make_system(card.system, from_table(cls.Recipe, card.recipe, f"{path}, [recipe]"))
    _demand_whole(folder, card)
    if isinstance(system, Trainable):
        try:
            system.load(folder)
        except (DuologueError, MemoryError):
            raise
        except Exception as error:
            raise StorageError(
                f"{folder}: the model cannot be loaded ({_cause(error)}); it is damaged, or was saved by another "
                f"version of {card.distribution} ({card.version}): copy it again, or train it again"
            ) from error
    return system


def load_fitting_system(folder: Path, info: TaskInfo) -> System:
    """Return the system that a folder holds, for a task.

    Raises as `demand_fit` does, before anything that it learned is read, and as `load_system` does.
    """
    card = read_card(folder)
    if card.system in names("systems"):  # else the loader says what is missing
        demand_fit(card.system, info)
    return load_system(folder)


def _demand_whole(folder: Path, card: SystemCard) -> None:
    """Raise `StorageError` where files of a model are not what was saved, or are pipes or devices; names all."""
    found = files_of_model(folder)
    wrong = [
        f"{folder / name} is missing" if name not in found else f"{folder / name} has changed"
        for name, content in card.files.items()
        if found.get(name) != content
    ]
    if wrong:
        raise StorageError(f"the model is not what was saved: {', '.join(wrong)}; copy it again, or train it again")


def load_prompt_class(name: str) -> type[Any]:
    """Return the class of the prompt that is registered for the task of that name. Raises as `load_task` does."""
    return _load_class("prompts", name, _PROMPT_METHODS)


def load_user_prompt_class(name: str) -> type[Any]:
    """Return the class of the simulated user's prompt that is registered for a task. Raises as `load_task` does."""
    return _load_class("user_prompts", name, ("prepare", "messages", "schema", "settled", "read", "empty"))


def load_linearization_class(name: str) -> type[Any]:
    """Return the class of the linearization of that name. Raises as `load_task` does."""
    return _load_class("linearizations", name, ("prepare", "pairs", "written"))


def make_logger(name: str, folder: Path, about: Mapping[str, str]) -> object:
    """Return the logger of that name for a training into `folder`; it has `log` and `close`.

    Raises as `load_task` does, and `MissingExtraError` where its library is not installed.
    """
    cls = _load_class("loggers", name, ("log", "close"))
    try:
        return cls(folder, about)
    except DuologueError:
        raise
    except Exception as error:
        raise PlugInError(f"{_owner('loggers', name)}: {cls.__name__}(folder, about) fails: {_cause(error)}") from error


def load_command(name: str) -> object:
    """Return the click command of that name that a package brings to the command line. Raises as `load_task` does."""
    found = _load("commands", name)
    if not callable(getattr(found, "make_context", None)):
        raise PlugInError(f"{_owner('commands', name)}: expected a click command or group, found {found!r}")
    return found


def _load_class(kind: Kind, name: str, methods: tuple[str, ...]) -> type:
    found = _load(kind, name)
    if not isinstance(found, type):
        raise PlugInError(f"{_owner(kind, name)}: expected a class, found {found!r}")
    unwritten: frozenset[str] = getattr(found, "__abstractmethods__", frozenset())
    lacking = [method for method in methods if method in unwritten or not callable(getattr(found, method, None))]
    if lacking:
        raise PlugInError(f"{_owner(kind, name)}: {found.__name__} lacks the methods {', '.join(lacking)}")
    return found


def _load(kind: Kind, name: str) -> object:
    entry = _entry(kind, name)
    point = EntryPoint(name=name, value=entry.target, group=f"duologue.{kind}")
    try:
        return point.load()
    except DuologueError:
        raise
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        extra = extra_with(missing, entry.distribution) if missing else None
        if not extra:
            raise PlugInError(f"{_owner(kind, name)} cannot be loaded: {_cause(error)}") from error
        raise missing_library(missing, extra, entry.distribution, what=_owner(kind, name)) from error
    except Exception as error:  # a stranger's module may fail in any way while it is imported
        raise PlugInError(f"{_owner(kind, name)} cannot be loaded: {_cause(error)}") from error


def _entry(kind: Kind, name: str) -> Entry:
    known = entries(kind)
    found = [entry for entry in known if entry.name == name]
    if not found:
        hint = did_you_mean(name, {entry.name for entry in known})
        raise UsageError(f"there is no {kind.removesuffix('s')} '{name}'{hint}")
    if len(found) > 1:
        packages = " and ".join(f"'{entry.distribution}' ({entry.target})" for entry in found)
        raise PlugInError(
            f"the name '{name}' in duologue.{kind} is claimed by {packages}; uninstall one or rename its entry point"
        )
    return found[0]


def _owner(kind: Kind, name: str) -> str:
    return _told(_entry(kind, name))


def _told(entry: Entry) -> str:
    return f"the {entry.kind.removesuffix('s')} '{entry.name}' of the package '{entry.distribution}' ({entry.target})"


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def culprit(error: BaseException) -> str | None:
    """Return which plug-in of another package an error comes from; `None` where it comes from our own code.

    Of plug-ins and our own code it is the one that ran last: what a library raises is the fault of who called it.
    """
    owners: dict[str, str] = {}
    for entry in (one for kind in KINDS for one in entries(kind) if one.distribution != OURS):
        package = entry.target.partition(":")[0].partition(".")[0]
        owners[package] = f"the package '{entry.distribution}'" if package in owners else _told(entry)
    found, trace = None, error.__traceback__
    while trace is not None:
        package = str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        if package in owners or package == OURS:
            found = owners.get(package)
        trace = trace.tb_next
    return found


def strangers() -> list[str]:
    """Return the packages of others whose plug-ins are at work in this process: what they gave us may be wrong."""
    found = {
        entry.distribution
        for kind in KINDS
        for entry in entries(kind)
        if entry.distribution != OURS and entry.target.partition(":")[0] in sys.modules
    }
    return sorted(found)
