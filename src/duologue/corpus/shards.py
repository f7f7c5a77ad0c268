"""Shards of a corpus, their results, and the interface of the worker pools that process them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from duologue.core.errors import DuologueError

if TYPE_CHECKING:
    from collections.abc import Callable

    Work = Callable[[Any], bytes]
    """From the content of a shard to the bytes of its file. It can be pickled: a function or an object of a module."""


class Shard(NamedTuple):
    """A stretch of the corpus: a range of members or a list of files, never a single row."""

    name: str
    """The name of its file."""
    content: Any
    """What the work is done on; need not be there for a shard that is finished. It can be pickled."""


class ShardResult(NamedTuple):
    """What became of a shard."""

    name: str
    data: bytes
    problem: str
    """Why there is no data; empty where all went well."""


class WorkerPool(Protocol):
    """Workers that take a shard each."""

    def full(self) -> bool:
        """Return whether no further shard may be given out now."""

    def give(self, shard: Shard) -> None:
        """Give a shard to a worker."""

    def take(self) -> ShardResult:
        """Wait for the next outcome, in any order. Raises `DuologueError` when a worker dies."""

    def close(self) -> None:
        """Stop all workers at once."""


def do_one(work: Work, shard: Shard) -> ShardResult:
    """Do the work on a shard, in whatever process this is; a `DuologueError` becomes the outcome's problem."""
    try:
        return ShardResult(shard.name, work(shard.content), "")
    except DuologueError as error:
        return ShardResult(shard.name, b"", str(error))
