from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.schema import CUTS, INFO
from duologue.challenges.proactive.scoring import checker, formulas, official, scorer
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core import decompression, disk
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Answer, Report, Scoring
from duologue.metrics.counts import Counts

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example

TALK = ["你 看 电影 吗 ？", "看", "云海 很 美 ， 是 爱情 片 。", "谁 导演 的", "林小舟 ， 他 是 导演 。"]
GOAL = [["START", "云海", "林 小舟"], ["云海", "类型", "爱情"]]
FACTS = [["云海", "领域", "电影"], ["云海", "评论", "很 美"], ["林 小舟", "领域", "明星"], ["林 小舟", "职业", "导演"]]
REPLIES = TALK[::2]


def data(folder: Path, dialogues: int = 2) -> list[Example]:
    row = {"goal": GOAL, "knowledge": FACTS, "conversation": TALK}
    (folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for _ in range(dialogues)), encoding="utf-8")
    return files.load(folder / "s.jsonl")


def report(folder: Path, content: str, examples: list[Example] | None = None, **how: Any) -> Report:
    (folder / "p.txt").write_text(content, encoding="utf-8", newline="")
    return scorer.score(examples or [], files.read_result(folder / "p.txt"), Scoring(**{"variant": "strict", **how}))


def values(found: Report) -> dict[str, float]:
    return {score.name: score.value for score in found.scores}


def lines(*replies: str) -> str:
    return "".join(f"{reply}\n" for reply in replies)


def check_cases(folder: Path) -> int:
    """Demand that the task gives the figures of the cases of a folder; return how many there are."""
    cases = sorted(folder.glob("*/expected.json"))
    for case in cases:
        expected = json.loads(case.read_text(encoding="utf-8"))
        submission = files.read_result(case.parent / "input.txt")
        if "error" in expected:
            with pytest.raises(FormatError, match=expected["error"]) as caught:
                scorer.score([], submission, Scoring(variant="official"))
            assert "".join(caught.value.transcript) == expected["stdout"]
            continue
        found = scorer.score([], submission, Scoring(variant="official"))
        assert lines(*found.transcript) == expected["stdout"]
        assert found.n == expected["exact"].pop("pairs")
        assert {name.replace("-", ""): value for name, value in values(found).items()} == expected["exact"]
    return len(cases)


def test_cases_of_our_own_are_equal_through_the_task_too(golden: Path) -> None:
    assert check_cases(golden / "scoring") == 2


@pytest.mark.real_data(twin="test_cases_of_our_own_are_equal_through_the_task_too")
def test_the_golden_cases_are_equal_through_the_task_too(real_data: Path) -> None:
    assert check_cases(real_data / "proactive" / "golden") == 8


@pytest.mark.parametrize("variant", ["strict", "official"])
def test_the_replies_themselves_score_the_most(tmp_path: Path, variant: str) -> None:
    found = report(tmp_path, lines(*REPLIES, *REPLIES), data(tmp_path), variant=variant)
    best = values(found)
    assert found.n == 6
    assert {best[name] for name in best if "distinct" not in name} == {1.0}
    assert set(official.NAMES) <= set(best)
    assert ("goal-completion" in best) == (variant == "strict")
    worse = values(report(tmp_path, lines(*REPLIES, "你 看", "不 看 。", "好 吧 。"), data(tmp_path), variant=variant))
    assert all(worse[name] <= best[name] for name in best if "distinct" not in name)


def test_data_with_predictions_scores_as_the_evaluation_file_made_of_both(tmp_path: Path) -> None:
    said = ["你 好 ，", "", "云海 很 美", "林小舟 是  导演", "x", "不 看"]
    pasted = "".join(f"{one}\t{two}\n" for one, two in zip(said, REPLIES + REPLIES, strict=True))
    alone = report(tmp_path, pasted, variant="official")
    beside = report(tmp_path, lines(*said), data(tmp_path), variant="official")
    assert alone.transcript == beside.transcript
    assert alone.scores[0].value == beside.scores[0].value
    assert (alone.n, beside.n, len(beside.items)) == (5, 5, 6)


def test_strict_counts_an_empty_prediction_and_official_does_not(tmp_path: Path) -> None:
    content = "a b c\ta b c\n\td e f\n"
    with pytest.raises(FormatError, match="prediction-empty"):
        report(tmp_path, content)
    assert values(report(tmp_path, content, partial=True))["f1"] == pytest.approx(2 / 3)
    assert values(report(tmp_path, content, variant="official"))["f1"] == 1


def test_official_scores_the_lines_with_two_fields_however_few_they_are(tmp_path: Path) -> None:
    found = report(tmp_path, "a b c\nc d e f\ng\na b c\ta b c\nh i\n", variant="official")
    assert (found.n, values(found)["bleu-2"]) == (1, 1.0)
    assert found.transcript[0] == "F1: 100.00%"
    with pytest.raises(FormatError, match="truth-missing"):
        report(tmp_path, "a b c\nc d e f\ng\na b c\ta b c\nh i\n")


def test_missing_lines_are_refused_unless_partial(tmp_path: Path) -> None:
    for variant in ("strict", "official"):
        with pytest.raises(FormatError, match="line-count"):
            report(tmp_path, lines(*REPLIES), data(tmp_path), variant=variant)
    assert values(report(tmp_path, lines(*REPLIES), data(tmp_path), partial=True))["f1"] == pytest.approx(2 / 3)
    assert report(tmp_path, lines(*REPLIES), data(tmp_path), partial=True, variant="official").n == 3


def test_what_cannot_be_scored_at_all_is_refused_even_in_part(tmp_path: Path) -> None:
    for content in ("", "lonely\n"):
        with pytest.raises(FormatError, match="truth-missing"):
            report(tmp_path, content, partial=True)
    (tmp_path / "p.txt").write_bytes(b"\xff")
    with pytest.raises(FormatError, match="not-utf8"):
        scorer.score([], files.read_result(tmp_path / "p.txt"), Scoring(variant="official"))
    with pytest.raises(UsageError, match="did you mean"):
        report(tmp_path, "a\tb\n", variant="offical")
    with pytest.raises(FormatError, match="no-lines"):
        report(tmp_path, "", data(tmp_path), partial=True)


def test_a_file_of_silence_scores_nothing(tmp_path: Path) -> None:
    found = report(tmp_path, "\n" * 6, data(tmp_path), partial=True)
    assert set(values(found).values()) == {0.0}
    assert all(score.low is None or score.low <= 0 <= (score.high or 0) for score in found.scores)


def test_the_counts_of_a_report_give_its_scores_again(tmp_path: Path) -> None:
    said = ["云海 很 美", "电影 ， 电影", "导演 ！", "你 好 。", "不 看 。", "林小舟"]
    for variant in ("strict", "official"):
        how = Scoring(variant=variant)
        found = report(tmp_path, lines(*said), data(tmp_path), variant=variant)
        counts = Counts.of_report(found)
        for metric in formulas.metrics(how):
            assert metric.value(counts) == pytest.approx(values(found)[metric.name], abs=1e-12)
        assert found.groups == ("000000",) * 3 + ("000001",) * 3
        assert str(found.signature).split(" | ")[1:4] == [
            "proactive",
            variant,
            {"strict": "v2", "official": "v1"}[variant],
        ]


def test_knowledge_scores_compare_the_objects_that_are_mentioned(tmp_path: Path) -> None:
    said = ["很 美", "很 美 ， 导演", "无"]  # wanted: nothing; 很美 and 爱情; 导演
    found = report(tmp_path, lines(*said), data(tmp_path, 1))
    assert values(found)["knowledge-precision"] == pytest.approx(1 / 3)
    assert values(found)["knowledge-recall"] == pytest.approx(1 / 3)
    assert values(found)["goal-completion"] == 0


def test_bigrams_match_as_tuples_in_strict_and_joined_in_official(tmp_path: Path) -> None:
    content = "ab c d\ta bc d\n"
    assert values(report(tmp_path, content))["bleu-2"] == 0
    assert values(report(tmp_path, content, variant="official"))["bleu-2"] > 0


def test_slices_are_the_scores_of_their_parts(tmp_path: Path) -> None:
    said = ["你 看 。", "云海 。", "他 是 导演 。", "你 ？", "很 美 。", "林小舟 。"]
    found = report(tmp_path, lines(*said), data(tmp_path), by=("turn",))
    assert [(part.by, part.value, part.n) for part in found.slices] == [("turn", name, 2) for name in "123"]
    first = report(tmp_path, f"{said[0]}\t{REPLIES[0]}\n{said[3]}\t{REPLIES[0]}\n")
    assert found.slices[0].scores[0].value == values(first)["f1"]
    assert {part.by for part in report(tmp_path, lines(*said), data(tmp_path)).slices} == set(CUTS)


def test_very_long_files_keep_their_counts_in_runs_of_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = "".join(f"{at % 7} b c {at}\ta b c {at % 11}\n" for at in range(100))
    whole = {variant: report(tmp_path, content, variant=variant) for variant in INFO.variants}
    monkeypatch.setattr(scorer, "HELD_LIMIT", 50)
    monkeypatch.setattr(scorer, "_RUNS", 9)
    for variant in INFO.variants:
        found = report(tmp_path, content, variant=variant)
        assert values(found) == values(whole[variant])
        assert [name for name, _ in found.items][-1] == "lines 97-100"
        assert len(found.items) == 9
        assert found.n == 100
        assert (
            Counts.of_report(found).sums().tolist()
            == Counts.of_report(whole[variant]).sums().tolist()[: len(found.columns)]
        )


words = st.lists(st.sampled_from(["你", "你好", "好", "电影", "a"]), min_size=3, max_size=6).map(" ".join)


@settings(max_examples=25)
@given(st.lists(st.tuples(words, words), min_size=1, max_size=7), st.sampled_from(["strict", "official"]))
def test_fractions_stay_within_their_intervals_and_order_never_matters(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], variant: str
) -> None:
    folder = tmp_path_factory.mktemp("p")
    content = [f"{said} 。\t{wanted} 。" for said, wanted in pairs]
    found = report(folder, lines(*content), variant=variant)
    for score in found.scores:
        assert 0 <= score.value <= 1
        assert (score.low is None) == (len(pairs) < 5)
        if score.low is not None and score.high is not None:
            assert score.low <= score.value <= score.high
    assert "dialogues are not known" in found.caution
    assert "dialogues unknown, by line" in str(found.signature)
    assert values(report(folder, lines(*content[::-1]), variant=variant)) == pytest.approx(values(found), abs=1e-15)
    gold = report(folder, lines(*(f"{wanted} 。\t{wanted} 。" for _, wanted in pairs)), variant=variant)
    assert all(values(found)[name] <= values(gold)[name] == 1 for name in ("f1", "bleu-1", "bleu-2"))


def test_an_answer_of_the_task_can_be_scored_by_itself(tmp_path: Path) -> None:
    examples = data(tmp_path)
    files.write_predictions([(one.sample.id, Answer(text="你 看 电影")) for one in examples], tmp_path / "p.txt")
    found = scorer.score(examples, files.read_result(tmp_path / "p.txt"), Scoring(variant="official"))
    assert found.transcript[0].startswith("F1: ")


GOOD = "你 好 ，\t你 看 电影\n云海 很 美\t云海 是 爱情 片\n".encode()
pieces = st.sampled_from(
    [b"", b"\n", b"\r", b"\t", b" ", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80", b"\x00", b"\xe3\x80\x80", b"x" * 5_000]
)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, len(GOOD)), st.integers(0, 30), pieces), min_size=1, max_size=4))
def test_no_mutation_of_a_result_makes_the_task_fail_otherwise(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[tuple[int, int, bytes]]
) -> None:
    content = GOOD
    for at, skipped, piece in cuts:
        content = content[:at] + piece + content[at + skipped :]
    folder = tmp_path_factory.mktemp("m")
    (folder / "p.txt").write_bytes(content)
    submission = files.read_result(folder / "p.txt")
    for examples in ([], data(folder, 1)):
        for variant in INFO.variants:
            refused = [one for one in checker.check(submission, examples or None, variant) if one.severity == "error"]
            for partial in (False, True):
                try:
                    found = scorer.score(examples, submission, Scoring(variant=variant, partial=partial))
                except FormatError:
                    assert refused or (not examples and submission.layout == files.PREDICTION) or partial
                else:
                    assert partial or not refused
                    assert all(0 <= score.value <= 1 for score in found.scores)


@pytest.mark.parametrize("variant", ["strict", "official"])
def test_runs_of_lines_add_up_to_what_the_lines_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    lines = "".join(f"甲 {number} 乙\t甲 {number % 7} 丙\n" if number % 5 else "\n" for number in range(700))
    (tmp_path / "e.txt").write_text(lines, encoding="utf-8")
    how = Scoring(variant=variant, partial=True)
    task = ProactiveTask()
    one_by_one = task.score([], task.read(tmp_path / "e.txt"), how)
    monkeypatch.setattr(scorer, "HELD_LIMIT", 600)
    monkeypatch.setattr(scorer, "_RUNS", 100)
    monkeypatch.setattr(decompression, "PIECE", 64)
    monkeypatch.setattr(disk, "SMALL", -1)
    runs = task.score([], task.read(tmp_path / "e.txt"), how)
    assert [name for name, _ in runs.items[:2]] == ["lines 1-7", "lines 8-14"]
    assert len(runs.items) == 100
    assert [one.value for one in runs.scores] == [one.value for one in one_by_one.scores]
    assert runs.n == one_by_one.n
    for place, name in enumerate(runs.columns):
        total = sum(counts[one_by_one.columns.index(name)] for _, counts in one_by_one.items)
        assert sum(counts[place] for _, counts in runs.items) == total


def test_many_lines_are_still_those_of_their_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = data(tmp_path, dialogues=100)
    content = lines(*REPLIES * 100)
    found = report(tmp_path, content, examples)
    assert [name for name, _ in found.items] == [one.sample.id for one in examples]
    assert len(set(found.groups)) == 100
    monkeypatch.setattr(scorer, "HELD_LIMIT", 300)
    assert report(tmp_path, content, examples).items == found.items
    monkeypatch.setattr(scorer, "HELD_LIMIT", 299)
    assert report(tmp_path, content, examples).items[0][0].startswith("lines 1-")


def test_lines_of_another_number_than_the_data_have_names_of_their_own(tmp_path: Path) -> None:
    found = report(tmp_path, lines(*REPLIES), data(tmp_path), variant="strict", partial=True)
    assert found.n == 6
    alone = report(tmp_path, "".join(f"{one}\t{one}\n" for one in REPLIES))
    assert [name for name, _ in alone.items] == ["line 1", "line 2", "line 3"]
    assert alone.groups == ()


def test_distinct_bigrams_are_tuples_in_strict_and_joined_in_official(tmp_path: Path) -> None:
    """`ab c` and `a bc` are one bigram when written together; both have three other words."""
    content = "ab c d\tx y c\na bc d\tx y c\n"
    found = {variant: values(report(tmp_path, content, variant=variant)) for variant in ("strict", "official")}
    assert found["strict"]["distinct-2"] == 4 / 4
    assert found["official"]["distinct-2"] == 3 / 4


def test_official_refuses_for_the_number_of_lines_and_for_nothing_else(tmp_path: Path) -> None:
    examples = data(tmp_path, dialogues=1)
    assert report(tmp_path, "\ufeff" + lines(*REPLIES), examples, variant="official").n == 3
    with pytest.raises(FormatError, match="line-count"):
        report(tmp_path, lines(*REPLIES[:2]), examples, variant="official")


@pytest.mark.parametrize(
    ("variant", "told"), [("strict", ["space-double", "line-count"]), ("official", ["line-count"])]
)
def test_a_refusal_tells_all_problems_or_what_the_official_program_stumbles_over(
    tmp_path: Path, variant: str, told: list[str]
) -> None:
    with pytest.raises(FormatError) as caught:
        report(tmp_path, lines("云海  很 美", "林 小舟"), data(tmp_path, 1), variant=variant)
    assert sorted(one.rule for one in caught.value.problems) == sorted(told)


@pytest.mark.parametrize(("lines", "step"), [(100_000, 1), (100_001, 11), (110_000, 11), (110_001, 12)])
def test_above_a_hundred_thousand_lines_counts_are_kept_in_up_to_ten_thousand_runs(lines: int, step: int) -> None:
    sums = scorer._sums_of(lines)
    assert (sums.step, sums.runs) == (step, -(-lines // step))
