from __future__ import annotations

import pytest

from duologue.core.protocols import TaskInfo
from duologue.core.scope import Scope

TALK = TaskInfo(name="talk", version="1", language="en", answers="text")
ACTS = TaskInfo(name="acts", version="1", language="zh", answers="acts+text")


@pytest.mark.parametrize(
    ("scope", "info", "why"),
    [
        (Scope(), ACTS, ""),
        (Scope(tasks=("talk",)), TALK, ""),
        (Scope(tasks=("talk", "chat")), ACTS, "it is made for talk and chat"),
        (Scope(answers=("text",)), TALK, ""),
        (Scope(answers=("text",)), ACTS, "it gives text, and 'acts' wants acts"),
        (Scope(answers=("acts", "text", "facts"), languages=("zh",)), ACTS, ""),
        (Scope(answers=("text",), languages=("zh",)), TALK, "it speaks zh, and 'talk' is in en"),
    ],
)
def test_a_scope_says_why_a_task_is_not_served(scope: Scope, info: TaskInfo, why: str) -> None:
    assert scope.refusal(info) == why


def test_a_scope_is_told_in_a_few_words() -> None:
    assert str(Scope()) == "any task"
    assert str(Scope(tasks=("talk", "chat"))) == "talk, chat"
    assert str(Scope(answers=("acts", "text"), languages=("zh",))) == "acts+text in zh"
