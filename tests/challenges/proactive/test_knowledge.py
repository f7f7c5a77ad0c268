from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.proactive import knowledge
from duologue.challenges.proactive.formats import files
from duologue.core.records import Example, Fact, Goal, Sample, Turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FACTS = tuple(
    Fact(subject=one, relation=two, object=three)
    for one, two, three in [
        ("云海", "领域", "电影"),
        ("云海", "导演", "林 小舟"),
        ("云海", "评论", "很 美 "),
        ("林 小舟", "职业", "导演"),
        ("林 小舟", "生日", ""),
    ]
)
SAMPLE = Sample(
    id="x",
    dialogue_id="x",
    knowledge=FACTS,
    goal=Goal(topics=("云海", "林 小舟"), relations=(FACTS[1], Fact(subject="云海", relation="类型", object="爱情"))),
)
USABLE = knowledge.usable_facts(SAMPLE)
TOPICS = ("云海", "林 小舟")


def test_domains_topic_names_and_empty_objects_are_no_knowledge_and_goal_rows_are() -> None:
    assert [one.object for one in USABLE] == ["很美", "导演", "爱情"]
    assert knowledge.usable_facts(Sample(id="x", dialogue_id="x")) == ()


def test_objects_are_looked_for_with_all_spaces_removed() -> None:
    assert knowledge.mentioned_objects("云 海 很 美 ， 电影", USABLE) == {"很美"}
    assert knowledge.mentioned_objects("", USABLE) == frozenset()


def test_an_object_inside_the_name_of_a_topic_is_not_mentioned() -> None:
    facts = [("夜里 的 女人", "类型", "爱情"), ("林 小舟", "性别", "女"), ("林 小舟", "代表作", "女人")]
    known = tuple(Fact(subject=one, relation=two, object=three) for one, two, three in facts)
    goal = Goal(topics=("夜里 的 女人", "林 小舟"))
    usable = knowledge.usable_facts(Sample(id="x", dialogue_id="x", knowledge=known, goal=goal))
    assert knowledge.mentioned_objects("林小舟 演 的 夜里 的 女人", usable) == frozenset()
    assert knowledge.mentioned_objects("夜里 的 女人 ， 她 是 女 的", usable) == {"女"}
    replies = ["夜里 的 女人 是 爱情 片", "林小舟 演 的"]
    assert knowledge.goal_completion(goal.topics, usable, replies) == 1
    assert knowledge.goal_completion(goal.topics, usable, [*replies, "她 是 女 的"]) == 2


@pytest.mark.parametrize(
    ("replies", "points"),
    [
        ([], 0),
        (["云海 很 美", "导演"], 0),  # B is never named
        (["林 小舟 是 导演", "云海 很 美"], 0),  # B before A
        (["云海 和 林小舟"], 1),  # in one reply; no fact is used
        (["云海 很 美", "林小舟"], 1),
        (["云海 很 美", "林小舟 ， 导演"], 2),
        (["你 好", "云 海", "林小舟", "爱情 ， 很美"], 2),
    ],
)
def test_goal_completion_wants_both_topics_in_order_and_two_facts(replies: list[str], points: int) -> None:
    assert knowledge.goal_completion(TOPICS, USABLE, replies) == points


def points_of(path: Path) -> Counter[int]:
    """Return how many dialogues of a file complete their goal how far."""
    examples = files.load(path)
    points: Counter[int] = Counter()
    for places in knowledge.complete_dialogues(examples):
        sample = examples[places[0]].sample
        assert sample.goal is not None
        replies = [str(examples[place].references[0].text) for place in places]
        points[knowledge.goal_completion(sample.goal.topics, knowledge.usable_facts(sample), replies)] += 1
    return points


def test_made_dialogues_complete_their_goals_as_far_as_they_were_made_to(sessions: Callable[..., Path]) -> None:
    assert points_of(sessions(9)) == {2: 9}
    silent = ["你 好", "你 好 ！", "好 电影", "是 吗 ？"]
    paths = [sessions(2, "silent.jsonl", conversation=silent), sessions(3, "whole.jsonl", start=20)]
    mixed = paths[0].with_name("mixed.jsonl")
    mixed.write_text("".join(path.read_text("utf-8") for path in paths), encoding="utf-8")
    assert points_of(mixed) == {0: 2, 2: 3}


@pytest.mark.real_data(twin="test_made_dialogues_complete_their_goals_as_far_as_they_were_made_to")
def test_human_dialogues_complete_their_goals_as_often_as_the_docs_say(real_data: Path) -> None:
    points = points_of(real_data / "proactive" / "duconv_dev_visible.jsonl.gz")
    assert points.total() == 1_500
    # specification, section 7.1, counts objects inside the names of topics too: 87.9, 8.4, 3.7
    assert [round(points[score] / 15, 1) for score in (2, 1, 0)] == [87.6, 8.7, 3.7]


def test_only_dialogues_of_which_every_agent_turn_is_asked_for_are_whole() -> None:
    def asked(dialogue: str, turns: int) -> Example:
        history = (Turn(speaker="user", text=""),) * turns
        return Example(sample=Sample(id=f"{dialogue}#{turns}", dialogue_id=dialogue, history=history))

    examples = [asked("a", 2), asked("b", 2), asked("a", 0), asked("c", 0), asked("d", 0), asked("d", 4)]
    assert knowledge.complete_dialogues(examples) == [[2, 0], [3]]
