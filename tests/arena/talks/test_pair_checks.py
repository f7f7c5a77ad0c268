from __future__ import annotations

import pytest
from tests.arena.talks.test_pairs import good, scenes
from tests.growth import LINEAR, growth

from duologue.arena.talks.pair_checks import pair_problems, plain
from duologue.arena.talks.pair_settings import PairSettings
from duologue.arena.talks.pairs import paired_task
from duologue.core.records import Dialogue, Turn

SETTINGS = PairSettings(shortest=4, longest=6)


def rules(texts: list[str], *others: list[str]) -> set[tuple[str, str]]:
    (scene,) = scenes(1)
    turns = tuple(Turn(speaker=("system", "user")[at % 2], text=text) for at, text in enumerate(texts))
    dialogue = Dialogue(id="d", turns=turns, knowledge=scene.knowledge, goal=scene.goal)
    found = pair_problems(paired_task("proactive"), dialogue, SETTINGS, others)
    return {(one.rule, one.severity) for one in found}


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (good(), set()),
        (good()[:2], {("dialogue-short", "error"), ("topic-unmentioned", "error")}),
        ([*good(), *"abc"], {("dialogue-long", "error")}),
        ([*good(), good()[0].replace("？", "?"), "好"], {("utterance-repeated", "error")}),
        (
            [good()[0], "好看吗朋友", "非常好看的老电影0", "好吧好吧", "人0导演0", "哦"],
            {("knowledge-copied", "warning")},
        ),
        (["片0", "嗯", "人0导演0", "哦"], {("utterances-short", "error")}),
    ],
)
def test_each_fault_is_found_and_a_good_dialogue_has_none(texts: list[str], found: set[tuple[str, str]]) -> None:
    assert {one for one in rules(texts) if one[0] != "facts-few"} == found


def test_a_dialogue_that_copies_another_is_found_and_half_of_one_is_none() -> None:
    assert ("dialogue-copied", "error") in rules(good(), good(1), good())
    assert rules(good(), [*good()[:2], "别的话", "还有别的话"]) == set()


def test_long_dialogues_are_compared_in_time_that_grows_as_they_do() -> None:
    assert growth(lambda size: [f"说的第{at}句" for at in range(size)], lambda texts: rules(texts, texts), 400) < LINEAR


def test_an_agent_who_hands_on_the_knowledge_alone_is_refused() -> None:
    copies = ["非常好看的老电影0。", "好看吗朋友", "“非常好看的老电影0”", "好吧好吧"]
    assert ("knowledge-copied", "error") in rules(copies)


def test_texts_are_alike_without_signs_and_case() -> None:
    assert plain("Hello , World !") == plain("hello world")
    assert plain("？") == "？"
    every = "".join(map(chr, range(0xD800))) + "".join(map(chr, range(0xE000, 0x110000)))
    assert plain(every) == "".join(one for one in every.casefold() if one.isalnum())
