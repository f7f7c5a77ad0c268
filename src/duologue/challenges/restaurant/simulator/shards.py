"""What makes the bytes of the shards of a corpus: ranges of the rows of one file, which a part and a subtask name."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.restaurant.formats.domain_file import open_domain
from duologue.challenges.restaurant.formats.files import result_row
from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex, read_kb, values_of
from duologue.challenges.restaurant.schema.domain import RESTAURANT
from duologue.challenges.restaurant.schema.ontology import PART_SHAPES, schema_of, standard_schema
from duologue.challenges.restaurant.simulator.domain_kb import domain_facts
from duologue.challenges.restaurant.simulator.recipe import GENERATED, with_policy
from duologue.challenges.restaurant.simulator.row_generator import RowGenerator

if TYPE_CHECKING:
    from duologue.challenges.restaurant.schema.ontology import Schema
    from duologue.challenges.restaurant.simulator.recipe import Generation
    from duologue.core.records import Fact
    from duologue.core.shards import CorpusShard


class ShardBytes(NamedTuple):
    """JSON bytes of a shard, without the brackets of the list around it."""

    data: bytes
    truth: bytes
    """Empty for training files, whose rows hold their answers."""


class RowShardGenerator:
    """Generates the shards of one corpus."""

    def __init__(self, recipe: Generation, seed: int) -> None:
        self.domain = RESTAURANT if recipe.domain is None else open_domain(recipe.domain)
        self.own = self.domain != RESTAURANT
        """Whether the domain is another than the challenge's."""
        self.recipe, self.seed = with_policy(recipe, self.domain), seed
        self.facts = cache(self._facts)
        """The facts of knowledge base 1 or 2."""
        self._directory = cache(self._make_directory)
        self._rows: RowGenerator | None = None
        self._unit = ("", 0)

    def __call__(self, shard: CorpusShard[tuple[str, int]]) -> ShardBytes:
        """Return the bytes of a shard."""
        part, subtask = shard.part
        rows = list(self.rows(part, subtask)(shard.start, shard.n))
        if part == "train":
            return ShardBytes(_joined(rows), b"")
        truth = [result_row(row["dialog_id"], [row.pop("answer")["candidate_id"]]) for row in rows]
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
            return domain_facts(self.domain, kb, self.seed)
        from pathlib import Path

        return read_kb(Path(self._source(kb)))

    def _make_directory(self, kb: int, extra: bool) -> tuple[Schema, RestaurantIndex]:  # noqa: FBT001  # a key of a cache
        facts = self.facts(kb)
        if self.own:
            schema = self.domain.schema(kb, extra=extra)
        elif self._source(kb) == GENERATED:
            schema = standard_schema(kb, extra=extra)
        else:
            schema = schema_of(kb, values_of(facts), extra=extra)
        return schema, RestaurantIndex(schema, facts)


def _joined(rows: list[dict[str, Any]]) -> bytes:
    return json.dumps(rows)[1:-1].encode("ascii")
