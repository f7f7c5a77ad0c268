from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.challenges.restaurant.systems.hybrid_code.hybrid_code import HybridCodeRanker
from duologue.challenges.restaurant.systems.memory_network.memory_network import MemoryNetworkRanker
from duologue.challenges.restaurant.systems.ranker.ranker import Ranker
from duologue.challenges.restaurant.systems.trained_ranker.trained_ranker import place_of_answer
from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.errors import UsageError
from duologue.core.protocols import Run
from duologue.core.records import Answer, Candidate, Example, Sample

if TYPE_CHECKING:
    from pathlib import Path

BASELINES: list[Any] = [HybridCodeRanker, MemoryNetworkRanker]
OFFERED = tuple(Candidate(id=one, text=one) for one in "abc")


def example(*ranking: str) -> Example:
    sample = Sample(id="1", dialogue_id="1", candidates=OFFERED)
    return Example(sample=sample, references=(Answer(ranking=ranking),) if ranking else ())


def test_the_right_candidate_has_a_place() -> None:
    assert place_of_answer(example("b", "a")) == 1
    for wrong in (example(), example("d")):
        with pytest.raises(UsageError, match="sample '1' has no answer among its candidates"):
            place_of_answer(wrong)


@pytest.mark.parametrize("kind", BASELINES)
def test_answers_depend_neither_on_the_batch_nor_on_words_that_nobody_knows(kind: Any, tmp_path: Path) -> None:
    system = kind(msgspec.structs.replace(kind.Recipe.tiny(), dialogues=10))
    examples, held_out = system.make_training_data(RestaurantTask(), 1, None)
    system.fit(examples, held_out, [], Run(folder=tmp_path, seed=1))
    samples = [one.sample for one in held_out[:12]]
    samples.append(Sample(id="blank", dialogue_id="blank"))
    samples.append(Sample(id="odd", dialogue_id="odd", candidates=(Candidate(id="x", text="!!! no_such_inn"),)))
    together = system.answer(samples)
    assert together == [one for sample in samples for one in system.answer([sample])]
    assert together[-2:] == [Answer(ranking=()), Answer(ranking=("x",))]


@pytest.mark.parametrize("kind", [Ranker, *BASELINES])
def test_it_says_what_it_saw_and_that_it_has_not_learned(kind: Any) -> None:
    assert kind().seen.startswith("closed: 6000 simulated dialogues")
    assert "7 invented schemas" in kind(kind.Recipe(regime="open", schemas=7)).seen
    with pytest.raises(UsageError, match=f"'{kind.name}' has not learned yet"):
        kind().answer([])
