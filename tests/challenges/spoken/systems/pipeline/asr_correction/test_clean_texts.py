from __future__ import annotations

import pytest

from duologue.challenges.spoken.systems.pipeline.asr_correction.clean_texts import (
    clean_texts,
    clean_texts_of,
    has_noise_traces,
)
from duologue.core.records import Annotation, Answer, Example, Fact, Sample, Turn

CLEAN = ("你好，看过雨夜花吗？", "看过，谢谢你。", "它的导演是谁呢？", "这个我也不知道。", "好的，再见。")
NOISY = ("你好，看过过雨夜花吗？", "看过。谢谢你", "它的导演是谁呢呀？", "，这个我也不知道。", "好的。。")


@pytest.mark.parametrize("text", NOISY)
def test_noise_leaves_traces(text: str) -> None:
    assert has_noise_traces(text)


@pytest.mark.parametrize("text", [*CLEAN, "", "谢谢！", "看看吧。"])
def test_clean_utterances_bear_none(text: str) -> None:
    assert not has_noise_traces(text)


def test_turns_that_are_not_sure_are_taken_from_clean_dialogues_only() -> None:
    clean = [(text, False) for text in CLEAN]
    noisy = [(text, False) for text in (*NOISY[:4], "它是谁演的？")]
    assert clean_texts([clean, noisy]) == list(CLEAN)


def test_sure_turns_are_always_taken() -> None:
    assert clean_texts([[(NOISY[0], False), (NOISY[1], True), (NOISY[2], False)]]) == [NOISY[1]]


def test_what_many_dialogues_say_is_taken_from_noisy_ones() -> None:
    noisy = [[(text, False) for text in NOISY], [(text, False) for text in NOISY], [(text, False) for text in NOISY]]
    for turns in noisy:
        turns.append(("主演都有谁？", False))
    assert clean_texts(noisy) == ["主演都有谁？"] * 3
    assert clean_texts(noisy[:2]) == []


def test_examples_of_one_dialogue_give_its_turns_once() -> None:
    fact = Fact(subject="雨夜花", relation="导演", object="林生")
    turns = [Turn(speaker="user", text=text) for text in CLEAN]
    answers = {1: Annotation(), 3: Annotation(facts=(fact,))}
    examples = [
        Example(
            sample=Sample(id=f"0#{at}", dialogue_id="0", history=tuple(turns[:at])),
            references=(Answer(text=CLEAN[at], annotation=annotation),),
        )
        for at, annotation in answers.items()
    ]
    assert clean_texts_of(examples) == list(CLEAN[:4])


def test_of_examples_from_noisy_dialogues_the_replies_with_facts_remain() -> None:
    fact = Fact(subject="雨夜花", relation="导演", object="林生")
    history = tuple(Turn(speaker="user", text=text) for text in NOISY[:3])
    answer = Answer(text="导演是林生。", annotation=Annotation(facts=(fact,)))
    example = Example(sample=Sample(id="0#3", dialogue_id="0", history=history), references=(answer,))
    assert clean_texts_of([example]) == ["导演是林生。"]
