"""Opens the system that a user names, a registered name or the folder of a model, and checks its scope."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from duologue.core.definitions import package_folder
from duologue.core.errors import UsageError
from duologue.core.plugins import (
    CARD,
    demand_fit,
    entries,
    load_fitting_system,
    load_system_class,
    make_system,
    names,
)
from duologue.core.recipe import parse_override, read_toml, resolve
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.protocols import System, Task

R = TypeVar("R", bound=Record)


RECIPES = "recipes"
"""Folder with recipes beside the module of a system, or, by system, beside that of a task."""


def open_system(task: Task, name: str, recipe: Path | None = None, overrides: Sequence[str] = ()) -> System:
    """Return the registered system `name`, or the model in the folder `name`, for `task`.

    Options belong to a registered system; a trained model has its recipe already. Raises `UsageError` for options
    that do not fit, for a system that does not serve the task (with a list of those that do) and for one that has to
    learn first, `MissingExtraError` where the system needs a library that is not installed, and as `load_system` does.
    """
    folder = Path(name)
    if is_model(name):
        if recipe is not None or overrides:
            raise UsageError(f"{folder} is a trained model with its own recipe; leave --recipe and --set out")
        return load_fitting_system(folder, task.info)
    demand_fit(name, task.info)
    system = make_system(name, recipe_of(name, recipe, overrides))
    if (demand := getattr(system, "demand_learned", None)) is not None:
        try:
            demand()
        except UsageError as error:
            raise has_to_learn(name) from error
    return system


def has_to_learn(name: str) -> UsageError:
    """Return the error of a registered system that answers nothing untrained."""
    return UsageError(f"'{name}' has to learn first: duologue train; then give the model's folder")


def open_user(task: Task, name: str, overrides: Sequence[str] = ()) -> System:
    """Return the registered system `name` as a simulated user for `task`.

    Raises `UsageError` for a system that plays no users, and as `open_system` does; what is set is a `--user-set` then.
    """
    try:
        play = getattr(open_system(task, name, None, overrides), "as_user", None)
    except UsageError as error:
        raise type(error)(str(error).replace("--set ", "--user-set ")) from error
    if play is None:
        raise UsageError(f"system '{name}' plays no users; --user endpoint lets a chat model do it")
    user: System = play()
    return user


def is_model(name: str) -> bool:
    """Whether a name means the folder of a model rather than a registered system."""
    return Path(name).is_dir() and ((Path(name) / CARD).is_file() or name not in names("systems"))


def recipe_of(name: str, file: Path | None, overrides: Sequence[str]) -> Record:
    """Return the recipe of the registered system `name` from a TOML file and overrides.

    `file` may be the name of a recipe that a challenge brings for the system. A class may list entries in `by_hand`,
    such as a program to start: a file may come from a stranger, so these are taken from overrides alone. Raises
    `UsageError` for such an entry in a file, and for a name that there is no recipe of; else as `resolve` does.
    """
    cls = load_system_class(name)
    file = None if file is None else recipe_file(name, file)
    return recipe_with(cls.Recipe, getattr(cls, "by_hand", ()), f"of system '{name}'", file, overrides)


def recipe_file(name: str, file: Path) -> Path:
    """Return the file that `--recipe` means: itself, or that of a recipe which comes with the system `name`.

    Raises `UsageError` for a name that there is no recipe of.
    """
    if file.suffix or file.exists():
        return file
    known = named_recipes(name)
    if str(file) not in known:
        listed = f"; those of '{name}' are {', '.join(known)}" if known else ""
        raise UsageError(f"--recipe {file}: there is no such file, and no recipe of that name{listed}")
    return known[str(file)]


def recipe_with(kind: type[R], by_hand: Sequence[str], whose: str, file: Path | None, overrides: Sequence[str]) -> R:
    """Return a recipe from a TOML file and overrides, where the entries `by_hand` come from overrides alone.

    Raises as `recipe_of`, of a recipe that is told as `whose`.
    """
    refused = sorted(set(by_hand) & set(read_toml(file))) if file is not None else []
    if refused:
        keys, first = ", ".join(f"'{key}'" for key in refused), refused[0]
        raise UsageError(
            f"{file}: {keys} {whose} is not taken from a file, which may come from a stranger; "
            f"give it on the command line: --set {first}=..."
        )
    return resolve(kind, file=file, overrides=overrides)


def demand_none_by_hand(name: str, overrides: Sequence[str]) -> None:
    """Raise `UsageError` for overrides that are taken from a command line alone, where others gave these.

    A model takes none, which `open_system` tells.
    """
    by_hand = () if is_model(name) else getattr(load_system_class(name), "by_hand", ())
    for one in overrides:
        if refused := sorted(set(by_hand) & set(parse_override(one))):
            raise UsageError(
                f"'{refused[0]}' of system '{name}' is taken from a command line alone; give it there: "
                f"--set {refused[0]}=..."
            )


def named_recipes(system: str) -> dict[str, Path]:
    """Return the recipes that come with a system, by name; nothing is imported.

    Its own lie beside its module, in `recipes/NAME.toml`; those that a challenge brings for a system of all tasks
    beside the module of a task, in `recipes/SYSTEM/NAME.toml`.
    """
    places = [(entry.target, RECIPES) for entry in entries("systems") if entry.name == system]
    places += [(entry.target, f"{RECIPES}/{system}") for entry in entries("tasks")]
    folders = dict.fromkeys(folder / below for target, below in places if (folder := package_folder(target)))
    found = (path for folder in folders for path in folder.glob("*.toml"))
    return {path.stem: path for path in sorted(found, key=lambda path: path.stem)}
