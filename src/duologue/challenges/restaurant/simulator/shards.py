"""Stretches of simulated files, made in this process or in several, in the same order and with the same bytes."""

from __future__ import annotations

import json
import multiprocessing
import signal
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex, read_kb, values_of
from duologue.challenges.restaurant.schema.ontology import PART_SHAPES, schema_of, standard_schema
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import GENERATED
from duologue.challenges.restaurant.simulator.row_generator import RowGenerator
from duologue.core.errors import DuologueError, UsageError
from duologue.core.interrupts import ctrl_c_waits, leave_stops_to_the_parent

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from duologue.challenges.restaurant.schema.ontology import Schema
    from duologue.challenges.restaurant.simulator.recipe import Generation
    from duologue.core.records import Fact


class Shard(NamedTuple):
    """Some rows of one file."""

    part: str
    subtask: int
    start: int
    n: int


class ShardBytes(NamedTuple):
    """The bytes of a stretch, without the brackets of the list around it."""

    data: bytes
    truth: bytes
    """Empty for training files, whose rows hold their answers."""


class ShardGenerator:
    """Makes stretches of the files of one corpus."""

    def __init__(self, recipe: Generation, seed: int) -> None:
        self.recipe, self.seed = recipe, seed
        self.facts = cache(self._facts)
        """The facts of knowledge base 1 or 2."""
        self._directory = cache(self._make_directory)
        self._rows: RowGenerator | None = None
        self._unit = ("", 0)

    def __call__(self, shard: Shard) -> ShardBytes:
        """Return the bytes of a stretch."""
        maker = self.rows(shard.part, shard.subtask)
        rows = list(maker(shard.start, shard.n))
        if shard.part == "train":
            return ShardBytes(_joined(rows), b"")
        truth = [_truth(row["dialog_id"], row.pop("answer")["candidate_id"]) for row in rows]
        return ShardBytes(_joined(rows), _joined(truth))

    def rows(self, part: str, subtask: int) -> RowGenerator:
        """Return what makes the rows of one file. Raises `UsageError` when the recipe allows none."""
        if self._rows is None or self._unit != (part, subtask):
            schema, restaurants = self._directory(*PART_SHAPES[part])
            style = self.recipe.train_style if part == "train" else self.recipe.release
            self._unit = part, subtask
            self._rows = RowGenerator(
                schema, restaurants, self.recipe, subtask=subtask, part=part, style=style, seed=self.seed
            )
        return self._rows

    def _source(self, kb: int) -> str:
        return self.recipe.kb1 if kb == 1 else self.recipe.kb2

    def _facts(self, kb: int) -> list[Fact]:
        if self._source(kb) == GENERATED:
            return make_kb(kb, self.seed)
        from pathlib import Path

        return read_kb(Path(self._source(kb)))

    def _make_directory(self, kb: int, extra: bool) -> tuple[Schema, RestaurantIndex]:  # noqa: FBT001  # a key of a cache
        facts = self.facts(kb)
        if self._source(kb) == GENERATED:
            schema = standard_schema(kb, extra=extra)
        else:
            schema = schema_of(kb, values_of(facts), extra=extra)
        return schema, RestaurantIndex(schema, facts)


def _truth(dialogue: str, candidate: str) -> dict[str, Any]:
    return {"dialog_id": dialogue, "lst_candidate_id": [{"candidate_id": candidate, "rank": 1}]}


def _joined(rows: list[dict[str, Any]]) -> bytes:
    return json.dumps(rows)[1:-1].encode("ascii")


def generate_shards(recipe: Generation, seed: int, shards: Sequence[Shard], *, workers: int) -> Generator[ShardBytes]:
    """Yield the pieces of all stretches in order, made by so many processes.

    Worker i makes every stretch whose number leaves the remainder i, and waits until its piece is taken, so that
    memory does not grow. Raises `UsageError` for what a worker cannot make, `DuologueError` when one dies.
    """
    workers = min(workers, len(shards))
    if workers <= 1:
        yield from map(ShardGenerator(recipe, seed), shards)
        return
    crew = _hire(recipe, seed, shards, workers)
    try:
        for number in range(len(shards)):
            piece = _take(crew[number % workers][1])
            if isinstance(piece, str):
                raise UsageError(piece)
            yield piece
    finally:
        for process, pipe in crew:
            pipe.close()
            process.terminate()
        for process, _ in crew:
            process.join()


def _take(pipe: Connection) -> ShardBytes | str:
    try:
        data = pipe.recv_bytes()
        return ShardBytes(data, pipe.recv_bytes()) if data else pipe.recv_bytes().decode()
    except (EOFError, OSError) as error:  # OSError: it died in the middle of a message
        raise DuologueError(
            "a worker process ended before its work was done (was memory short?); run the command again, it "
            "continues with the files that are missing, perhaps with --workers 1"
        ) from error


def _hire(recipe: Generation, seed: int, shards: Sequence[Shard], workers: int) -> list[tuple[BaseProcess, Connection]]:
    context = multiprocessing.get_context("spawn")
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing import resource_tracker  # Unix only

        resource_tracker.ensure_running()  # started later, it would let Ctrl-C through to the first worker
    crew: list[tuple[BaseProcess, Connection]] = []
    with ctrl_c_waits():
        for number in range(workers):
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(theirs, recipe, seed, shards[number::workers]), daemon=True)
            process.start()
            theirs.close()
            crew.append((process, ours))
    return crew


def _work(pipe: Connection, recipe: Generation, seed: int, shards: Sequence[Shard]) -> None:
    """Send the pieces of the stretches; nobody left to take them means that the work is over."""
    leave_stops_to_the_parent()
    maker = ShardGenerator(recipe, seed)
    with suppress(BrokenPipeError, ConnectionResetError):
        for shard in shards:
            try:
                piece = maker(shard)
            except DuologueError as error:
                pipe.send_bytes(b"")
                pipe.send_bytes(str(error).encode())
                return
            pipe.send_bytes(piece.data)
            pipe.send_bytes(piece.truth)
