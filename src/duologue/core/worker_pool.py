"""Pools of workers for a long work in shards: results come in the order of the shards, whichever is done first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from duologue.core.errors import DuologueError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

T = TypeVar("T")
Work: TypeAlias = "Callable[[Any], Any]"
"""From the content of a shard to its result. It can be pickled: a function or an object of a module."""

AHEAD = 4
"""Shards per worker that may be begun or finished while the first of them is not."""


class Shard(NamedTuple):
    """A part of the work: a range of members or rows, or a list of files, never a single row."""

    name: str
    """The name of its file."""
    content: Any
    """What the work is done on; need not be there for a shard that is finished. It can be pickled."""


class ShardResult(NamedTuple):
    """What became of a shard."""

    name: str
    data: Any
    """What the work returned; `None` where it failed."""
    problem: str
    """Why there is no data; empty where all went well."""


class WorkerPool(ABC):
    """Workers that take a shard each."""

    @abstractmethod
    def full(self) -> bool:
        """Return whether no further shard may be given out now."""

    @abstractmethod
    def give(self, shard: Shard) -> None:
        """Give a shard to a worker."""

    @abstractmethod
    def take(self) -> ShardResult:
        """Wait for the next outcome, in any order. Raises `DuologueError` when a worker dies."""

    @abstractmethod
    def close(self) -> None:
        """Stop all workers at once."""


def do_one(work: Work, shard: Shard) -> ShardResult:
    """Do the work on a shard, in whatever process this is; a `DuologueError` becomes the outcome's problem."""
    try:
        return ShardResult(shard.name, work(shard.content), "")
    except DuologueError as error:
        return ShardResult(shard.name, None, str(error))


def in_order(
    pool: WorkerPool,
    shards: Iterable[Shard],
    keep: Callable[[ShardResult], T],
    done: Callable[[Shard], T | None] = lambda _: None,
    *,
    ahead: int,
) -> Generator[T]:
    """Yield what `keep` makes of the outcomes of the shards, in the order of the shards; closes the pool at the end.

    A shard for which `done` gives something is not worked on. No more than `ahead` shards are begun or held before
    the first of them is yielded. Raises what `keep` raises, and `DuologueError` when a worker dies.
    """
    ordered: deque[str] = deque()
    found: dict[str, T] = {}

    def settle() -> None:
        outcome = pool.take()
        found[outcome.name] = keep(outcome)

    try:
        for shard in chain(shards, [None]):
            if shard is not None:
                ordered.append(shard.name)
                made = done(shard)
                if made is not None:
                    found[shard.name] = made
                else:
                    while pool.full():
                        settle()
                    pool.give(shard)
            while ordered and (shard is None or ordered[0] in found or len(ordered) >= ahead):
                while ordered[0] not in found:
                    settle()
                yield found.pop(ordered.popleft())
    finally:
        pool.close()
