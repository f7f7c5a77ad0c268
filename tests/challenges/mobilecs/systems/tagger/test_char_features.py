from __future__ import annotations

import numpy as np

from duologue.challenges.mobilecs.systems.tagger.char_features import (
    FEATURES,
    PER_CHARACTER,
    encoded,
    features_of,
)
from duologue.challenges.mobilecs.systems.tagger.document import call_document
from duologue.core.records import Turn


def test_each_character_has_its_features_in_ranges_of_their_own() -> None:
    found = encoded("五十兆的流量包", [(7, 1)])
    assert found.shape == (7, PER_CHARACTER)
    assert found[:, :8].min() > 0
    assert not found[:, 8].any()  # words are told of documents alone
    assert found.max() < FEATURES
    assert all(len(set(column)) > 1 for column in found.T[:5])
    columns = [set(column) for column in found.T]
    assert not any(one & other for place, one in enumerate(columns) for other in columns[:place])


def test_what_differs_in_no_meaning_has_the_same_features() -> None:
    assert np.array_equal(encoded("3个G_的"), encoded("7个g 的"))
    assert not np.array_equal(encoded("三个"), encoded("五个"))


def test_features_depend_on_the_neighbours_and_on_the_speaker() -> None:
    assert not np.array_equal(encoded("甲乙")[0], encoded("甲丙")[0])
    turns = [Turn(speaker="system", text="好"), Turn(speaker="user", text="好")]
    staff, _, user, _ = features_of(call_document(turns))
    assert staff[5] != user[5]
    assert not encoded("好_好_")[:, 5].any()


def test_words_said_twice_in_a_row_and_trigrams_said_again_are_told() -> None:
    twice = encoded("有锐享有锐享秒云云视")[:, 6]
    assert [one - min(twice) for one in twice] == [3, 3, 3, 4, 4, 4, 0, 1, 2, 0]
    again = encoded("锐享包很好锐享包")[:, 7]
    assert [one - min(again) for one in again] == [0, 1, 0, 0, 0, 0, 1, 0]


def test_places_in_words_are_told() -> None:
    places = features_of(call_document([Turn(speaker="system", text="您有通信助理")]))[:, 8]
    alone, within, first, last = 3, 0, 1, 2
    assert [one - max(places) + alone for one in places[:6]] == [alone, alone, first, last, first, last]
    word = features_of(call_document([Turn(speaker="system", text="闲聊了计算机，")]))[:, 8]
    assert within in {one - max(word) + alone for one in word}
    odd = features_of(call_document([Turn(speaker="system", text="\ud800有")]))
    assert odd[:, 8].min() > 0


def test_any_text_can_be_encoded() -> None:
    assert encoded("").shape == (0, PER_CHARACTER)
    assert encoded("\ud800\U0001f600").shape == (2, PER_CHARACTER)
