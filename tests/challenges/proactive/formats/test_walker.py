from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.errors import FormatError
from duologue.core.optional_protocols import Inspectable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.core.dialogue_view import DialogueView

    Make = Callable[..., Path]


def dumped(path: Path) -> str:
    task = ProactiveTask()
    assert isinstance(task, Inspectable)
    parts: list[str] = []
    task.dump(path, parts.append)
    return "".join(parts)


def test_a_session_is_shown_with_goal_knowledge_and_turns(sessions: Make) -> None:
    lines = dumped(sessions(1)).splitlines()
    assert lines[:3] == ["session: s0", "goal: START -> 海 的 一0 -> 云 小0", "goal: 海 的 一0 | 导演 | 云 小0"]
    assert lines.count("knowledge: 云 小0 | 身高 | 150cm") == 1
    assert lines[-2:] == ["user: 真 高 ， 谢谢 你 。", ""]
    assert len(lines) == 3 + 8 + 8 + 1


def test_an_empty_session_and_further_keys_are_no_problem(sessions: Make) -> None:
    path = sessions(2, conversation=[], samples=[["test_1", 0, 0]])
    assert dumped(path).count("(nothing said yet)") == 2
    found = ProactiveTask().statistics(path)
    assert (found["rows"], found["empty"], found["utterances"], found["words_per_user_utterance"]) == (2, 2, 0, 0)


def test_samples_are_shown_with_their_reply(sessions: Make, tmp_path: Path) -> None:
    (dialogue,) = files.load_sessions(sessions(1))
    files.write_samples(files.samples_of(dialogue), tmp_path / "samples.jsonl")
    text = dumped(tmp_path / "samples.jsonl")
    assert text.count("sample: ") == 4
    assert "\nreply: 身高 150cm 呢 。\n" in text
    assert ProactiveTask().statistics(tmp_path / "samples.jsonl")["replies"] == 4


def test_statistics_are_counted_and_spelled(sessions: Make) -> None:
    found = ProactiveTask().statistics(sessions(3))
    assert (found["utterances"], found["utterances_per_row"], found["longest"]) == (24, 8, 8)
    assert (found["agent_utterances"], found["triples"], found["topics"], found["form"]) == (12, 24, 6, ["session"])
    text = ProactiveTask().statistics_text(sessions(3))
    assert text.startswith("rows: 3\nform: session\nempty: 0\nutterances: 24\nutterances_per_row: 8.00\n")


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("{", encoding="utf-8")
    with pytest.raises(FormatError, match="not-json"):
        dumped(tmp_path / "x")


@pytest.mark.real_data(twin="test_an_empty_session_and_further_keys_are_no_problem")
def test_real_beginnings_of_sessions_are_counted(real_data: Path) -> None:
    found = ProactiveTask().statistics(real_data / "proactive" / "duconv_test_prefixes.jsonl.gz")
    assert (found["rows"], found["empty"], found["agent_utterances"], found["user_utterances"]) == (
        7936,
        745,
        19201,
        19201,
    )


def test_rows_are_shown_as_they_are_read_and_all_problems_told_after_them(sessions: Make, tmp_path: Path) -> None:
    """A file of 100,000 sessions was held in memory to show one."""
    good = sessions(3).read_text(encoding="utf-8")
    path = tmp_path / "odd.txt"
    path.write_text(f"{good}{{}}\n{good}no json\n", encoding="utf-8")
    shown: list[DialogueView] = []
    with pytest.raises(FormatError) as refused:
        shown.extend(ProactiveTask().views(path))
    assert len(shown) == 3
    assert {problem.place.partition(",")[0] for problem in refused.value.problems} >= {"line 4", "line 8"}
    written: list[str] = []
    with pytest.raises(FormatError):
        ProactiveTask().dump(path, written.append)
    assert sum(line.startswith("session: ") for line in written) == 3


@pytest.mark.slow
def test_statistics_hold_no_more_for_more_rows(sessions: Make) -> None:
    def peak(n: int) -> int:
        path = sessions(n)
        tracemalloc.start()
        ProactiveTask().statistics(path)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(1)
    assert peak(4000) < 2 * peak(1000)
