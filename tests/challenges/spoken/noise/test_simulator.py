from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.spoken.formats.files import read_dialogues
from duologue.challenges.spoken.noise import noise_table as table
from duologue.challenges.spoken.noise.simulator import NoiseSimulator
from duologue.core.errors import UsageError
from duologue.core.records import Annotation, Dialogue, Example, Fact, Mention, Sample, Span, Turn

if TYPE_CHECKING:
    from pathlib import Path

CLEAN = (
    "你看过《雨夜花》吗？",
    "那它的导演是谁呢？",
    "好的，谢谢你。",
    "这个景点的门票要多少钱？",
    "听说过让·雷诺这个人吗？",
    "他今年多大了，是哪年出生的？",
)


def many(n: int, **options: Any) -> list[tuple[str, str, str]]:
    simulator = NoiseSimulator("test", 1, **options)
    found = []
    for number in range(n):
        text = CLEAN[number % len(CLEAN)]
        noisy = simulator.turn(text, rng=Random(number))
        found.append((text, noisy.text, noisy.recipe))
    return found


def test_recipes_come_in_about_their_shares() -> None:
    counted = Counter(recipe for _, _, recipe in many(3000))
    assert set(counted) <= set(table.SHARES)
    for name, share in table.SHARES.items():
        # These few short sentences have no numerals and many marks; real ones are measured in the benchmark.
        assert abs(counted[name] / 3000 - share) < 0.05, name


def test_the_shares_are_those_of_all_utterances() -> None:
    assert sum(table.SHARES.values()) == pytest.approx(1, abs=0.002)


def test_unchanged_means_unchanged_and_every_other_recipe_changes_the_text() -> None:
    for text, noisy, recipe in many(600):
        assert (text == noisy) == (recipe == "unchanged")


def test_a_swap_of_equal_characters_is_told_as_no_change() -> None:
    simulator = NoiseSimulator("test", 1)
    found = [simulator.turn("好好好好好好", rng=Random(number)) for number in range(400)]
    assert {one.text == "好好好好好好" for one in found if one.recipe == "unchanged"} == {True}
    assert "swap" not in {one.recipe for one in found}


def test_of_a_character_among_marks_it_is_the_character_that_is_said_twice() -> None:
    simulator = NoiseSimulator("test", 1)
    found = [simulator.turn("。。。。好。。。。", rng=Random(number)) for number in range(400)]
    twice = {one.text for one in found if one.recipe == "repeat"}
    assert twice == {"。。。。好好。。。。"}


def test_title_brackets_and_middle_dots_are_lost_where_anything_is_changed() -> None:
    for _, noisy, recipe in many(600):
        assert recipe == "unchanged" or table.QUIET.isdisjoint(noisy)


def test_a_repetition_adds_one_character_that_its_neighbour_is() -> None:
    found = [(text, noisy) for text, noisy, recipe in many(600) if recipe == "repeat"]
    assert found
    for text, noisy in found:
        bare = "".join(sign for sign in text if sign not in table.QUIET)
        assert any(bare == noisy[:at] + noisy[at + 1 :] and noisy[at - 1] == noisy[at] for at in range(1, len(noisy)))


def test_a_stray_stop_with_a_repetition_leaves_no_other_mark() -> None:
    found = [noisy for _, noisy, recipe in many(600) if recipe == "stop+repeat"]
    assert found
    for noisy in found:
        assert noisy.count("。") == 1
        assert not table.MARKS - {"。"} & set(noisy)


def test_numerals_become_formal() -> None:
    simulator = NoiseSimulator("test", 1)
    noisy = [simulator.turn("他是1987年第一次来的。", rng=Random(number)) for number in range(200)]
    found = [one.text for one in noisy if one.recipe == "digits"]
    assert found
    for text in found:
        assert sorted(sign for sign in text if sign in "0123456789一") == []


def test_homophones_share_a_reading_with_what_they_replace() -> None:
    from duologue.text.pronunciation import alike

    found = [(text, noisy) for text, noisy, recipe in many(900) if recipe == "homophone"]
    assert found
    for text, noisy in found:
        bare = "".join(sign for sign in text if sign not in table.QUIET)
        changed = [(one, other) for one, other in zip(bare, noisy, strict=True) if one != other]
        assert changed
        assert all(alike(one, other) for one, other in changed)


@pytest.mark.parametrize(("plain", "other"), table.USUAL.items())
def test_the_usual_replacement_sounds_alike(plain: str, other: str) -> None:
    from duologue.text.pronunciation import alike

    assert alike(plain, other)


def test_a_seed_gives_the_same_noise_forever() -> None:
    assert [noisy for _, noisy, _ in many(4)] == [noisy for _, noisy, _ in many(4)]
    simulator = NoiseSimulator("test", 7)
    assert simulator.dialogue(dialogue()) == simulator.dialogue(dialogue())
    assert simulator.dialogue(dialogue()) != NoiseSimulator("test", 8).dialogue(dialogue())


def test_strength_nought_changes_nothing_and_two_goes_twice() -> None:
    assert all(text == noisy for text, noisy, _ in many(50, strength=0))
    half = sum(text != noisy for text, noisy, _ in many(600, strength=0.5))
    assert 200 < half < 330
    once, twice = (sum(len(noisy) != len(text) for text, noisy, _ in many(300, strength=one)) for one in (1, 2))
    assert twice > once


@given(st.text(max_size=20), st.integers(0, 10_000), st.data())
def test_any_text_can_be_made_noisy_and_its_spans_stay_inside(text: str, seed: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    noisy = NoiseSimulator("test", 1, strength=2).turn(text, [(start, end)], rng=Random(seed))
    ((first, last),) = noisy.spans
    assert 0 <= first <= last <= len(noisy.text)


def dialogue() -> Dialogue:
    fact = Fact(subject="雨夜花", relation="导演", object="林生")
    mention = Mention(label="film", text="雨夜花", span=Span(turn=0, start=4, end=7))
    turns = (
        Turn(speaker="user", text="你看过《雨夜花》吗？", annotation=Annotation(mentions=(mention,))),
        Turn(speaker="system", text="看过的，很好看。"),
        Turn(speaker="user", text="它的导演是林生吧？", annotation=Annotation(facts=(fact,))),
        Turn(speaker="system", text="对，导演是林生。", annotation=Annotation(facts=(fact,))),
    )
    return Dialogue(id="0", turns=turns)


def changed(regime: str) -> set[int]:
    found: set[int] = set()
    for seed in range(40):
        noisy = NoiseSimulator(regime, seed).dialogue(dialogue())
        found |= {at for at, (one, other) in enumerate(zip(dialogue().turns, noisy.turns, strict=True)) if one != other}
    return found


def test_in_the_validation_regime_turns_without_knowledge_are_noisy_whoever_speaks() -> None:
    assert changed("validation") == {0, 1}


def test_in_the_test_regime_the_turns_of_the_user_are_noisy() -> None:
    assert changed("test") == {0, 2}


def test_mentions_are_carried_with_their_words() -> None:
    for seed in range(30):
        turn = NoiseSimulator("test", seed).dialogue(dialogue()).turns[0]
        assert turn.annotation is not None
        (mention,) = turn.annotation.mentions
        assert mention.span is not None
        assert turn.text[mention.span.start : mention.span.end] == mention.text
        assert set(mention.text) & set("雨夜花与叶华") or "花" not in turn.text


def test_facts_stay_as_they_are() -> None:
    for seed in range(10):
        turn = NoiseSimulator("test", seed).dialogue(dialogue()).turns[2]
        assert turn.annotation == dialogue().turns[2].annotation


def test_samples_are_noisy_in_the_users_turns_and_keep_their_reply() -> None:
    history = dialogue().turns[:3]
    example = Example(sample=Sample(id="0#3", dialogue_id="0", history=history), source={"message": "对。"})
    noisy = [NoiseSimulator("test", seed).example(example) for seed in range(20)]
    assert {one.sample.history[1].text for one in noisy} == {history[1].text}
    assert len({one.sample.history[2].text for one in noisy}) > 5
    assert all(one.source == example.source for one in noisy)
    assert noisy[3].sample.history[:3] == NoiseSimulator("test", 3).dialogue(dialogue()).turns[:3]


def test_the_validation_regime_refuses_samples() -> None:
    example = Example(sample=Sample(id="1", dialogue_id="1", history=dialogue().turns[:1]))
    with pytest.raises(UsageError, match="do not say which turns use knowledge"):
        NoiseSimulator("validation", 1).example(example)


@pytest.mark.parametrize(
    ("regime", "strength", "words"), [("tests", 1.0, "did you mean 'test'"), ("test", 9, "0 to 5")]
)
def test_what_makes_no_sense_is_refused(regime: str, strength: float, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        NoiseSimulator(regime, 1, strength=strength)


def small_talk(dialogues: list[Dialogue]) -> list[str]:
    """Return the turns without knowledge."""
    return [turn.text for one in dialogues for turn in one.turns if turn.annotation is None]


def rate_of(clean: list[str]) -> float:
    """Return the error rate that noise gives to texts, in letters and digits."""
    from duologue.metrics.edits import error_rate

    simulator = NoiseSimulator("validation", 1)
    letters = [
        ("".join(filter(str.isalnum, text)), "".join(filter(str.isalnum, simulator.turn(text, rng=Random(at)).text)))
        for at, text in enumerate(clean)
    ]
    return error_rate(letters)


def test_on_made_dialogues_the_error_rate_is_that_of_the_challenge(golden: Path) -> None:
    short = small_talk(read_dialogues(golden / "contract" / "valid.json"))
    clean = [first + second for first, second in pairwise(short)]  # as long as turns of the challenge
    assert rate_of(clean * 40) == pytest.approx(0.109, abs=0.02)


@pytest.mark.real_data(twin="test_on_made_dialogues_the_error_rate_is_that_of_the_challenge")
def test_on_real_clean_dialogues_the_error_rate_is_that_of_the_challenge(real_data: Path) -> None:
    clean = small_talk(read_dialogues(real_data / "spoken" / "kdconv_travel_dev.json.gz")[:100])
    assert rate_of(clean) == pytest.approx(0.109, abs=0.02)
