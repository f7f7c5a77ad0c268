from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from duologue.challenges.restaurant.systems.ranker.features import (
    CATEGORIES,
    LONGEST,
    MENTIONS,
    RANKINGS,
    FeatureExtractor,
    Vocabulary,
)
from duologue.challenges.restaurant.systems.trained_ranker.delex import KbLexicon
from duologue.core.records import Candidate, Fact, Sample, Turn

if TYPE_CHECKING:
    from duologue.challenges.restaurant.systems.ranker.network.batches import RankerRow

HISTORY = """
api old_inn r_rating 7
api old_inn r_cuisine thai
api new_inn r_rating 19
api new_inn r_cuisine thai
api low_inn r_rating 8
api low_inn r_cuisine thai
user hello
system hello what can i help you with today
user with thai food in rome
system what do you think of this option: new_inn
user what was the first option again
system the option was new_inn
user no still no good
system what do you think of this option: low_inn
user do you have its phone number
"""
CANDIDATES = (
    "the option was new_inn",
    "what do you think of this option: low_inn",
    "what do you think of this option: old_inn",
    "here it is low_inn_phone",
    "with thai food in rome",
    "any preference on a type of cuisine",
    "api_call thai rome",
    "old_inn r_rating 7",
    "here it is unknown_inn_address",
)


@pytest.fixture
def lexicon() -> KbLexicon:
    facts = [
        Fact(subject=name, relation=field, object=value)
        for name, rating in (("old_inn", "7"), ("new_inn", "19"), ("low_inn", "8"))
        for field, value in (
            ("rating", rating),
            ("cuisine", "thai"),
            ("location", "rome"),
            ("phone", f"{name}_phone"),
            ("address", f"{name}_address"),
        )
    ]
    return KbLexicon(facts)


@pytest.fixture
def sample() -> Sample:
    turns = [line.split(" ", 1) for line in HISTORY.strip().splitlines()]
    return Sample(
        id="1",
        dialogue_id="1",
        history=tuple(Turn(speaker=speaker, text=text) for speaker, text in turns),
        candidates=tuple(Candidate(id=str(place), text=text) for place, text in enumerate(CANDIDATES)),
    )


def category(row: RankerRow, place: int, name: str) -> int:
    return int(row.candidates[place][2 + list(CATEGORIES).index(name)])


def test_a_block_of_facts_is_one_turn_and_every_row_starts_with_a_start(lexicon: KbLexicon, sample: Sample) -> None:
    extractor = FeatureExtractor()
    row = extractor.row(sample, lexicon)
    said = [extractor.table[number] for number in row.turns[:, 1]]
    assert said[:3] == [("<start>",), ("<facts>",), ("hello",)]
    assert row.length == 11


def test_only_what_the_user_says_is_a_mention(lexicon: KbLexicon, sample: Sample) -> None:
    row = FeatureExtractor().row(sample, lexicon)
    assert len(row.mentions) == 2
    assert set(row.mentions[:, 0]) == {4}


def test_of_a_huge_utterance_the_beginning_is_read_and_of_many_mentions_the_latest_are_kept(lexicon: KbLexicon) -> None:
    said = " ".join(["thai"] * 3 * LONGEST)
    turns = (Turn(speaker="user", text=said), Turn(speaker="user", text="with rome"))
    extractor = FeatureExtractor()
    row = extractor.row(Sample(id="1", dialogue_id="1", history=turns), lexicon)
    assert max(map(len, extractor.table)) == LONGEST
    assert len(row.mentions) == MENTIONS
    assert row.mentions[:, 1].max() < LONGEST, "each mention is a token that is read"
    assert row.mentions[-1, 0] == 2, "the latest mention counts most"


def test_candidates_are_compared_with_the_history(lexicon: KbLexicon, sample: Sample) -> None:
    row = FeatureExtractor().row(sample, lexicon, target=3)
    assert row.target == 3
    assert category(row, 0, "said by the bot") == 1
    assert category(row, 0, "said in the last bot turn") == 0
    assert category(row, 1, "said in the last bot turn") == 1
    assert category(row, 4, "said by the user") == 1
    assert category(row, 7, "a fact line") == 1
    assert [category(row, place, "listed") for place in (0, 4, 8)] == [1, 2, 0]


def test_restaurants_have_places_in_the_order_of_their_mentions(lexicon: KbLexicon, sample: Sample) -> None:
    row = FeatureExtractor().row(sample, lexicon)
    names = [name for name in CATEGORIES if name.startswith("place among names by the bot")]
    assert [[category(row, place, name) for name in names] for place in (0, 1, 2)] == [[0, 1, 1], [1, 0, 0], [6, 6, 4]]


def test_a_candidate_knows_the_reply_to_the_last_mention_of_its_restaurant(lexicon: KbLexicon, sample: Sample) -> None:
    extractor = FeatureExtractor()
    row = extractor.row(sample, lexicon)
    replies = [extractor.table[row.turns[int(place), 1]] for place in row.candidates[:, 1]]
    assert replies[0] == ("no", "still", "no", "good")
    assert replies[1] == ("do", "you", "have", "its", "phone", "number")
    assert replies[2] == ("<start>",)


def test_the_item_the_user_spoke_of_is_known(lexicon: KbLexicon, sample: Sample) -> None:
    row = FeatureExtractor().row(sample, lexicon)
    assert category(row, 3, "how lately the user spoke of the item") == 0
    assert category(row, 8, "how lately the user spoke of the item") == 3


def test_listed_restaurants_are_ranked_by_numeric_fields_as_numbers(lexicon: KbLexicon, sample: Sample) -> None:
    extractor = FeatureExtractor()
    row = extractor.row(sample, lexicon)
    of_candidate = {int(entry[0]): entry[1:].tolist() for entry in row.numeric}
    assert [extractor.fields[entry[0]] for entry in of_candidate.values()] == ["rating"] * len(of_candidate)
    assert of_candidate[0][1:] == [0, 2, 5, 5]  # the best, named already
    assert of_candidate[2][1:] == [2, 0, 0, 0]  # the worst, the only one not named
    assert 8 not in of_candidate
    assert row.numeric.shape[1] == 2 + len(RANKINGS)


def test_a_question_is_linked_to_the_field_whose_name_it_holds(lexicon: KbLexicon, sample: Sample) -> None:
    row = FeatureExtractor().row(sample, lexicon)
    assert [5, lexicon.fields.index("cuisine")] in row.links.tolist()


def test_values_of_candidates_are_those_of_the_mentions(lexicon: KbLexicon, sample: Sample) -> None:
    row = FeatureExtractor().row(sample, lexicon)
    called = row.values[row.values[:, 0] == 6]
    assert set(called[:, 2]) == set(row.mentions[:, 3])


def test_a_sample_without_history_or_candidates_is_a_row(lexicon: KbLexicon) -> None:
    row = FeatureExtractor().row(Sample(id="1", dialogue_id="1"), lexicon)
    assert row.length == 1
    assert row.candidates.shape == (0, 2 + len(CATEGORIES))
    assert row.candidates.dtype == np.int32


def test_a_vocabulary_keeps_words_of_enough_worlds_and_fields_that_are_spoken_of(lexicon: KbLexicon) -> None:
    other = KbLexicon([Fact(subject="x_inn", relation="zone", object="north")])
    for each, text in ((lexicon, "with thai food"), (other, "with north zone"), (lexicon, "hello")):
        each.delexicalise(text)
    common = Vocabulary.of([lexicon, other], rare=0.9)
    assert common.words == ("with",)
    assert common.number("never heard") == 1
    every = Vocabulary.of([lexicon, other], rare=0.0)
    assert set(every.words) == {"with", "food", "hello", "cuisine", "zone"}
    assert every.number("rating") == 1
