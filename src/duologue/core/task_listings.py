"""Named definitions as data: listed in a TOML file beside the module of each task, and in files of a user's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from duologue.core.definitions import package_folder
from duologue.core.errors import PlugInError, UsageError, did_you_mean
from duologue.core.plugins import entries
from duologue.core.recipe import from_table, read_toml
from duologue.core.records import Record
from duologue.core.typed import decode_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class NamedDefinition(Record, frozen=True, kw_only=True):
    """A definition that is found by its name."""

    name: str


Listing = TypeVar("Listing", bound=Record)
Named = TypeVar("Named", bound=NamedDefinition)


@dataclass(frozen=True, slots=True)
class TaskListing(Generic[Listing, Named]):
    """Where definitions of one kind are listed, and what they are called."""

    file: str
    """Name of the file beside the module of a task's class."""
    table: str
    """Name of its tables: `campaign` for `[[campaign]]`."""
    called: str
    """What a message calls one of the definitions."""
    listing: type[Listing]
    """What a whole file holds."""
    rows: Callable[[Listing], Sequence[Named]]
    """Returns the definitions in a file."""
    shared: tuple[Path, ...] = ()
    """Files that belong to no task, read first."""

    def all(self) -> dict[str, Named]:
        """Return the definitions of all installed tasks by name, sorted; no challenge is imported.

        Raises `PlugInError` for a file that cannot be read and for a name that two have.
        """
        found: dict[str, Named] = {}
        folders = dict.fromkeys(package_folder(entry.target) for entry in entries("tasks"))
        for place in [*self.shared, *(folder / self.file for folder in folders if folder is not None)]:
            if not place.is_file():
                continue
            try:
                listed = self.rows(decode_toml(place.read_bytes(), self.listing))
            except msgspec.DecodeError as error:
                raise PlugInError(f"{place} cannot be read: {error}") from error
            for one in listed:
                if one.name in found:
                    raise PlugInError(f"{place}: there is another {self.called} called '{one.name}'")
                found[one.name] = one
        return dict(sorted(found.items()))

    def find(self, word: str) -> Named:
        """Return the definition of that name, or the only one in the TOML file at that path.

        Raises `UsageError` for neither, and for a file that holds none or several; `FormatError` for no TOML.
        """
        known = self.all()
        if word in known:
            return known[word]
        path = Path(word)
        if path.suffix != ".toml":
            near = did_you_mean(word, known)
            raise UsageError(f"there is no {self.called} '{word}'{near}; your own is a file PROTOCOL.toml")
        listed = self.rows(from_table(self.listing, read_toml(path), str(path)))
        if len(listed) != 1:
            raise UsageError(f"{path} holds {len(listed)} {self.called}s; expected one table [[{self.table}]]")
        return listed[0]
