"""Rows of simulated files: dialogues cut before a bot turn, with candidates and answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.restaurant.formats.file_names import SUBTASKS
from duologue.challenges.restaurant.knowledge.kb import RestaurantIndex, is_word
from duologue.challenges.restaurant.simulator.candidates import CandidateSampler
from duologue.challenges.restaurant.simulator.dialogue_generator import DialogueGenerator
from duologue.challenges.restaurant.simulator.recipe import STYLES
from duologue.core.errors import UsageError
from duologue.core.rng import Rng, identifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.challenges.restaurant.schema.ontology import Schema
    from duologue.challenges.restaurant.simulator.dialogue_generator import SimulatedDialogue
    from duologue.challenges.restaurant.simulator.recipe import Generation
    from duologue.core.records import Fact

_FIRST_CUT = {1: 2, 2: 2, 3: 0, 4: 0, 5: 2}
"""By subtask the first bot turn that may be asked for (specification, section 9.4)."""


def simulate(
    schema: Schema,
    facts: Sequence[Fact],
    recipe: Generation,
    *,
    subtask: int,
    part: str,
    style: str,
    n: int,
    seed: int,
    start: int = 0,
) -> Iterator[dict[str, Any]]:
    """Yield rows `start` to `start + n - 1` of a simulated file as official row objects, each with its `answer`.

    `part` is `train` or `tst1` to `tst4`: training and test rows never make the same *first* request. Updated
    requests are of either side (361 of 441 asked for in 1,000 test rows of subtask 2 are made in 10,000 training
    rows, too). `style` is `training`, `a` or `b` (`recipe.STYLES`). A row depends on the schema, the facts, the
    recipe, and (seed, part, subtask, style, its index) alone. Keys have the order of the official training files;
    writers of test files leave `answer` out. Raises `UsageError` for another style or subtask, for facts that lack
    a slot or the rating, and when schema and facts allow no such dialogue.
    """
    yield from RowGenerator(
        schema, RestaurantIndex(schema, facts), recipe, subtask=subtask, part=part, style=style, seed=seed
    )(start, n)


class RowGenerator:
    """Generates any range of the rows of one file. Raises `UsageError` as `simulate` does."""

    def __init__(
        self,
        schema: Schema,
        restaurants: RestaurantIndex,
        recipe: Generation,
        *,
        subtask: int,
        part: str,
        style: str,
        seed: int,
    ) -> None:
        if style not in STYLES or subtask not in SUBTASKS:
            raise UsageError(
                f"subtask {subtask!r} in style {style!r}: expected a subtask from 1 to {len(SUBTASKS)} and one of the "
                f"styles {', '.join(STYLES)}"
            )
        wide = [(slot.name, value) for slot in schema.slots for value in schema.values[slot.name] if not is_word(value)]
        if wide:
            raise UsageError(
                f"{len(wide)} values of '{schema.name}' are several words, the first is {wide[0][1][:60]!r} of slot "
                f"'{wide[0][0]}'; an api_call parts its values at blanks: join the words with '_'"
            )
        self.key = (seed, schema.name, part, subtask, style)
        self.recipe, self.subtask, self.style = recipe, subtask, style
        self._cuts = (recipe.cuts if part != "train" else None) or style
        """Cuts like those of which style."""
        self.generator = DialogueGenerator(schema, restaurants, recipe, subtask, train=part == "train")
        self.sampler = CandidateSampler(self.generator, style, self.key)

    def __call__(self, start: int, n: int) -> Iterator[dict[str, Any]]:
        """Yield rows `start` to `start + n - 1`."""
        return (self.row(index) for index in range(start, start + n))

    def row(self, index: int) -> dict[str, Any]:
        """Return one row."""
        rng = Rng(*self.key, index)
        dialogue = self.generator.generate(rng)
        cut, kind = self._cut(dialogue, rng)
        answer = dialogue.lines[cut]
        texts = rng.shuffled(self.sampler.sample(dialogue, cut, kind, rng))
        place = rng.below(len(texts) + 1)
        texts.insert(place, answer)
        candidates = [
            {"utterance": text, "candidate_id": identifier(*self.key, index, number)}
            for number, text in enumerate(texts)
        ]
        return {
            "answer": dict(candidates[place]),
            "dialog_id": identifier(*self.key, index),
            "candidates": candidates,
            "utterances": dialogue.lines[:cut],
        }

    def _cut(self, dialogue: SimulatedDialogue, rng: Rng) -> tuple[int, str]:
        turns = dialogue.bot[_FIRST_CUT[self.subtask] :]
        if self._cuts != "a":
            return rng.choice(turns)
        by_kind = self.recipe.cut_weights
        weights = [by_kind.get(f"{self.subtask}/{kind}", by_kind.get(kind, 1.0)) for _, kind in turns]
        if not any(weights):
            raise UsageError(f"cut_weights leave no turn of subtask {self.subtask} at which a dialogue may be cut")
        return rng.weighted_choice(turns, weights)
