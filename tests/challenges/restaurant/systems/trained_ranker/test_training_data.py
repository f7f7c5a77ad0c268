from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.restaurant.formats.files import load
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.systems.trained_ranker.training_data import closed_training_data, open_training_data
from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.recipe import resolve

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example

_EXTRA_SLOT = ("dietary", "menu options", "i eat ", "vegan please", "r_restrictions vegan and")


def _request(example: Example) -> str:
    return next(turn.text for turn in example.sample.history if turn.speaker == "user")


@pytest.mark.slow
def test_a_closed_course_is_set_in_knowledge_base_1_and_is_the_same_for_a_seed() -> None:
    data = closed_training_data(20, 5, seed=3)
    assert data == closed_training_data(20, 5, seed=3)
    assert data != closed_training_data(20, 5, seed=4)
    assert list(data.worlds) == ["kb1_atmosphere"]
    assert 100 <= len(data.examples) <= 160
    assert 25 <= len(data.held_out) <= 50
    assert {example.sample.world for example in data.examples} == {"kb1_atmosphere"}


def test_what_a_training_chooses_by_is_no_test_set_that_the_same_seed_generates(tmp_path: Path) -> None:
    recipe = resolve(Generation, overrides=["n=20", "part=tst1"])
    paths = RestaurantTask().generate(recipe, 1, tmp_path, workers=1, progress=None)
    made = {one.sample.id for path in paths if path.name.endswith("tst20.json") for one in load(path)}
    assert len(made) == 100
    held_out = {one.sample.dialogue_id for one in closed_training_data(20, 20, seed=1).held_out}
    assert len(held_out) >= 80
    assert not held_out & made


def test_every_example_has_its_answer_and_distractors_among_its_candidates() -> None:
    data = closed_training_data(15, 5, seed=1)
    for example in (*data.examples, *data.held_out):
        (reference,) = example.references
        assert reference.ranking is not None
        assert reference.ranking[0] in {candidate.id for candidate in example.sample.candidates}
        assert example.source is None
    counted = Counter(
        candidate.id.startswith("distractor") for example in data.examples for candidate in example.sample.candidates
    )
    assert counted[True] > 2 * len(data.examples)


def test_an_open_course_has_invented_schemas_and_judges_by_others() -> None:
    data = open_training_data(40, 10, schemas=10, standard=0.3, seed=2)
    worlds = {example.sample.world for example in data.examples}
    judged = {example.sample.world for example in data.held_out}
    assert worlds & judged == {"kb1_atmosphere"}
    assert len(worlds) == 11
    assert worlds | judged == set(data.worlds)
    known = sum(example.sample.world == "kb1_atmosphere" for example in data.examples)
    assert 0.2 < known / len(data.examples) < 0.4


def test_the_texts_of_the_extra_slot_are_in_no_course() -> None:
    data = open_training_data(30, 30, schemas=12, standard=0.5, seed=5)
    for example in (*data.examples, *data.held_out):
        spoken = [turn.text for turn in example.sample.history if turn.speaker != "api"]
        spoken += [candidate.text for candidate in example.sample.candidates if " r_" not in candidate.text]
        assert not [text for text in spoken for words in _EXTRA_SLOT if words in text]


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int, str]] = []
    closed_training_data(150, 5, seed=1, progress=lambda *step: told.append(step))
    assert told[-1][0] == told[-1][1]
    assert all(done <= total for done, total, _ in told)
