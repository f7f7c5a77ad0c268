"""The rules that say what is wrong with bad replies, and which replies and dialogues are drawn."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from duologue.core.records import Answer, Example, Fact, Goal, Sample, Turn

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
FACTS = (
    Fact(subject="云 海", relation="领域", object="电影"),
    Fact(subject="小 舟", relation="领域", object="明星"),
    Fact(subject="云 海", relation="类型", object="剧情"),
    Fact(subject="云 海", relation="票房", object="30 万"),
)


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(BENCHMARKS)
    yield importlib.import_module("proactive_errors")
    del sys.modules["proactive_errors"]


def example(wanted: str, *history: str, dialogue: str = "d1") -> Example:
    turns = tuple(Turn(speaker=("system", "user")[at % 2], text=text) for at, text in enumerate(history))
    goal = Goal(topics=("云 海", "小 舟"), relations=())
    name = f"{dialogue}#{len(history)}"
    sample = Sample(id=name, dialogue_id=dialogue, history=turns, knowledge=FACTS, goal=goal)
    return Example(sample=sample, references=(Answer(text=wanted),))


@pytest.mark.parametrize(
    ("kind", "wanted", "reply", "history"),
    [
        ("opening", "你 好", "在 吗", ()),
        ("question ignored", "是 剧情 片", "很 好看", ("你 好", "什么 类型 的 ？")),
        ("B too early", "云 海 很 好", "小 舟 很 好", ("看 云 海 吧", "好")),
        ("B too late", "小 舟 很 好", "云 海 很 好", ("看 云 海 吧", "好")),
        ("A too early", "今天 很 好", "云 海 很 好", ("你 好", "好")),
        ("A too late", "云 海 很 好", "今天 很 好", ("你 好", "好")),
        ("other fact", "是 剧情 片", "有 30 万", ("你 好", "好")),
        ("fact missing", "是 剧情 片", "是 好 片", ("你 好", "好")),
        ("fact needless", "是 好 片", "是 剧情 片", ("你 好", "好")),
        ("states", "你 去 吗 ？", "一起 去 。", ("你 好", "好")),
        ("asks", "一起 去 。", "你 去 吗 ？", ("你 好", "好")),
        ("too short", "我 们 一起 去 看看 。", "去 。", ("你 好", "好")),
        ("too long", "去 。", "我 们 一起 去 看看 。", ("你 好", "好")),
        ("other words", "一起 去 。", "不错 哦 。", ("你 好", "好")),
    ],
)
def test_each_kind_has_a_reply_of_its_own(
    rules: Any, kind: str, wanted: str, reply: str, history: tuple[str, ...]
) -> None:
    assert rules.kinds_of(rules.case_of(example(wanted, *history), reply))[0] == kind


def test_every_kind_is_tried_above_and_what_is_left_over_stands_alone(rules: Any) -> None:
    found = rules.kinds_of(rules.case_of(example("你 去 吗 ？", "你 好", "谁 ？"), "小 舟 去 。"))
    assert found == ["B too early", "states"]
    assert list(rules.KINDS)[-1] == "other words"
    assert len(rules.KINDS) == 14


def test_a_topic_that_was_named_before_or_is_named_by_both_is_neither_early_nor_late(rules: Any) -> None:
    before = example("今天 不错", "看 云 海 吧", "好")
    both = example("云 海 不错", "你 好", "好")
    assert [rules.kinds_of(rules.case_of(one, "云 海 好看")) for one in (before, both)] == [["other words"]] * 2


def test_bad_replies_come_from_the_worst_fifth_and_repeat_with_the_seed(rules: Any) -> None:
    examples = [example("abcdefgh", dialogue=f"d{number}") for number in range(300)]
    replies = ["abcdefgh"[: 1 + number % 8] for number in range(300)]
    bad = rules.bad_places(examples, replies, 1)
    assert len(set(bad)) == 50
    assert bad == rules.bad_places(examples, replies, 1) != rules.bad_places(examples, replies, 2)
    worst = sorted(rules.f1_of(one, reply) for one, reply in zip(examples, replies, strict=True))[:60]
    assert all(rules.f1_of(examples[place], replies[place]) <= worst[-1] for place in bad)


def test_ten_whole_dialogues_are_drawn_by_seed(rules: Any) -> None:
    examples = [example("x", *["y"] * turn, dialogue=f"d{number:02}") for number in range(30) for turn in (0, 2)]
    drawn = rules.dialogues_drawn(examples, 1)
    assert len(drawn) == 10
    assert list(drawn) == sorted(drawn)
    assert all([examples[place].sample.dialogue_id for place in places] == [name] * 2 for name, places in drawn.items())
    assert drawn != rules.dialogues_drawn(examples, 2)
