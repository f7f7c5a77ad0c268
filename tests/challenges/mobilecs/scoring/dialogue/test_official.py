from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.mobilecs.schema.intents import STAFF_LABELS, USER_LABELS
from duologue.challenges.mobilecs.scoring.dialogue import official
from duologue.challenges.mobilecs.scoring.official_errors import OfficialError
from duologue.challenges.mobilecs.task import DialogueTask
from duologue.core.errors import FormatError
from duologue.core.records import Scoring

if TYPE_CHECKING:
    from pathlib import Path

OFFICIAL = Scoring(variant="official")
BASE = {
    "ent-1": {"name": "冬日包,它", "type": "流量包", "业务费用": "十二块钱"},
    "ent-2": {"name": "星光包", "type": "流量包"},
    "NA": {"账户余额": "三十元"},
}


def check_case(case: dict[str, Any], folder: Path) -> None:
    """Demand that every figure of a golden case comes out, with the truth in its own file and in the result's."""
    expected = case["expected"]
    path = folder / "dialogs.json"
    path.write_text(json.dumps(case["dialogs"]), encoding="utf-8")
    task = DialogueTask()
    submission = task.read(path)
    for examples in (list(task.load(path)), []):
        report = task.score(examples, submission, OFFICIAL)
        found = {score.name: score.value for score in report.scores}
        for side in ("user", "system"):
            for name, short in (("precision", "p"), ("recall", "r"), ("f1", "f1")):
                wanted = expected[f"{side}_intent"][short]
                assert found[f"{side}-intent-{name}"] == pytest.approx(wanted, abs=1e-12)
        assert found["success"] == pytest.approx(expected["success"], abs=1e-12)
        assert found["bleu"] == pytest.approx(expected["bleu"], abs=1e-9)
        assert found["combined"] == pytest.approx(expected["combined"], abs=1e-9)
    made = official.score(case["dialogs"])
    named = zip(case["dialogs"], made, strict=True)
    assert [{"id": row["id"], "requested": one.requested} for row, one in named] == expected["requested_info"]


def test_cases_of_our_own_give_the_official_figures(golden: Path, tmp_path: Path) -> None:
    cases = json.loads((golden / "official" / "track2.json").read_bytes())
    assert len(cases) == 7
    for case in cases:
        check_case(case, tmp_path)


@pytest.mark.real_data(twin="test_cases_of_our_own_give_the_official_figures")
def test_cases_of_real_dialogues_give_the_official_figures(real: Path, tmp_path: Path) -> None:
    cases = json.loads((real / "golden" / "track2_cases.json").read_bytes())
    assert len(cases) == 12
    for case in cases:
        check_case(case, tmp_path)


def dialogue(**changes: Any) -> dict[str, Any]:
    turn = {
        "用户": "多少钱",
        "客服": "十二块钱",
        "用户意图": "询问(ent-1-业务费用)",
        "客服意图": "通知",
        "用户意图-生成": "询问(它-业务费用)",
        "客服意图-生成": "通知",
        "客服-生成": "十二块钱",
    }
    turn = {key: value for key, value in {**turn, **changes}.items() if value is not ...}
    return {"id": "d", "KB": BASE, "goal": {"ent-1": {"业务费用": "?"}}, "content": [turn]}


def scored(row: dict[str, Any], folder: Path) -> dict[str, float]:
    (folder / "d.json").write_text(json.dumps([row]), encoding="utf-8")
    report = DialogueTask().score([], DialogueTask().read(folder / "d.json"), OFFICIAL)
    return {score.name: score.value for score in report.scores}


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"用户意图-生成": "客套"}, "ZeroDivisionError: no user intent"),
        ({"客服意图-生成": "建议"}, "ZeroDivisionError: no staff intent"),
        ({"客服-生成": ""}, "ZeroDivisionError: all replies are empty"),
        ({"客服-生成": ...}, "KeyError: '客服-生成'"),
        ({"客服": ...}, "KeyError: '客服'"),
        ({"用户意图": ...}, "KeyError: '用户意图'"),
        ({"客服意图-生成": 7}, "TypeError"),
        ({"用户意图-生成": None}, "AttributeError"),
    ],
)
def test_what_the_official_program_crashes_on_is_an_error_that_names_it(
    changes: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=kind):
        scored(dialogue(**changes), tmp_path)


def test_a_goal_without_anything_to_ask_for_divides_by_zero(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="ZeroDivisionError: no dialogue has a requested item"):
        scored({**dialogue(), "goal": {}}, tmp_path)


def test_a_consultation_of_an_unknown_type_is_a_key_error() -> None:
    with pytest.raises(OfficialError, match="KeyError: '宽带'"):
        official.score([{**dialogue(), "goal": {"咨询": "询问-宽带"}}])


def test_a_perfect_reply_scores_a_little_more_than_100(tmp_path: Path) -> None:
    assert scored(dialogue(), tmp_path)["bleu"] > 100


def test_an_id_of_two_digits_is_taken_for_the_entity_of_its_first_digit() -> None:
    counts = official.user_counts("询问(冬日包-业务费用)", "询问(ent-10-业务费用)", BASE)
    assert counts == {"user-intent right": 1, "user-intent said": 1, "user-intent wanted": 1}


def test_a_predicted_entity_id_never_matches() -> None:
    counts = official.user_counts("询问(ent-1-业务费用)", "询问(ent-1-业务费用)", BASE)
    assert (counts["user-intent right"], counts["user-intent wanted"]) == (0, 1)


def test_an_incomplete_act_is_right_and_missing_at_once() -> None:
    counts = official.user_counts("询问(它-业务费用)", "询问(ent-1-业务费用)(账户余额)", BASE)
    assert counts == {"user-intent right": 1, "user-intent said": 1, "user-intent wanted": 2}


def test_an_empty_staff_intent_is_right() -> None:
    assert official.system_counts("", "通知")["system-intent right"] == 1


@pytest.mark.parametrize("name", [None, 7, ["d"], {"d": 1}, ...])
def test_ids_of_any_kind_are_scored_as_the_official_program_never_reads_them(name: Any, tmp_path: Path) -> None:
    row = {key: value for key, value in {**dialogue(), "id": name}.items() if value is not ...}
    assert scored(row, tmp_path)["success"] == 1
    (tmp_path / "two.json").write_text(json.dumps([row, row]), encoding="utf-8")
    report = DialogueTask().score([], DialogueTask().read(tmp_path / "two.json"), OFFICIAL)
    assert report.n == 2
    first, second = report.groups  # of one id, and still two dialogues
    assert second == f"{first}~2"


def test_a_dialogue_without_turns_counts_in_success(tmp_path: Path) -> None:
    rows = [dialogue(), {**dialogue(), "id": "e", "content": []}]
    (tmp_path / "d.json").write_text(json.dumps(rows), encoding="utf-8")
    task = DialogueTask()
    submission = task.read(tmp_path / "d.json")
    for examples in (list(task.load(tmp_path / "d.json")), []):
        found = {score.name: score.value for score in task.score(examples, submission, OFFICIAL).scores}
        assert found["success"] == 0.5


def test_a_turn_without_a_prediction_is_skipped_and_keeps_its_place() -> None:
    whole, silent = dialogue(), dialogue(**{"用户意图-生成": ...})
    (alone,) = official.score([whole])
    (found,) = official.score([{**whole, "content": [*silent["content"], *whole["content"]]}])
    assert found.turns == [{}, *alone.turns]
    assert found.fulfilled == alone.fulfilled


intents = st.lists(st.sampled_from([*USER_LABELS, *STAFF_LABELS, "询问(账户余额)", "求助-查询(它-业务费用)", ""])).map(
    ",".join
)


@given(intents, intents)
def test_never_more_is_right_than_is_said_or_wanted(said: str, true: str) -> None:
    for side, counts in (
        ("user", official.user_counts(said, true, BASE)),
        ("system", official.system_counts(said, true)),
    ):
        assert 0 <= counts[f"{side}-intent right"] <= counts[f"{side}-intent said"]
        assert counts[f"{side}-intent right"] <= counts[f"{side}-intent wanted"]


@given(intents)
def test_an_intent_without_entity_ids_is_all_right_as_its_own_prediction(intent: str) -> None:
    for side, counts in (
        ("user", official.user_counts(intent, intent, BASE)),
        ("system", official.system_counts(intent, intent)),
    ):
        assert len({counts[f"{side}-intent {part}"] for part in ("right", "said", "wanted")}) == 1


@pytest.mark.parametrize("goal", [{}, {"ent-1": {"业务费用": "?"}}])
def test_a_dialogue_without_turns_counts_if_it_has_requests(goal: dict[str, Any], tmp_path: Path) -> None:
    empty = {**dialogue(), "id": "e", "goal": goal, "content": []}
    (tmp_path / "gold.json").write_text(json.dumps([dialogue(), empty]), encoding="utf-8")
    answered = [{key: row[key] for key in ("id", "KB", "content")} for row in (dialogue(), empty)]
    (tmp_path / "result.json").write_text(json.dumps(answered), encoding="utf-8")
    task = DialogueTask()
    examples, submission = list(task.load(tmp_path / "gold.json")), task.read(tmp_path / "result.json")
    for rows in (answered, answered[:1]):
        one = msgspec.structs.replace(submission, rows=rows)
        assert task.check(one, examples, "strict") == ()
        found = {score.name: score.value for score in task.score(examples, one, OFFICIAL).scores}
        assert found["success"] == (0.5 if goal else 1.0)
        assert task.score(examples, one, Scoring(variant="strict")).n == 1


@pytest.mark.parametrize(
    "changes", [{"用户意图-生成": "客套"}, {"客服意图-生成": "建议"}, {"客服-生成": ""}, {"客服-生成": " \t"}]
)
def test_the_check_against_the_truth_finds_each_division_by_zero(changes: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(json.dumps([dialogue(**changes)]), encoding="utf-8")
    task = DialogueTask()
    examples, submission = list(task.load(tmp_path / "d.json")), task.read(tmp_path / "d.json")
    (problem,) = task.check(submission, examples, "official")
    assert (problem.rule, "ZeroDivisionError" in problem.message) == ("official-crash", True)
    with pytest.raises(FormatError) as caught:
        task.score(examples, submission, OFFICIAL)
    assert caught.value.problems == (problem,)
