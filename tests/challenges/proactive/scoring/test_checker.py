from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.scoring import checker
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.errors import UsageError
from duologue.core.lines import Lines
from duologue.core.records import Answer, Example, Problem, Sample, Scoring, Submission

if TYPE_CHECKING:
    from pathlib import Path


def examples(*replies: str) -> list[Example]:
    return [
        Example(sample=Sample(id=str(at), dialogue_id=str(at)), references=(Answer(text=text),))
        for at, text in enumerate(replies)
    ]


DATA = examples("你 好 呀 ！", "看 过 云海 吗 ？")


def problems(
    tmp_path: Path, content: str | bytes, data: list[Example] | None = None, variant: str = "strict"
) -> list[Problem]:
    path = tmp_path / "p.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(checker.check(files.read_result(path), data, variant))


def test_good_files_have_no_problems(tmp_path: Path) -> None:
    for variant in ("strict", "official"):
        assert problems(tmp_path, "你 好 啊 ！\n看 云海 吗 ？\n", DATA, variant) == []
        assert problems(tmp_path, "你 好 啊 ！\n看 云海 吗 ？\n", None, variant) == []
        assert problems(tmp_path, "你 好 ！\t你 好 呀 ！\n看 吗 ？\t看 过 云海 吗 ？\n", DATA, variant) == []
        assert problems(tmp_path, "你 好 ！\tx ！\n", None, variant) == []


BROKEN = [
    ("gzip-damaged", b"\x1f\x8b12", "error"),
    ("not-utf8", b"\xff\n", "error"),
    ("byte-order-mark", "\ufeff你 好\n云海 ？\n", "warning"),
    ("prediction-empty", "你 好\n \u3000\n", "error"),
    ("line-count", "你 好\n", "error"),
    ("line-count", "你 好\n你 好\n你 好\n", "error"),
    ("prediction-tab", "你 好\n你\t好\n", "error"),
    ("reference-missing", "你 好\t你 好 呀 ！\n看\t\n", "error"),
    ("reference-differs", "你 好\t你 好 呀 ！\n看\t别 的\n", "error"),
    ("fields-extra", "你 好\t你 好 呀 ！\t1\n看\t看 过 云海 吗 ？\n", "warning"),
    ("space-double", "你  好\n看 吗\n", "warning"),
    ("space-odd", "你\u00a0好\n看 吗\n", "warning"),
    ("not-segmented", "你好你好你好你好你好你好你好\n看过云海吗看过云海吗看过云海吗\n", "warning"),
    ("slot-left", "看 过 video_topic_a 吗\n看 吗\n", "warning"),
    ("token-left", "看 过 <unk> 吗\n看 吗\n", "warning"),
]


@pytest.mark.parametrize(
    ("rule", "content", "severity"), BROKEN, ids=[f"{at}-{case[0]}" for at, case in enumerate(BROKEN)]
)
def test_each_rule_has_a_file_that_breaks_it_alone(
    tmp_path: Path, rule: str, content: str | bytes, severity: str
) -> None:
    (found,) = problems(tmp_path, content, DATA)
    assert (found.rule, found.severity) == (rule, severity)
    assert rule in checker.RULES
    assert found.message


@pytest.mark.parametrize(
    ("rule", "content", "severity"), BROKEN, ids=[f"{at}-{case[0]}" for at, case in enumerate(BROKEN)]
)
def test_one_look_at_all_lines_finds_what_a_look_at_each_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str, content: str | bytes, severity: str
) -> None:
    found = problems(tmp_path, content)
    monkeypatch.setattr(checker, "_spotless", lambda lines, evaluation: False)
    assert problems(tmp_path, content) == found


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    assert [problem.rule for problem in problems(tmp_path, "")] == ["no-lines"]


def test_every_rule_is_broken_by_some_test() -> None:
    elsewhere = {"no-lines", "unpacked-size", "official-refusal", "too-many-problems"}
    assert {rule for rule, _, _ in BROKEN} | elsewhere == set(checker.RULES)


def test_the_place_is_the_line(tmp_path: Path) -> None:
    assert [problem.place for problem in problems(tmp_path, "\n好\n\n")] == ["line 1", "line 3"]


def test_a_thousand_problems_are_enough(tmp_path: Path) -> None:
    found = problems(tmp_path, "\n" * 5_000)
    assert len(found) == 1_001
    assert found[-1].rule == "too-many-problems"


def test_the_official_check_accepts_what_the_program_survives(tmp_path: Path) -> None:
    assert problems(tmp_path, "a  b c\ta\n\tx\ny\n", None, "official") == []
    (found,) = problems(tmp_path, "a b c\tx\n", None, "official")
    assert found.rule == "official-refusal"
    assert "calc_f1: ZeroDivisionError: float division by zero" in found.message
    assert [one.rule for one in problems(tmp_path, "a b c\n", DATA, "official")] == ["line-count", "official-refusal"]
    assert [one.rule for one in problems(tmp_path, b"\xff", DATA, "official")] == ["not-utf8"]
    assert problems(tmp_path, "a b c\nd\n", None, "official") == []
    (few,) = problems(tmp_path, "a b c\nd\nx\ty\n", None, "official")
    assert "calc_f1" in few.message


def test_data_without_replies_only_counts_the_lines(tmp_path: Path) -> None:
    bare = [Example(sample=one.sample) for one in DATA]
    for variant in ("strict", "official"):
        assert [one.rule for one in problems(tmp_path, "a b c\n", bare, variant)] == ["line-count"]
        assert problems(tmp_path, "a b c\nd e f\n", bare, variant) == []


def test_an_unknown_variant_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'strict'"):
        problems(tmp_path, "a\n", None, "strickt")


line = st.text(alphabet="ab \t\u3000<", max_size=4)


@given(st.lists(line, max_size=5))
def test_lines_that_pass_at_one_look_have_no_problems(lines: list[str]) -> None:
    data = "".join(f"{one}\n" for one in lines).encode()
    for layout in (files.EVALUATION, files.PREDICTION):
        submission = Submission(rows=Lines(data), layout=layout)
        found = checker.check(submission, None, "strict")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(checker, "_spotless", lambda lines, evaluation: False)
            assert checker.check(submission, None, "strict") == found


def test_a_byte_order_mark_that_the_program_scores_is_not_said_to_stop_it(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes("\ufeffa b c\ta b c\nd e\td e\n".encode())
    task = ProactiveTask()
    submission = task.read(tmp_path / "x.txt")
    assert task.score([], submission, Scoring(variant="official")).n == 2
    (found,) = [one for one in task.check(submission, None, "strict") if one.rule == "byte-order-mark"]
    assert found.message.endswith("take for text or refuse")


@pytest.mark.parametrize(("letters", "told"), [(12, False), (13, True)])
def test_replies_without_a_space_are_uncut_where_they_are_longer_than_twelve_signs(
    tmp_path: Path, letters: int, *, told: bool
) -> None:
    found = problems(tmp_path, f"{'好' * (letters - 3)}\n{'好' * (letters + 3)}\n")
    assert [one.rule for one in found] == ["not-segmented"] * told
    assert problems(tmp_path, f"{'好' * 40}\n{'好' * 40} 。\n") == []


def test_the_number_of_lines_is_told_where_it_is_not_that_of_the_samples(tmp_path: Path) -> None:
    for content, lines in (("你 好 啊 ！\n", 1), ("你 好 啊 ！\n" * 3, 3)):
        (found,) = problems(tmp_path, content, DATA)
        assert found.message == f"the file has {lines} lines, the data 2 samples; one reply per sample is expected"
    found_in_line = problems(tmp_path, "你 好 啊 ！\n\n看  云海\n", None)
    assert [(one.rule, one.place) for one in found_in_line] == [
        ("prediction-empty", "line 2"),
        ("space-double", "line 3"),
    ]
