"""Tasks and systems, ours and a stranger's, found through the same entry points.

Looking for names reads only the metadata of the installed packages; nothing is imported before a name is
asked for. A trained system is a folder: what it learned, and a `system.toml` that says what made it.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, requires
from importlib.util import decode_source
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, cast

from duologue.core.disk import read_bytes, sha256, write_text
from duologue.core.errors import DuologueError, MissingExtraError, PlugInError, UsageError, did_you_mean
from duologue.core.protocols import System, Task, Trainable
from duologue.core.recipe import dump, from_table, read_toml, recipe_hash, resolve, to_table
from duologue.core.records import Record

if TYPE_CHECKING:
    from types import ModuleType

Kind = Literal["tasks", "systems"]
"""What a package may register, in the entry-point group `duologue.tasks` or `duologue.systems`."""

CARD = "system.toml"
"""The file that makes a folder a trained system."""

_TASK_METHODS = ("load", "rounds", "read", "write", "check", "score", "metrics")
_SYSTEM_METHODS = ("prepare", "answer")


class Entry(Record, frozen=True, kw_only=True):
    """One registered name."""

    kind: str
    """`"tasks"` or `"systems"`."""
    name: str
    target: str
    """Where the class is: `package.module:Class`."""
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
    task: str
    """The task it was trained for."""
    seed: int
    data: str
    """Where the training data came from, in words or as a hash."""
    data_hash: str
    """Hash of the training data."""
    recipe_hash: str
    recipe: dict[str, Any] = {}
    """The resolved recipe."""


class SystemClass(Protocol):
    """The class of a system: called with a recipe, it gives a system."""

    __name__: str
    Recipe: type[Record]

    def __call__(self, recipe: Any, /) -> System:
        """Return a new system; `recipe` is an instance of `Recipe`."""
        ...


class LoadedSystem(NamedTuple):
    """A trained system and the mark of what it is."""

    system: System
    card_hash: str
    """SHA-256 of its `system.toml`: name, version, recipe, seed and data, which decide the weights."""


def entries(kind: Kind) -> list[Entry]:
    """Return everything that is registered, by name and then by distribution; nothing is imported."""
    found = [
        Entry(
            kind=kind, name=point.name, target=point.value, distribution=_distribution(point), version=_version(point)
        )
        for point in entry_points(group=f"duologue.{kind}")
    ]
    return sorted(found, key=lambda entry: (entry.name, entry.distribution))


def names(kind: Kind) -> list[str]:
    """Return the registered names, sorted; nothing is imported."""
    return sorted(entry_points(group=f"duologue.{kind}").names)


def describe(entry: Entry) -> str:
    """Return the first line of the docstring of what is registered, read from its source: nothing is imported.

    A class that its module only imports from elsewhere is loaded for it. Raises as `load_task` does.
    """
    module, _, name = entry.target.partition(":")
    try:
        spec = importlib.util.find_spec(module)
        source = decode_source(read_bytes(Path(spec.origin))) if spec and spec.origin else ""
        body = ast.parse(source).body
    except (DuologueError, ImportError, SyntaxError, ValueError):
        body = []
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return (ast.get_docstring(node) or "").partition("\n")[0]
    kind: Kind = "tasks" if entry.kind == "tasks" else "systems"
    found = _load_class(kind, entry.name, _TASK_METHODS if kind == "tasks" else _SYSTEM_METHODS)
    return (found.__doc__ or "").strip().partition("\n")[0]


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
    if not isinstance(task, Task):  # the methods are there, so it is the brief
        raise PlugInError(f"{_owner('tasks', name)}: {cls.__name__} has no attribute 'brief'")
    return task


def load_system_class(name: str) -> SystemClass:
    """Return the class of the system of that name. Raises as `load_task` does."""
    cls = _load_class("systems", name, _SYSTEM_METHODS)
    recipe = getattr(cls, "Recipe", None)
    if not (isinstance(recipe, type) and issubclass(recipe, Record)):
        raise PlugInError(
            f"{_owner('systems', name)}: {cls.__name__}.Recipe must be a subclass of duologue.core.records.Record, "
            f"found {recipe!r}; write `Recipe = Record` where there is nothing to configure"
        )
    return cast("SystemClass", cls)


def make_system(name: str, recipe: Record | None = None) -> System:
    """Return a new system of that name with `recipe`, or with the defaults.

    Raises as `load_task` does, and `PlugInError` when the class does not take the recipe.
    """
    cls = load_system_class(name)
    chosen = resolve(cls.Recipe) if recipe is None else recipe
    try:
        return cls(chosen)
    except DuologueError:
        raise
    except Exception as error:
        raise PlugInError(f"{_owner('systems', name)}: {cls.__name__}(recipe) fails: {_cause(error)}") from error


def save_card(
    folder: Path, *, name: str, recipe: Record, task: str, seed: int, data: str, data_hash: str
) -> SystemCard:
    """Write the `system.toml` that makes a folder a trained system; write it last, beside what `save` wrote.

    Raises `UsageError` for an unknown name and `StorageError` for what the disk refuses.
    """
    entry = _entry("systems", name)
    card = SystemCard(
        system=name,
        distribution=entry.distribution,
        version=entry.version,
        task=task,
        seed=seed,
        data=data,
        data_hash=data_hash,
        recipe_hash=recipe_hash(recipe),
        recipe=to_table(recipe),
    )
    write_text(folder / CARD, dump(card))
    return card


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


def load_system(folder: Path) -> LoadedSystem:
    """Return the system that a folder holds, with its recipe and what it learned.

    Raises as `read_card` does, and as `make_system` does for the system that the card names.
    """
    card, path = read_card(folder), folder / CARD
    if card.system not in names("systems"):
        raise UsageError(
            f"{path}: made by the system '{card.system}' of the package '{card.distribution}' {card.version}, "
            f"which is not installed{did_you_mean(card.system, names('systems'))}"
        )
    recipe = from_table(load_system_class(card.system).Recipe, card.recipe, f"{path}, [recipe]")
    system = make_system(card.system, recipe)
    if isinstance(system, Trainable):
        system.load(folder)
    return LoadedSystem(system, sha256(read_bytes(path)))


def need(module: str, extra: str) -> ModuleType:
    """Import and return a module that is there only with an extra of this distribution.

    `module` may be the library itself or a module of ours behind whose door it lives. Raises
    `MissingExtraError` that names the library and the extra, and `PlugInError` when the library is
    installed but cannot be imported.

    >>> need("json", "models").loads("[1]")
    [1]
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = (error.name or module).partition(".")[0]
        if missing == "duologue":
            raise
        raise MissingExtraError(
            f"this needs {missing}, which is not installed; install duologue[{extra}]: pip install 'duologue[{extra}]'"
        ) from error
    except ImportError as error:
        raise PlugInError(f"{module} is installed but cannot be imported: {error}") from error


def _load_class(kind: Kind, name: str, methods: tuple[str, ...]) -> type:
    entry = _entry(kind, name)
    point = EntryPoint(name=name, value=entry.target, group=f"duologue.{kind}")
    try:
        found = point.load()
    except DuologueError:
        raise
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        extra = _extra_with(missing, entry.distribution) if missing else None
        if not extra:
            raise PlugInError(f"{_owner(kind, name)} cannot be loaded: {_cause(error)}") from error
        raise MissingExtraError(
            f"{_owner(kind, name)} needs {missing}, which is not installed; "
            f"install {entry.distribution}[{extra}]: pip install '{entry.distribution}[{extra}]'"
        ) from error
    except Exception as error:  # a stranger's module may fail in any way while it is imported
        raise PlugInError(f"{_owner(kind, name)} cannot be loaded: {_cause(error)}") from error
    if not isinstance(found, type):
        raise PlugInError(f"{_owner(kind, name)}: expected a class, found {found!r}")
    lacking = [method for method in methods if not callable(getattr(found, method, None))]
    if lacking:
        raise PlugInError(f"{_owner(kind, name)}: {found.__name__} lacks the methods {', '.join(lacking)}")
    return found


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


def _extra_with(module: str, distribution: str) -> str | None:
    """Return the extra of a distribution that brings a library, told by the library's name."""
    try:
        wanted = requires(distribution) or []
    except PackageNotFoundError:
        return None
    pattern = re.compile(rf"{re.escape(module)}\b.*;.*\bextra\s*==\s*['\"]([^'\"]+)['\"]", re.IGNORECASE)
    return next((match[1] for line in wanted if (match := pattern.match(line))), None)


def _owner(kind: Kind, name: str) -> str:
    entry = _entry(kind, name)
    return f"the {kind.removesuffix('s')} '{name}' of the package '{entry.distribution}' ({entry.target})"


def _cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "unknown"


def _version(point: EntryPoint) -> str:
    return point.dist.version if point.dist else "unknown"
