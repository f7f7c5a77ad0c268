"""Shards of a generated corpus, made in one process or several, with the same bytes in the same order."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

from duologue.core.errors import UsageError
from duologue.core.processes import Processes
from duologue.core.worker_pool import AHEAD, Shard, in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from duologue.core.protocols import Progress
    from duologue.core.worker_pool import ShardResult

Content = TypeVar("Content")
Part = TypeVar("Part")
Maker: TypeAlias = "Callable[[Content], Sequence[bytes]]"
"""Returns the bytes of a shard, one piece for each file that it is a part of."""


class CorpusShard(NamedTuple, Generic[Part]):
    """A range of the rows of one part of a corpus."""

    part: Part
    start: int
    n: int


class _Prepared:
    """A maker that each process prepares for itself."""

    def __init__(self, prepare: Callable[[], Maker[Any]]) -> None:
        self._prepare = prepare
        self._maker: Maker[Any] | None = None

    def __call__(self, content: Any) -> tuple[bytes, ...]:
        if self._maker is None:
            self._maker = self._prepare()
        return tuple(self._maker(content))


def generate_shards(
    prepare: Callable[[], Maker[Content]], shards: Iterable[Content], *, workers: int
) -> Generator[tuple[bytes, ...]]:
    """Yield the pieces of all shards in order, made by `workers` processes, each with a maker of its own.

    `prepare` is called in each process, so it and the shards must be picklable. No worker runs far ahead of the pieces
    that are taken, and shards are asked for as they are worked on, so that memory does not grow. Raises `UsageError`
    for what a worker cannot make, `DuologueError` when one dies.
    """
    waiting = iter(shards)
    first = list(islice(waiting, workers))
    workers, shards = len(first), chain(first, waiting)
    maker = _Prepared(prepare)
    if workers <= 1:
        yield from map(maker, shards)
        return
    numbered = (Shard(str(number), shard) for number, shard in enumerate(shards))
    yield from in_order(Processes(maker, workers), numbered, _pieces, ahead=AHEAD * workers)


def generate_parts(
    prepare: Callable[[], Maker[CorpusShard[Part]]],
    parts: Sequence[tuple[Part, int]],
    *,
    size: int,
    workers: int,
    progress: Progress | None,
) -> Generator[Iterator[tuple[bytes, ...]]]:
    """Yield for each part, given with its number of rows, the pieces of its shards of up to `size` rows.

    Take all pieces of a part before the next part. Raises as `generate_shards` does.
    """

    def shards_of(part: tuple[Part, int]) -> Iterator[CorpusShard[Part]]:
        name, n = part
        return (CorpusShard(name, start, min(size, n - start)) for start in range(0, n, size))

    total, done = sum(n for _, n in parts), 0
    made = generate_shards(prepare, chain.from_iterable(map(shards_of, parts)), workers=workers)

    def pieces_of(part: tuple[Part, int]) -> Iterator[tuple[bytes, ...]]:
        nonlocal done
        for shard in shards_of(part):
            yield next(made)
            done += shard.n
            if progress is not None:
                progress(done, total, "dialogues")

    try:
        yield from map(pieces_of, parts)
    finally:
        made.close()


def _pieces(outcome: ShardResult) -> tuple[bytes, ...]:
    if outcome.problem:
        raise UsageError(outcome.problem)
    made: tuple[bytes, ...] = outcome.data
    return made
