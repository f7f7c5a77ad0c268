"""Annotated calls to learn from, and those that are held out to choose by."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.formats.issues import Issues
from duologue.challenges.mobilecs.formats.raw import read_examples
from duologue.challenges.mobilecs.simulator.call_generator import CallGenerator
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.core.errors import UsageError
from duologue.core.held_out import draw_order, split_by_group
from duologue.core.protocols import TrainingData

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.protocols import Progress
    from duologue.core.records import Example


class TrainingCalls(NamedTuple):
    """Annotated calls, whole ones on either side."""

    examples: list[Example]
    held_out: list[Example]

    @property
    def seen(self) -> str:
        """What a system learned from, in words."""
        return f"{len(self.examples)} annotated calls"


def training_calls(examples: Sequence[Example], held_out: Sequence[Example], share: float, seed: int) -> TrainingCalls:
    """Return the annotated calls; where none are held out, a share of them is, drawn by the seed.

    Raises `UsageError` if there are not two annotated calls.
    """
    known = [one for one in examples if one.references]
    chosen = [one for one in held_out if one.references]
    if held_out and not chosen:
        raise UsageError("no held-out call is annotated; give annotated calls with --held-out")
    if not known or len(known) + len(chosen) < 2:
        raise UsageError(f"found {len(known)} annotated calls to learn from; give annotated calls with --train")
    if chosen:
        return TrainingCalls(known, chosen)
    names = draw_order((one.sample.dialogue_id for one in known), seed)
    apart = set(names[: max(1, round(share * len(names)))])
    return TrainingCalls(*split_by_group(known, lambda one: one.sample.dialogue_id, apart))


def generated_calls(n: int, seed: int, progress: Progress | None) -> TrainingData:
    """Return `n` generated calls of the `crowd` profile to learn from, and an eighth of that to choose by."""
    recipe = CallCorpusRecipe(profile="crowd", n=n)
    generator = CallGenerator(recipe, seed)
    parts = [("train", n), ("dev", max(2, n // 8))]
    made: list[list[Example]] = []
    for part, count in parts:
        rows = []
        for number in range(count):
            rows.append(generator.call(part, number).row)
            if progress is not None and number % 50 == 0:
                progress(number, count, f"generating {part}")
        made.append(read_examples(rows, Issues()))
    return TrainingData(*made)
