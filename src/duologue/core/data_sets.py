"""Data sets that a challenge knows of: whose they are, under which terms, and which files belong to them."""

from __future__ import annotations

from importlib.resources import files as resources_of
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from duologue.core.citations import Citation
from duologue.core.errors import PlugInError, did_you_mean
from duologue.core.records import Record
from duologue.core.typed import convert

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE = "data_sets.toml"
"""The file beside the module of a task's class that lists them."""

Content = Literal["data", "knowledge", "text"]
"""How a file is read: by `Task.rows` and `Task.load`, by `Grounded.world`, or not at all."""


class DataFile(Record, frozen=True, kw_only=True):
    """A file of a data set. Size and hash are those of its content, which may be packed."""

    name: str
    """Path within the data set; with a `*`, a pattern of file names that are not known."""
    bytes: int | None = None
    sha256: str = ""
    rows: int | None = None
    """Dialogues or samples of a data file, facts of a knowledge base."""
    read: Content | None = None
    """How it is read, where it is not read as the others are."""
    task: str = ""
    """The task that reads it, where it is not that of the others."""


class DataSet(Record, frozen=True, kw_only=True):
    """Files that come from one place under one licence."""

    name: str
    about: str
    source: str
    licence: str
    free_licence: bool = False
    """Whether it lets anybody have the files, without an agreement or a registration."""
    obtain: tuple[str, ...]
    """What to do to get the files, step by step."""
    cite: tuple[Citation, ...] = ()
    """Whom to cite. The list has their keys here, and them under `[[citation]]`."""
    read: Content = "data"
    task: str = ""
    """The task that reads the files; empty: the one that lists them."""
    url: str = ""
    """Address below which the files may be fetched freely, without an agreement or a registration."""
    files: tuple[DataFile, ...] = ()
    """Empty where they are not known."""

    @property
    def not_fetched(self) -> str:
        """Why the files cannot be fetched here; empty where they can."""
        if self.url:
            return ""
        if not self.free_licence:
            return f"not known to be free to fetch (licence: {self.licence})"
        unproved = not self.files or any(not file.sha256 for file in self.files)
        lacking = "no address and not all checksums of its files are" if unproved else "no address of its files is"
        return f"{lacking} known here, though it may be had freely ({self.licence})"


class _Listed(Record, frozen=True, kw_only=True):
    """What the file holds, once the keys of citations are replaced by them."""

    data_set: tuple[DataSet, ...]
    citation: tuple[Citation, ...] = ()


def read_data_sets(module: str) -> Sequence[DataSet]:
    """Return the data sets listed beside a module, none without a list. Raises `PlugInError` for a wrong one."""
    package = module.rpartition(".")[0]
    place = resources_of(package) / FILE if package else None
    if place is None or not place.is_file():
        return ()
    try:
        found = _listed(msgspec.toml.decode(place.read_bytes())).data_set
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PlugInError(f"{package}/{FILE} cannot be read: {error}") from error
    for one in found:
        unproved = [file.name for file in one.files if one.url and not file.sha256]
        if unproved:
            raise PlugInError(f"{package}/{FILE}: '{one.name}' may be fetched, but {unproved[0]} has no sha256")
    return found


def _listed(decoded: Any) -> _Listed:
    """Return what a list says, the keys of citations replaced by them. Raises `ValidationError` for an unknown key."""
    cited = decoded.get("citation", [])
    known = {one["key"]: one for one in cited if isinstance(one, dict) and "key" in one} if type(cited) is list else {}
    sets = decoded.get("data_set")
    for one in sets if type(sets) is list else ():
        keys = one.get("cite") if isinstance(one, dict) else None
        if type(keys) is not list:
            continue
        for at, key in enumerate(keys):
            if type(key) is str and key not in known:
                raise msgspec.ValidationError(f"there is no [[citation]] with key '{key}'{did_you_mean(key, known)}")
            keys[at] = known.get(key, key) if type(key) is str else key
    return convert(decoded, _Listed)
