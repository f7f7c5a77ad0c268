"""Optional dependencies: which extra provides a library, and the error where it is missing.

Heavy libraries are imported where they are used, so one may turn out to be missing anywhere. Whoever asks for one
by `need`, and the command line for all others, says it in the same words, with the line that installs it.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections import Counter
from functools import lru_cache
from importlib.metadata import Distribution, PackageNotFoundError
from importlib.metadata import distribution as distribution_of
from typing import TYPE_CHECKING

from duologue.core.errors import DuologueError, MissingExtraError, PlugInError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

OURS = "duologue"
"""The distribution whose extras are meant where no other is named."""

_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)[^;]*(?:;(.*))?", re.DOTALL)
_EXTRA = re.compile(r"\bextra\s*==\s*['\"]([^'\"]+)['\"]")


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
        missing = _top(error.name or module)
        if missing == OURS:
            raise
        raise missing_library(missing, extra) from error
    except ImportError as error:
        raise PlugInError(f"{module} is installed but cannot be imported: {error}") from error


def missing_library(library: str, extra: str, distribution: str = OURS, *, what: str = "this") -> MissingExtraError:
    """Return the one message that says that a library is missing, and how its extra is installed."""
    clone = " (in a clone: pip install '.[" + extra + "]')" if distribution == OURS else ""
    return MissingExtraError(
        f"{what} needs {library}, which is not installed; install {distribution}[{extra}]: "
        f"pip install '{distribution}[{extra}]'{clone}"
    )


def explained(error: ImportError, distributions: Iterable[str] = (OURS,)) -> DuologueError | None:
    """Return what an import that failed somewhere means where an extra of a distribution brings the library.

    That is `MissingExtraError` for a library that is not installed, `PlugInError` for one that is and cannot be
    imported. `None`: no extra brings it, so the fault is our own.
    """
    library = _top(error.name or "")
    found = ((extra_with(library, one), one) for one in distributions) if library else ()
    extra, owner = next(((extra, one) for extra, one in found if extra), (None, OURS))
    if extra is None:
        return None
    if isinstance(error, ModuleNotFoundError) and not installed(library):
        return missing_library(library, extra, owner)
    return PlugInError(
        f"{library} is installed but cannot be imported ({error}); install it again: "
        f"pip install --force-reinstall '{owner}[{extra}]'"
    )


def extra_with(library: str, distribution: str = OURS) -> str | None:
    """Return the extra of a distribution that brings a library, itself or as what one of its libraries needs."""
    required = _requirements(distribution)
    brought = [(name, extra) for name, extra in required if extra]
    wanted = _normal(library)
    if any(_normal(name) == wanted for name, extra in required if not extra):
        return None  # it belongs to the core
    direct = {extra for name, extra in brought if _normal(name) == wanted}
    if direct:  # of several one that brings it alone, or else the one with most beside it: a build may write any order
        sizes = Counter(extra for _, extra in brought)
        return min(direct, key=lambda extra: (sizes[extra] > 1, -sizes[extra], extra))
    for name, extra in brought:
        if any(_normal(one) == wanted for one, of in _requirements(name) if not of):
            return extra
    return None


def lacking(extra: str, distribution: str = OURS) -> list[str]:
    """Return the libraries of an extra that are not installed, in the order in which the extra names them.

    A library is known by a module of its own name, with underscores, or else by the packages that it brings.
    """
    return [name for name, of in _requirements(distribution) if of == extra and not _is_there(name)]


def _is_there(library: str) -> bool:
    own = library.replace("-", "_")
    if installed(own):
        return True
    try:
        files = distribution_of(library).files or []
    except PackageNotFoundError:
        return False
    brought = {file.parts[0] for file in files if len(file.parts) == 2 and file.name == "__init__.py"}
    return own not in brought and any(map(installed, sorted(brought)))


def installed(library: str) -> bool:
    """Whether a module of that name can be found; it is not imported."""
    try:
        return importlib.util.find_spec(library) is not None
    except (ImportError, ValueError):
        return False


def _requirements(distribution: str) -> list[tuple[str, str]]:
    """Return the names of what a distribution requires, each with its extra (empty: always)."""
    return _read_requirements(distribution, tuple(sys.path))


@lru_cache(maxsize=256)
def _read_requirements(distribution: str, path: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the same for a search path: metadata are parsed anew each time they are asked."""
    there = next(iter(Distribution.discover(name=distribution, path=list(path))), None)
    found = []
    for line in (there.requires or []) if there is not None else []:
        match = _REQUIREMENT.match(line.strip())
        if match:
            extra = _EXTRA.search(match[2] or "")
            found.append((match[1], extra[1] if extra else ""))
    return found


def _top(module: str) -> str:
    return module.partition(".")[0]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
