from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.restaurant.formats.files import example_of, load, turns_of
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.ontology import schema_of_part
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.simulator.row_generator import simulate
from duologue.challenges.restaurant.systems.solver.solver import BookingState, Solver, policy, rank
from duologue.core.protocols import System, TaskInfo
from duologue.core.records import Candidate, Record, Sample, Turn

if TYPE_CHECKING:
    from pathlib import Path

FACTS = [
    line
    for name, rating in (("old_inn", "9"), ("big_pub", "46"), ("the_bar", "10"))
    for line in (f"{name} r_location rome", f"{name} r_rating {rating}", f"{name} r_phone {name}_phone")
]
FULL = [
    "hi", "hello what can i help you with today",
    "may i have a table in rome for six people with a business atmosphere", "i'm on it",
    "<silence>", "any preference on a type of cuisine",
    "i love thai food, but i also like variety.", "whenever you're ready",
    "hold on, i am asking my friend and she wants thai, let's do that", "which price range are you looking for",
    "i want cheap price range, but my friend wants a moderate range so let's do that",
    "ok let me look into some options for you",
    "<silence>", "api_call thai rome six moderate business",
    "i don't like paris, but the restaurants aren't bad", "whenever you're ready",
    "instead could it be in paris", "sure is there anything else to update",
    "wait, i am asking my friend and she wants for two", "sure is there anything else to update",
    "no", "ok let me look into some options for you",
    "<silence>", "api_call thai paris two moderate business",
    *FACTS,
    "<silence>", "what do you think of this option: big_pub",
    "should i take my umbrella", "i am sorry, i don't have an answer to that question",
    "no i don't like it", "sure let me find another option for you",
    "<silence>", "what do you think of this option: the_bar",
    "do you have something else", "sure let me find another option for you",
    "<silence>", "what do you think of this option: old_inn",
    "what was the first option again", "the option was big_pub",
    "what was the one you suggested before", "the option was the_bar",
    "ok i want that one", "great let me do the reservation",
    "can you provide the address", "here it is the_bar_address",
    "one moment, i am asking my friend if we need the phone number", "whenever you're ready",
    "yes we need it, what is it please", "here it is the_bar_phone",
    "you rock", "is there anything i can help you with",
    "no thanks", "you're welcome",
]  # fmt: skip


def history(*utterances: str) -> tuple[Turn, ...]:
    return tuple(turns_of(utterances))


def assert_bot_says_all_its_turns(turns: tuple[Turn, ...], state: BookingState | None = None) -> int:
    state = state or BookingState()
    said = 0
    for turn in turns:
        if turn.speaker == "system":
            assert state.next_utterance() == turn.text, "the policy says something else"
            said += 1
        state.observe(turn)
    return said


def test_the_policy_says_every_bot_turn_of_a_full_dialogue() -> None:
    assert assert_bot_says_all_its_turns(history(*FULL)) == 26


def test_a_prefix_is_answered_by_its_own_turns_alone() -> None:
    turns = history(*FULL)
    for place, turn in enumerate(turns):
        if turn.speaker == "system":
            assert policy(turns[:place]) == turn.text


def test_facts_before_the_greeting_lead_from_the_look_to_a_proposal() -> None:
    turns = history(
        *FACTS,
        *("hello", "hello what can i help you with today", "can you book a table in rome for six with thai food in"),
    )
    assert policy(turns) == templates.BOT_SORRY, "a request that is cut off is not understood"
    request = "can you book a table with a casual atmosphere in rome for six with thai food in a cheap price range"
    turns = (*turns[:-1], Turn(speaker="user", text=request))
    assert_bot_says_all_its_turns((*turns, Turn(speaker="system", text="i'm on it")))
    rest = history(request, "i'm on it", "<silence>", "ok let me look into some options for you", "<silence>")
    assert policy((*turns[:-1], *rest)) == "what do you think of this option: big_pub"


def test_a_restaurant_asked_for_by_name_is_booked_and_its_items_known() -> None:
    turns = history("hi", "hello what can i help you with today", "may i have a table at the_bar")
    assert policy(turns) == "great let me do the reservation"
    turns += history("do you have its phone number")
    assert policy(turns) == "here it is the_bar_phone"


ALL_FIVE = (
    *("hi", "hello what can i help you with today"),
    "may i have a table in rome for six with a casual atmosphere with thai food in a cheap price range",
    *("i'm on it", "<silence>"),
)


def test_the_sixth_slot_is_asked_for_only_where_the_candidates_ask_for_it() -> None:
    assert policy(history(*ALL_FIVE)) == "ok let me look into some options for you"
    question = Candidate(id="1", text="do you have any dietary restrictions")
    assert policy(history(*ALL_FIVE), [question]) == question.text
    call = Candidate(id="1", text="api_call thai rome six cheap casual vegan")
    assert policy(history(*ALL_FIVE), [call]) == question.text


def test_six_slots_once_asked_for_stay_six_in_the_call() -> None:
    turns = history(
        *ALL_FIVE,
        *("do you have any dietary restrictions", "i eat vegan", "ok let me look into some options for you"),
        "<silence>",
    )
    assert policy(turns) == "api_call thai rome six cheap casual vegan"


@pytest.mark.parametrize(
    "utterances",
    [
        [],
        ["<silence>"],
        ["what was the first option again"],
        ["what was the one you suggested before"],
        ["do you have its phone number"],
        ["it's perfect"],
        ["ok i want that one"],
        ["yes we need it, what is it please"],
        ["no"],
        ["in rome"],
        ["hi", "what is this", "api_call", "here it is", "<silence>"],
        ["x r_rating many", "x r_rating", "<silence>"],
        ["x r_rating 1", "<silence>", "what do you think of this option: x", "<silence>"],
    ],
)
def test_odd_dialogues_still_get_an_utterance(utterances: list[str]) -> None:
    assert policy(history(*utterances))


@given(st.lists(st.sampled_from([*FULL, "", "\ud7ff", "no way", "api_call a", "big_pub r_rating x"]), max_size=30))
def test_no_order_of_utterances_is_too_odd(utterances: list[str]) -> None:
    candidates = tuple(Candidate(id=str(number), text=text) for number, text in enumerate(utterances))
    sample = Sample(id="s", dialogue_id="s", history=history(*utterances), candidates=candidates)
    (answer,) = Solver().answer([sample])
    assert answer.text
    assert answer.ranking is not None
    assert sorted(answer.ranking) == sorted(candidate.id for candidate in candidates)


def test_ratings_are_compared_as_numbers() -> None:
    turns = history(*("a r_rating 9", "b r_rating 10", "c r_rating ?"), "hi", templates.BOT_LOOK, "<silence>")
    assert policy(turns) == "what do you think of this option: b"


def test_candidates_are_ranked_by_text_then_kind_then_shared_words_then_place() -> None:
    texts = {
        "a": "where should it be",
        "b": "api_call thai rome two cheap casual",
        "c": "api_call thai paris six cheap casual",
        "d": "api_call thai rome six cheap casual",
        "e": "where should it be",
        "f": "api_call thai rome six cheap casual",
    }
    candidates = [Candidate(id=name, text=text) for name, text in texts.items()]
    assert rank("api_call thai rome six cheap casual", candidates) == ("d", "f", "b", "c", "a", "e")
    assert rank("", []) == ()


def test_the_solver_is_a_system_without_options() -> None:
    solver = Solver(Record())
    assert isinstance(solver, System)
    solver.prepare(TaskInfo(name="restaurant", version="1", language="en", answers="ranking"), 1, {})
    assert solver.answer([]) == []
    assert Solver.seen == "nothing: hand-written rules"


@pytest.mark.parametrize("part", ["train", "tst1", "tst2", "tst3", "tst4"])
def test_generated_dialogues_are_solved_completely(part: str) -> None:
    schema = schema_of_part(part)
    extra = templates.RESTRICTIONS in schema.slots
    facts = make_kb(2 if part in {"tst2", "tst4"} else 1, 5)
    for subtask in (1, 2, 3, 4, 5):
        rows = simulate(schema, facts, Generation(), subtask=subtask, part=part, style="a", n=30, seed=5)
        for example in map(example_of, rows):
            (answer,) = Solver().answer([example.sample])
            assert answer.text == example.references[0].text
            state = BookingState()
            state.extra = extra  # inside a history no candidates tell, and tasks 1 and 5 may not have named it yet
            assert_bot_says_all_its_turns(example.sample.history, state)


def check_file(path: Path) -> int:
    """Assert that a file is solved and all its bot turns are said; return how many there were."""
    examples = load(path)
    if not examples[0].references:
        truth = load(path.with_name(path.name.replace(".json", ".answers.json")))
        examples = [
            msgspec.structs.replace(example, references=gold.references)
            for example, gold in zip(examples, truth, strict=True)
        ]
    said = 0
    for example, answer in zip(examples, Solver().answer([example.sample for example in examples]), strict=True):
        texts = {candidate.id: candidate.text for candidate in example.sample.candidates}
        (gold,) = example.references
        assert gold.ranking is not None
        assert answer.ranking is not None
        assert texts[answer.ranking[0]] == texts[gold.ranking[0]] == answer.text
        if list(texts.values()).count(answer.text or "") == 1:  # only training files repeat the answer's text
            assert answer.ranking[0] == gold.ranking[0]
        said += assert_bot_says_all_its_turns(example.sample.history)
    return said


@pytest.mark.real_data(twin="test_generated_dialogues_are_solved_completely")
def test_two_real_files_are_solved_completely(real_restaurant: Path) -> None:
    name = "dialog-task{}-kb{}_atmosphere-distr0.5-tst1000.json.gz"
    assert check_file(real_restaurant / "release_a" / "tst1" / name.format("5FULL", 1)) == 12_773
    assert check_file(real_restaurant / "release_b" / "tst2" / name.format("3OPTIONS", 2)) == 3_871


@pytest.mark.slow
@pytest.mark.real_data(twin="test_generated_dialogues_are_solved_completely")
def test_all_real_files_are_solved_completely(real_restaurant: Path) -> None:
    folders = ["release_a/tst1", "release_a/tst2", "release_b/tst1", "release_b/tst2", "train_part"]
    paths = [path for folder in folders for path in sorted((real_restaurant / folder).glob("*.json.gz"))]
    paths = [path for path in paths if ".answers." not in path.name]
    assert len(paths) == 22
    assert sum(check_file(path) for path in paths) == 122_705
