"""Prompts of simulated users: what they tell, and how what a model says is read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from duologue.core.errors import UsageError
from duologue.core.plugins import load_task, names
from duologue.core.protocols import TaskInfo
from duologue.core.records import Act, Annotation, Answer, Fact, Goal, Item, Sample, Turn
from duologue.core.scenes import HANGS_UP, TYPED
from duologue.prompts.user_prompt import UserPrompt, typed_words, user_prompt_of

CHAT = "proactive"
HEARD = Sample(id="s", dialogue_id="d", history=(Turn(speaker="system", text="你 好"),))


def chat(language: str = "zh") -> UserPrompt:
    return user_prompt_of(load_task(CHAT).info, language)


def read(text: str) -> tuple[Any, bool, int]:
    """Return the words that are read without spaces, whether they are the last, and how many lines are dropped."""
    found = chat().read(text, HEARD)
    if found.answer is None or found.answer.text is None:
        return None, False, found.dropped
    acts = found.answer.annotation.acts if found.answer.annotation else ()
    return "".join(found.answer.text.split()), [act.name for act in acts] == [HANGS_UP], found.dropped


def said(words: str, *, hang_up: bool = False) -> str:
    return json.dumps({"say": words, "hang_up": hang_up}, ensure_ascii=False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (said("真的吗？"), ("真的吗？", False, 0)),
        (said("不聊了", hang_up=True), ("不聊了", True, 0)),
        (said("", hang_up=True), ("再见", True, 0)),
        (said("拜拜！"), ("拜拜！", True, 0)),
        (said("他说再见的时候"), ("他说再见的时候", False, 0)),
        (f"好的：{said('嗯嗯')}", ("嗯嗯", False, 0)),
        ("真的\n吗？", ("真的吗？", False, 0)),
        ("我：真的吗\n对方：是的\n我：哦", ("真的吗", False, 2)),
        (said("真的吗\n**对方：** 是的"), ("真的吗", False, 1)),
        (said("**我**：真的吗\nAssistant: 是的\nUser: 哦"), ("真的吗", False, 2)),
        ("user: 真的吗\nassistant：是的", ("真的吗", False, 1)),
        (said("User 是什么"), ("User是什么", False, 0)),
        ('{"say": "走了", "hang_up": "true"}', ("走了", False, 1)),
        ("先走了[END]", ("先走了", True, 0)),
        ("<think>嗯</think>好", ("好", False, 0)),
        ('{"say": "真的', (None, False, 0)),
        ('{"words": "真的"}', (None, False, 0)),
        ('{"say": 3, "hang_up": false}', (None, False, 0)),
        (said("  "), (None, False, 0)),
        ("", (None, False, 0)),
        ("对方：我先说", (None, False, 1)),
    ],
)
def test_words_and_hanging_up_are_read_by_one_rule(text: str, expected: tuple[Any, bool, int]) -> None:
    assert read(text) == expected


def test_a_user_who_hung_up_says_nothing_more() -> None:
    last = chat().read(said("走了", hang_up=True), HEARD).answer
    assert last is not None
    gone = Turn(speaker="user", text="走了", annotation=last.annotation)
    assert chat().settled(HEARD) is None
    later = Sample(id="t", dialogue_id="d", history=(*HEARD.history, gone, Turn(speaker="system", text="好")))
    assert chat().settled(later) == Answer()


def test_the_own_words_are_told_as_they_were_typed() -> None:
    acts = (Act(speaker="user", name=TYPED, args=("my own words",)),)
    turn = Turn(speaker="user", text="canonical", annotation=Annotation(acts=acts))
    assert typed_words(turn) == "my own words"
    assert typed_words(Turn(speaker="system", text="x", annotation=Annotation(acts=acts))) == "x"
    assert "我: my own words" in chat().history(Sample(id="s", dialogue_id="d", history=(turn,)))


@pytest.mark.parametrize("task", names("user_prompts"))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_user_is_told_facts_and_every_wording_is_whole(task: str, language: str) -> None:
    prompt = user_prompt_of(load_task(task).info, language)
    secret = Fact(subject="秘密", relation="秘密", object="secret-value")
    goal = Goal(items=(Item(name="ent-1", kind="kind", known={"name": "n", "slot": "v"}, asked=("phone",)),))
    sample = Sample(id="s", dialogue_id="d", history=HEARD.history, knowledge=(secret,), goal=goal, world="kb")
    told = "\n".join(one.content for one in prompt.messages(sample))
    assert "secret-value" not in told
    assert "{" not in told.replace('{"say": "', "")
    assert ("v" in told.split() or "slot v" in told or "slot: v" in told) == (task != CHAT)
    assert prompt.empty(sample).text
    assert prompt.mark.startswith(f"{task} {language} v1 ")
    assert prompt.info.answers == "text"


def test_a_task_without_a_user_is_told_with_those_that_have_one() -> None:
    with pytest.raises(UsageError, match=r"task .talk. has no prompt for a simulated user.*proactive, restaurant"):
        user_prompt_of(TaskInfo(name="talk", version="1", language="en", answers="text"))
