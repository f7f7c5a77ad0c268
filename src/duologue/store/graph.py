"""A knowledge graph in an SQLite file, queried on demand, so that it may be larger than memory."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import finalize

import msgspec

from duologue.core import disk
from duologue.core.decoded import is_text, is_whole
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Fact, Problem
from duologue.core.typed import convert, decode_json
from duologue.knowledge.graph import Graph, holds, values_of
from duologue.knowledge.normalization import bare, fold, parts_of
from duologue.store.database import refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from duologue.core.records import Scalar

_MAGIC = b"SQLite format 3\0"
_KIND = 0x44754B47
"""`application_id` of our files: "DuKG"."""
_KEY = 48
"""Characters of a folded value that are indexed; what follows is compared when it is found."""
_PIECE = 10_000
"""Facts that are written, or read on the way through all, at once."""

_SCHEMA = f"""
pragma application_id = {_KIND};
create table facts (place integer primary key, subject text not null, relation text not null, object text not null);
create table names (key text not null, number integer not null, subject text not null);
create table held (key text not null, part integer not null, place integer not null);
"""
_INDEXES = """
create index facts_of on facts (subject, place);
create index names_of on names (key, number);
create index held_by on held (key, part, place);
"""


class StoredGraph(Graph):
    """A graph in a file; what it gives back is what `Graph` gives, made anew at each call.

    One connection, used by one thread at a time. Raises `FormatError` for a file that is no graph of ours.
    """

    def __init__(self, path: Path) -> None:
        if not is_stored(path):
            _refuse(path, "this is no SQLite database")
        self.name = path.name
        self._path = path
        self._lock = Lock()
        address = f"{disk.resolved(path).as_uri()}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        finalize(self, self._connection.close)  # whoever reads a world does not know that it has a file open
        try:
            (kind,) = self._rows("pragma application_id")[0]
            if kind != _KIND:
                _refuse(path, "this database holds something else than a knowledge graph")
            self._expect_tables()
        except FormatError:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __iter__(self) -> Iterator[Fact]:
        """Go through all facts in the order of the file."""
        last = _BEFORE
        while rows := self._rows(f"{_FACTS} where place > ? order by place limit {_PIECE}", last):
            yield from self._decoded(rows)
            last = rows[-1][0]

    def __len__(self) -> int:
        """Return the number of facts."""
        count: int = self._rows("select count(*) from facts")[0][0]
        return count

    def __contains__(self, subject: object) -> bool:
        """Tell whether there is an entity of exactly this name."""
        if not is_text(subject):  # half a character stands in no database
            return False
        return bool(self._rows("select 1 from facts where subject = ? limit 1", subject))

    @cached_property
    def entities(self) -> Sequence[str]:
        """The names of all entities, in file order; held from the first time on."""
        return self._texts("select subject from facts group by subject order by min(place)")

    def ready(self) -> StoredGraph:
        """Return the graph: its indexes are in the file."""
        return self

    def about(self, subject: str) -> Sequence[Fact]:
        """Return the facts about the entity of exactly this name, in file order; empty when unknown."""
        if not is_whole(subject):
            return ()
        return tuple(self._decoded(self._rows(f"{_FACTS} where subject = ? order by place", subject)))

    def holders(self, value: Scalar, *, parts: bool = False) -> Sequence[Fact]:
        """Return the facts that have a value, under any attribute, in file order; as `Graph.holders`."""
        wanted = fold(value)
        if not is_whole(wanted):
            return ()
        found = self._decoded(self._rows(_HELD, wanted[:_KEY], int(parts)))
        return [fact for fact in found if holds(fact, wanted, parts=parts)]

    def _named(self, key: str) -> Sequence[str]:
        return self._texts("select subject from names where key = ? order by number", key) if is_whole(key) else ()

    def _decoded(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[Fact]:
        for row in rows:
            try:
                fact = _fact(row)
            except (msgspec.DecodeError, TypeError) as error:
                _refuse(
                    self._path,
                    f"the fact at place {row[0]!r:.60} is damaged ({error}); places are numbers, subject and relation "
                    "texts, the object JSON: a text, a number or a list of texts",
                )
            yield fact

    def _texts(self, statement: str, *values: Any) -> tuple[str, ...]:
        """Return what the rows of one column hold. Raises `FormatError` for a name that is no text."""
        found = tuple(row[0] for row in self._rows(statement, *values))
        odd = [one for one in found if not isinstance(one, str)]
        if odd:
            _refuse(self._path, f"the name of an entity is {odd[0]!r:.60}, which is no text")
        return found

    def _expect_tables(self) -> None:
        """Raise `FormatError` where what is looked up is computed, by a view or a module: that may have no end."""
        known = self._rows("select name, type, rootpage from sqlite_master")
        for name in _TABLES:
            kind, page = next(((kind, page) for one, kind, page in known if one == name), ("nothing", 0))
            if kind != "table" or not page:
                _refuse(self._path, f"'{name}' is {kind}, expected a table of the file's own rows")

    def _rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the second is a message with damaged bytes
            _refuse(self._path, f"the database cannot be read ({error}): it is packed or damaged")


_Object: Any = str | int | float | tuple[str, ...]
_TABLES = ("facts", "names", "held")
_BEFORE = -(2**63)
"""Below the place of any fact."""
_FACTS = "select place, subject, relation, object from facts"
_HELD = (
    "select place, subject, relation, object from facts"
    " where place in (select place from held where key = ? and part <= ?) order by place"
)


def _fact(row: tuple[Any, ...]) -> Fact:
    _, subject, relation = convert(row[:3], tuple[int, str, str])
    return Fact(subject=subject, relation=relation, object=decode_json(row[3], _Object))


def is_stored(path: Path) -> bool:
    """Tell from its first bytes whether a file is a database. Raises `StorageError` where it cannot be read."""
    return next(iter(disk.Source(path).pieces()), b"").startswith(_MAGIC)


def store(facts: Iterable[Fact], path: Path) -> None:
    """Write facts as a database at `path`, complete or not at all; they are gone through once and never held.

    Raises `UsageError` for a name that ends in `.gz` (a packed database cannot be read), `StorageError` for what the
    disk refuses.
    """
    if path.suffix == ".gz":
        raise UsageError(f"{path}: a database cannot be packed; choose a name without .gz")
    with disk.temporary_folder() as folder:
        made = folder / "graph"
        try:
            with closing(sqlite3.connect(made)) as connection:
                # Nobody else sees this file, and a crash throws it away: it needs no journal.
                connection.executescript("pragma journal_mode = off; pragma synchronous = off;" + _SCHEMA)
                _fill(connection, facts)
                connection.executescript(_INDEXES)
        except sqlite3.OperationalError as error:
            raise refused(str(error), f"cannot write the database in {folder} (TMPDIR says where)") from error
        with made.open("rb") as source, disk.replacing(path) as out:
            shutil.copyfileobj(source, out)


def _fill(connection: sqlite3.Connection, facts: Iterable[Fact]) -> None:
    seen: set[str] = set()
    rows: list[tuple[Any, ...]] = []
    held: list[tuple[Any, ...]] = []
    named: list[tuple[Any, ...]] = []

    def flush() -> None:
        connection.executemany("insert into facts values (?, ?, ?, ?)", rows)
        connection.executemany("insert into held values (?, ?, ?)", held)
        connection.executemany("insert into names values (?, ?, ?)", named)
        for pile in (rows, held, named):
            pile.clear()

    for place, fact in enumerate(facts):
        rows.append((place, fact.subject, fact.relation, msgspec.json.encode(fact.object).decode()))
        if fact.subject not in seen:
            seen.add(fact.subject)
            named += [(key, len(seen), fact.subject) for key in sorted({fold(fact.subject), bare(fact.subject)})]
        values = values_of(fact)
        whole = {fold(value)[:_KEY] for value in values}
        parts = {fold(part)[:_KEY] for value in values for part in parts_of(value)}
        held += [(key, 0, place) for key in sorted(whole)] + [(key, 1, place) for key in sorted(parts)]
        if len(rows) == _PIECE:
            flush()
    flush()
    connection.commit()


def _refuse(path: Path, message: str) -> NoReturn:
    advice = "make one with `duologue data convert spoken kg.json --from graph --to sqlite --out kg.sqlite`"
    raise FormatError(path, [Problem(rule="not-a-stored-graph", message=message, advice=advice)])
