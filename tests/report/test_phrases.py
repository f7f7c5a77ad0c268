from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from duologue.core.plugins import load_system_class, names
from duologue.report import phrases
from duologue.report.phrases import FILE, background, in_chinese

if TYPE_CHECKING:
    from pathlib import Path

PHRASES = tomllib.loads(FILE.read_text("utf-8"))["phrase"]


def braces(text: str) -> list[str]:
    return sorted(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("row", PHRASES, ids=lambda row: row["en"][:40])
def test_every_phrase_is_told_with_what_stands_in_it(row: dict[str, str]) -> None:
    assert set(row) == {"en", "zh"}
    assert braces(row["en"]) == braces(row["zh"])
    values = {name: str(number) for number, name in enumerate(braces(row["en"]), start=11)}
    assert in_chinese(row["en"].format(**values)) == row["zh"].format(**values)


def test_phrases_stand_in_one_another() -> None:
    said = "12 turns of 3 annotated training dialogues with their knowledge bases"
    assert in_chinese(f"{said}, and 40 simulated calls with goals of the annotated ones") == (
        "3 段已标注训练对话中的 12 轮，及其知识库，以及按已标注目标模拟的 40 通通话"
    )
    where = "closed: 6000 simulated dialogues per subtask on average, knowledge base 1 and its five slots"
    assert in_chinese(where) == "closed：每个子任务平均 6000 段模拟对话，知识库 1 及其五个槽位"


def test_every_system_that_says_it_before_training_is_in_the_table() -> None:
    said = {name: getattr(load_system_class(name), "seen", None) for name in names("systems")}
    told = {name: seen for name, seen in said.items() if isinstance(seen, str)}
    assert {"random", "tfidf", "medoid", "solver", "rule-agent"} <= set(told)
    assert [name for name, seen in told.items() if in_chinese(seen) is None] == []


def test_what_others_say_is_escaped_and_marked_as_english() -> None:
    assert background("<b>all</b>") == '<span lang="en">&lt;b&gt;all&lt;/b&gt;</span>'
    assert background("{0} annotated calls").count("{0}") == 2


def test_what_is_longer_than_any_phrase_of_ours_is_left_as_it_is() -> None:
    assert in_chinese("1" * 300 + " annotated calls") == "1" * 300 + " 通已标注通话"
    assert in_chinese("1" * 301 + " annotated calls") is None  # no number or name is so long
    told = "{0}; then {0} replies of {0} training dialogues ({1})"
    for size, known in ((1000, True), (1001, False)):
        said = told.format("1" * 300, "b" * (size - len(told.format("1" * 300, ""))))
        assert len(said) == size
        assert (in_chinese(said) is not None) == known


def test_the_table_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_chinese("12 annotated calls") == "12 通已标注通话"

    def refuse(path: Path) -> bytes:
        raise AssertionError(f"{path} is read again")

    monkeypatch.setattr(phrases, "read_bytes", refuse)
    assert in_chinese("13 annotated calls") == "13 通已标注通话"
