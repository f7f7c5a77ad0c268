from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.protocols import Task
from duologue.core.records import Scoring
from duologue.testing import check_task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.challenges.conversation.task import ConversationTask

    Write = Callable[..., Path]


def test_the_task_keeps_its_contract(task: ConversationTask, golden: Path) -> None:
    check_task(task, golden.parent / "contract")


def test_the_task_is_what_the_registry_expects(task: ConversationTask) -> None:
    assert isinstance(task, Task)
    assert (task.info.name, task.info.language, task.info.answers) == ("conversation", "en", "text")
    assert task.info.variants[0] == "strict"


def test_all_examples_are_asked_in_one_round(task: ConversationTask, write: Write) -> None:
    examples = list(task.load(write("a\nb\n")))
    assert list(task.rounds(examples)) == [examples]


def test_check_and_score_agree(task: ConversationTask, write: Write) -> None:
    submission = task.read(write("U: a\nS_REF: b c d e\nS_HYP: b c d e\n"))
    assert task.check(submission, None, "strict") == ()
    assert task.score([], submission, Scoring(variant="strict")).n == 1
