"""What makes the bytes of the shards of a corpus: ranges of the calls of one part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.mobilecs.schema.ontology import SPEAKERS
from duologue.challenges.mobilecs.simulator.call_generator import UNLABELLED, CallGenerator
from duologue.core.gc_pause import gc_paused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
    from duologue.core.shards import CorpusShard

JOINT = b",\n"
"""Between two dialogues of a file: each stands on a line of its own."""


class CallShardGenerator:
    """Generates the shards of one corpus."""

    def __init__(self, recipe: CallCorpusRecipe, seed: int) -> None:
        self._calls = CallGenerator(recipe, seed)

    def __call__(self, shard: CorpusShard[str]) -> tuple[bytes, ...]:
        """Return the pieces of a shard, without the brackets of the lists around them.

        Of annotated parts: the raw dialogues, and as track 2 data those that the staff opens and those that the user
        opens, which the official preprocessing puts behind all others. Of bare ones: dialogues, and their annotation.
        """
        with gc_paused():  # no cycles here, but objects enough to traverse again and again
            return self._pieces(shard)

    def _pieces(self, shard: CorpusShard[str]) -> tuple[bytes, ...]:
        calls = [self._calls.call(shard.part, number) for number in range(shard.start, shard.start + shard.n)]
        rows = [call.row for call in calls]
        if shard.part == UNLABELLED:
            return _joined(map(bare, rows)), _joined(rows)
        staff_first, user_first = list[dict[str, Any]](), list[dict[str, Any]]()
        for row, made in calls:
            (staff_first if next(iter(row["content"][0])) == SPEAKERS[0] else user_first).extend(made)
        return _joined(rows), _joined(staff_first), _joined(user_first)


def bare(row: dict[str, Any]) -> dict[str, Any]:
    """Return a dialogue without intents, mentions and values."""
    return {
        "id": row["id"],
        "content": [{key: text for key, text in turn.items() if key in SPEAKERS} for turn in row["content"]],
    }


def _joined(rows: Iterable[dict[str, Any]]) -> bytes:
    return JOINT.join(map(msgspec.json.encode, rows))
