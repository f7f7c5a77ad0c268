from __future__ import annotations

import numpy as np

from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe
from duologue.models.choices import ChoiceEncoder, UtilitySize, frequent_words, template_table


def test_words_are_numbered_behind_padding_and_the_unknown_word() -> None:
    encoder = ChoiceEncoder(["a", "b"], ["x"])
    row = encoder.choice(["b", "?", "a"], [4, 0], np.array([[1e9, 0.5], [-1e9, 0.25]]))
    assert row.words.tolist() == [3, 2]
    assert row.templates.tolist() == [4, 0]
    assert row.features.tolist() == [[30_000, 0.5], [-30_000, 0.25]]
    assert row.utility.tolist() == [[0.0], [0.0]]
    assert encoder.choice("?", [], np.zeros((0, 2))).words.tolist() == [1]
    assert encoder.template("xyx") == (2, 1, 2)


def test_a_network_has_the_size_of_the_vocabularies() -> None:
    size = UtilitySize(features=3, hidden=8)
    assert ChoiceEncoder().sized(size) == size
    sized = ChoiceEncoder("abc", "x").sized(size)
    assert (sized.words, sized.template_words, sized.features, sized.hidden) == (5, 3, 3, 8)


def test_sizes_are_taken_from_a_recipe_by_their_names() -> None:
    size = UtilitySize.of(PlannerRecipe(members=3, width=7), features=4, hidden=5)
    assert (size.members, size.width, size.hidden, size.features, size.dropout) == (3, 7, 5, 4, 0.1)


def test_some_of_the_candidates_keep_what_is_theirs() -> None:
    row = ChoiceEncoder().choice([], [7, 8, 9], np.arange(3.0)[:, None], np.arange(3, dtype=np.float32)[:, None])
    some = row.some(np.array([0, 2]))
    assert (some.templates.tolist(), some.features.tolist(), some.utility.tolist()) == ([7, 9], [[0], [2]], [[0], [2]])


def test_a_table_is_padded_and_never_empty() -> None:
    assert template_table([(2, 1), (), (3,)]).tolist() == [[2, 1], [0, 0], [3, 0]]
    assert template_table([]).tolist() == [[0]]
    assert template_table([()]).tolist() == [[0]]


def test_frequent_words_are_those_of_many_texts() -> None:
    assert frequent_words(["aab", "bc", "bd", "dc"], 2) == ["b", "c", "d"]
