from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.formats.training_pairs import (
    TrainingDialogue,
    UtterancePair,
    context_replies,
    merged_turns,
    require_dialogues,
    split_held_out,
    training_dialogues,
    utterance_pairs,
)
from duologue.core.errors import UsageError
from duologue.core.records import Answer, Example, Sample, Turn

SPEAKERS = {"U": "user", "S": "system"}


def turns(*lines: str) -> tuple[Turn, ...]:
    return tuple(Turn(speaker=SPEAKERS[line[0]], text=line[3:]) for line in lines)


def example(*lines: str, reply: str | None = None, name: str = "1") -> Example:
    references = () if reply is None else (Answer(text=reply),)
    return Example(sample=Sample(id=name, dialogue_id=name, history=turns(*lines)), references=references)


def talk(*lines: str, name: str = "1") -> TrainingDialogue:
    return TrainingDialogue(name, turns(*lines))


def test_lines_on_end_of_one_speaker_are_joined_and_hidden_ones_left_out() -> None:
    found = merged_turns(turns("U: my  parcel", "U: is late", "S: __MISSING__", "S: ", "S: sorry", "S: we look"))
    assert found == turns("U: my parcel is late", "S: sorry we look")


def test_an_opening_of_the_system_stands_before_what_it_hears_first() -> None:
    found = utterance_pairs(turns("S: hello", "U: my parcel", "S: which ?", "U: that one"))
    assert found == [UtterancePair("hello my parcel", "which ?"), UtterancePair("that one", "")]


def test_every_reply_of_a_talk_is_a_lesson_and_its_opening_is_none() -> None:
    found = list(talk("S: hello", "U: my parcel", "S: which ?", "U: that one", "S: sorry").context_replies())
    assert [(len(one.history), one.reply) for one in found] == [(2, "which ?"), (4, "sorry")]


def test_the_reference_ends_the_talk_and_a_user_without_answer_is_dropped() -> None:
    found = training_dialogues(
        [example("U: a", reply="b"), example("U: a", "S: c", "U: d", name="2"), example("U: alone")]
    )
    assert [one.turns for one in found] == [turns("U: a", "S: b"), turns("U: a", "S: c")]


def test_a_talk_and_a_reply_to_one_history_are_there_once() -> None:
    twice = [example("U: a", reply="b"), example("U: a", reply="b"), example("U: a", "S: b", "U: c", reply="d")]
    assert len(training_dialogues(twice)) == 2
    assert [one.reply for one in context_replies(training_dialogues(twice))] == ["b", "d"]


def test_a_file_without_any_reply_is_refused_with_what_to_do() -> None:
    with pytest.raises(UsageError, match="no line of the system"):
        require_dialogues([example("U: a"), example(reply="b")])


def test_talks_that_begin_alike_stay_together() -> None:
    many = [talk(f"U: {number % 40}", f"S: {number}") for number in range(400)]
    found = split_held_out(many, 0.25, 1)
    beginnings = [{one.turns[0].text for one in side} for side in found]
    assert not beginnings[0] & beginnings[1]
    assert 40 <= len(found.held_out) <= 160
    assert split_held_out(many, 0.25, 1) == found != split_held_out(many, 0.25, 2)


def test_a_single_talk_is_on_both_sides() -> None:
    one = [talk("U: a", "S: b")]
    assert split_held_out(one, 0.1, 1) == (one, one)


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), min_size=1), st.floats(0, 1), st.integers(0, 9))
def test_no_side_of_a_split_is_empty_and_no_talk_is_lost(said: list[tuple[str, str]], share: float, seed: int) -> None:
    talks = [talk(f"U: {heard}", f"S: {reply}") for heard, reply in said]
    found = split_held_out(talks, share, seed)
    assert found.train
    assert found.held_out
    if len({one.turns[0].text for one in talks}) > 1:
        assert len(found.train) + len(found.held_out) == len(talks)


@given(st.lists(st.tuples(st.sampled_from("US"), st.text(max_size=4))))
def test_speakers_of_joined_turns_take_turns_and_no_turn_is_empty(said: list[tuple[str, str]]) -> None:
    found = merged_turns(turns(*(f"{mark}: {text}" for mark, text in said)))
    assert all(one.speaker != other.speaker for one, other in pairwise(found))
    assert all(one.text.strip() for one in found)
