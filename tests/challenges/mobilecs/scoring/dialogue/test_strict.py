from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.mobilecs.schema.intents import STAFF_LABELS, USER_LABELS, acts_of
from duologue.challenges.mobilecs.scoring.dialogue import strict
from duologue.challenges.mobilecs.task import DialogueTask
from duologue.core.records import Annotation, Answer, Scoring

if TYPE_CHECKING:
    from pathlib import Path

BASE = {
    "ent-1": {"name": "冬日包,它", "type": "流量包", "业务费用": "十二块钱", "流量总量": "三个G"},
    "ent-12": {"name": "星光包,它", "type": "流量包", "业务费用": "二十元"},
    "NA": {"账户余额": "三十元"},
}


def answer(user: str = "", system: str = "", text: str | None = "") -> Answer:
    return Answer(text=text, annotation=Annotation(acts=(*acts_of(user, "user"), *acts_of(system, "system"))))


def row(*turns: tuple[str, str], goal: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a dialogue from what the user intends and what the staff says."""
    content = [{"用户": "", "客服": reply, "用户意图": intent, "客服意图": "通知"} for intent, reply in turns]
    return {"id": "d", "KB": BASE, "goal": goal or {}, "content": content}


def user_counts(predicted: str, gold: str) -> list[float]:
    (counts,) = strict.count(row((gold, "")), [answer(predicted)])
    return [counts[f"user-intent {part}"] for part in ("right", "said", "wanted")]


@pytest.mark.parametrize(
    ("predicted", "gold", "counts"),
    [
        ("求助-查询(冬日包-业务费用)", "询问(ent-1-业务费用)", [1, 1, 1]),
        ("询问(ent-1-业务费用)", "询问(ent-1-业务费用)", [1, 1, 1]),
        ("询问（星光包-业务费用），客套", "询问(ent-12-业务费用),客套", [2, 2, 2]),
        ("询问(它-业务费用)", "询问(ent-12-业务费用)", [1, 1, 1]),
        ("询问(它-业务费用)", "询问(ent-12-业务费用)(ent-1-业务费用)", [1, 1, 2]),
        ("询问(月光包-业务费用)", "询问(ent-1-业务费用)", [0, 1, 1]),
        ("询问", "询问(ent-1-业务费用)", [0, 1, 1]),
        ("询问(星光包-流量总量)", "询问(ent-12-业务费用)", [0, 1, 1]),
        ("询问(星光包-业务费用)", "询问(ent-12-流量总量)", [0, 1, 1]),
        ("否认", "客套", [0, 1, 1]),
        ("客套", "否认", [0, 1, 1]),
        ("询问(流量包)(账户余额)", "询问(流量包)(账户余额)", [2, 2, 2]),
        ("询问,询问,询问", "询问", [1, 1, 1]),
        ("", "询问", [0, 0, 1]),
        ("询问(星光包-4G)", "询问(ent-12-4g)", [1, 1, 1]),
    ],
)
def test_user_intents_are_sets_of_acts_with_resolved_arguments(predicted: str, gold: str, counts: list[float]) -> None:
    assert user_counts(predicted, gold) == counts


def test_names_that_entities_share_are_matched_so_that_most_are_right() -> None:
    base = {"ent-1": {"name": "它,包,这个"}, "ent-2": {"name": "它"}, "ent-3": {"name": "这个"}}
    gold = "询问(ent-1-业务费用)(ent-2-业务费用)"
    dialogue = {**row((gold, "")), "KB": base}
    for predicted in ("询问(它-业务费用)(这个-业务费用)", "询问(这个-业务费用)(它-业务费用)"):
        (counts,) = strict.count(dialogue, [answer(predicted)])
        assert [counts[f"user-intent {part}"] for part in ("right", "said", "wanted")] == [2, 2, 2]


def test_a_name_with_a_blank_at_an_end_is_found() -> None:
    dialogue = {**row(("询问(ent-1-业务费用)", "")), "KB": {"ent-1": {"name": " 夜间包 ,它们", "业务费用": "三元"}}}
    (counts,) = strict.count(dialogue, [answer("询问( 夜间包 -业务费用)")])
    assert counts["user-intent right"] == 1


def test_what_a_file_calls_the_user_has_no_name_to_be_found_by() -> None:
    base = json.loads('{"NA": {"name": "它", "账户余额": "三十元"}}')
    for predicted, right in (("询问(账户余额)", 1), ("询问(它-账户余额)", 0)):
        (counts,) = strict.count({**row(("询问(账户余额)", "")), "KB": base}, [answer(predicted)])
        assert counts["user-intent right"] == right


def test_commas_are_no_staff_intents() -> None:
    (counts,) = strict.count(row(("", "")), [answer(system="通知" + "," * 200)])
    assert [counts[f"system-intent {part}"] for part in ("right", "said", "wanted")] == [1, 1, 1]


def test_an_empty_reply_has_length_0_and_case_is_folded() -> None:
    counts = strict.count(row(("", "三个G"), ("", "好的")), [answer(text="三个g"), None])
    assert [one["bleu length"] for one in counts] == [3, 0]
    assert [one["bleu reference"] for one in counts] == [3, 2]
    assert counts[0]["bleu clipped-3"] == 1


FEE = {"ent-1": {"业务费用": "?"}}


def success(replies: list[str], *turns: tuple[str, str], goal: dict[str, Any] | None = None) -> tuple[float, float]:
    counts = strict.count(row(*turns, goal=goal or FEE), [answer(text=reply) for reply in replies])[0]
    return counts["success dialogues"], counts["success fulfilled"]


REQUESTED = "询问(ent-1-业务费用)"


def test_a_value_counts_at_or_soon_after_its_request() -> None:
    turns = [("客套", "您好"), (REQUESTED, "十二块钱"), *[("客套", "嗯")] * 4]
    for place, fulfilled in ((0, 0), (1, 1), (2, 1), (3, 1), (4, 0), (5, 0)):
        replies = ["好"] * 6
        replies[place] = "是十二块钱"
        assert success(replies, *turns) == (1, fulfilled), place


def test_a_value_that_is_told_all_the_time_is_no_answer() -> None:
    turns = [(REQUESTED, "十二块钱"), ("客套", "嗯"), ("客套", "嗯")]
    assert success(["十二块钱", "十二块钱", ""], *turns) == (1, 1)
    assert success(["十二块钱"] * 3, *turns) == (1, 0)


def test_a_value_in_a_list_of_everything_is_no_answer() -> None:
    base = {**BASE["ent-1"], "业务时长": "半年", "办理渠道": "短信"}
    dialogue = {**row((REQUESTED, "十二块钱"), goal=FEE), "KB": {**BASE, "ent-1": base}}
    for text, fulfilled in (("十二块钱半年短信", 1), ("十二块钱半年短信三十元", 0)):
        (counts,) = strict.count(dialogue, [answer(text=text)])
        assert (counts["success dialogues"], counts["success fulfilled"]) == (1, fulfilled)


def test_a_goal_about_what_no_knowledge_base_holds_is_asked_of_no_system() -> None:
    assert success(["十二块钱"], (REQUESTED, "十二块钱"), goal={"ent-7": {"业务费用": "?"}}) == (0, 0)
    assert success(["十二块钱"], (REQUESTED, "十二块钱"), goal={"ent-7": {"业务费用": "?"}, **FEE}) == (1, 1)


@pytest.mark.parametrize("goal", [{"业务费用": "八元"}, {"业务时长": "?"}, {"业务时长": "半年"}])
def test_what_the_user_tells_or_no_knowledge_base_holds_is_no_request(goal: dict[str, str]) -> None:
    assert strict.requested_items(row((REQUESTED, "十二块钱"), goal={"ent-1": goal})) == []


def test_what_the_staff_did_not_answer_is_asked_of_no_system() -> None:
    assert success(["十二块钱"], (REQUESTED, "不知道")) == (0, 0)


def test_known_values_are_compared_as_a_whole() -> None:
    assert success(["十二块钱"], (REQUESTED, "十二块钱"), goal={"ent-1": {"业务费用": "?,十二"}}) == (1, 1)
    assert success(["十二块钱"], (REQUESTED, "十二块钱"), goal={"ent-1": {"业务费用": "?,十二块钱"}}) == (0, 0)


def test_a_consultation_is_answered_by_any_name() -> None:
    turns = [("询问(流量包)", "有星光包")]
    for goal in ({"咨询": "询问-流量包"}, {"咨询": ["询问-流量包"]}):
        assert success(["冬日包"], *turns, goal=goal) == (1, 1)
        assert success(["没有"], *turns, goal=goal) == (1, 0)


labels = st.lists(st.sampled_from([*USER_LABELS, "询问(账户余额)", "求助-查询(ent-12-业务费用)", "询问(流量包)"]))


@given(labels.map(",".join))
def test_the_true_intent_itself_is_all_right(intent: str) -> None:
    assert len(set(user_counts(intent, intent))) == 1


@given(labels, st.randoms(use_true_random=False))
def test_the_order_of_intents_never_matters(found: list[str], chance: Any) -> None:
    turned = list(found)
    chance.shuffle(turned)
    gold = "询问(账户余额),客套,求助-查询(ent-1-业务费用)"
    assert user_counts(",".join(found), gold) == user_counts(",".join(turned), gold)


@given(labels, st.sampled_from(STAFF_LABELS))
def test_never_more_is_right_than_is_said_or_wanted(found: list[str], label: str) -> None:
    (counts,) = strict.count(row((",".join(found), "")), [answer("询问(它-业务费用),客套", f"{label},通知")])
    for side in ("user", "system"):
        right, predicted, wanted = (counts[f"{side}-intent {part}"] for part in ("right", "said", "wanted"))
        assert 0 <= right <= min(predicted, wanted)


def probe(rows: list[Any], user: str) -> list[dict[str, Any]]:
    """Return the result file of a system that understands nothing (specification, section 15).

    Constant intents, the staff's followed by 200 commas; one greeting, silence, and the knowledge base at the end.
    """
    found = []
    for dialogue in rows:
        recital = "，".join(value for slots in dialogue["KB"].values() for value in slots.values())
        replies = ["您好，很高兴为您服务", *[""] * (len(dialogue["content"]) - 2), recital]
        content = [
            {"用户意图-生成": user, "客服意图-生成": "通知" + "," * 200, "客服-生成": reply} for reply in replies
        ]
        found.append({"id": dialogue["id"], "content": content})
    return found


def scores_of(result: list[Any], data: Path, folder: Path) -> dict[str, dict[str, float]]:
    """Return the scores of a result by variant and name."""
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")
    task = DialogueTask()
    reports = {
        variant: task.score(list(task.load(data)), task.read(folder / "result.json"), Scoring(variant=variant))
        for variant in ("official", "strict")
    }
    return {variant: {score.name: score.value for score in report.scores} for variant, report in reports.items()}


@pytest.fixture
def long_dialogues(paired_rows: list[Any], tmp_path: Path) -> Path:
    """Dialogues of our own with as much to recite as those of the challenge."""
    slots = {
        "业务费用": "八块钱",
        "业务时长": "一个月",
        "办理渠道": "短信",
        "业务规则": "次月生效",
        "流量总量": "五百兆",
    }
    talk = [("我是本人", "请说", "提供信息", "通知"), ("还有呢", "没有了", "询问", "通知")]
    more = [dict(zip(("用户", "客服", "用户意图", "客服意图"), turn, strict=True)) for turn in talk]
    for row in paired_rows:
        row["KB"]["ent-9"] = {"name": "海风包", "type": "流量包", **slots, "流量总量": "五百兆"}
        row["content"] += more
    (tmp_path / "long.json").write_text(json.dumps(paired_rows), encoding="utf-8")
    return tmp_path / "long.json"


@pytest.mark.parametrize("user", ["询问", "提供信息", "询问,提供信息"])
def test_the_gaming_probe_answers_nothing_of_our_own_dialogues(long_dialogues: Path, tmp_path: Path, user: str) -> None:
    values = scores_of(probe(json.loads(long_dialogues.read_bytes()), user), long_dialogues, tmp_path)
    assert values["official"]["success"] == 1
    assert values["strict"]["success"] == 0
    assert values["official"]["combined"] > values["strict"]["combined"] + 1


@pytest.mark.real_data(twin="test_the_gaming_probe_answers_nothing_of_our_own_dialogues")
@pytest.mark.parametrize("user", ["询问", "提供信息", "询问,提供信息"])
def test_the_gaming_probe_stays_below_the_worst_honest_system(real_dialogues: Path, tmp_path: Path, user: str) -> None:
    values = scores_of(probe(json.loads(real_dialogues.read_bytes()), user), real_dialogues, tmp_path)
    assert values["official"]["combined"] > 2.2
    assert values["official"]["success"] == 1
    assert values["strict"]["combined"] <= 0.9
    assert values["strict"]["success"] == 0


def slot_values(dialogue: dict[str, Any]) -> list[str]:
    slots = (pair for entry in dialogue["KB"].values() for pair in entry.items())
    return [one for slot, values in slots if slot not in {"name", "type"} for one in values.split(",")]


def recital(rows: list[Any], per_turn: int) -> list[dict[str, Any]]:
    """Return the result file of a system that tells so many slot values per turn; all at once for 0."""
    found = []
    for dialogue in rows:
        values, turns = slot_values(dialogue), len(dialogue["content"])
        told = [values[place * per_turn :][:per_turn] for place in range(turns)] if per_turn else [values]
        told += [[]] * (turns - len(told))
        content = [{"用户意图-生成": "询问", "客服意图-生成": "通知", "客服-生成": "，".join(one)} for one in told]
        found.append({"id": dialogue["id"], "content": content})
    return found


@pytest.mark.parametrize(("per_turn", "success"), [(0, 0.0), (1, 0.5), (2, 0.25)])
def test_recitals_of_our_own_dialogues_are_limited(
    per_turn: int, success: float, long_dialogues: Path, tmp_path: Path
) -> None:
    rows = json.loads(long_dialogues.read_bytes())
    values = scores_of(recital(rows, per_turn), long_dialogues, tmp_path)
    assert values["official"]["success"] == 0.75  # one dialogue asks for names
    assert values["strict"]["success"] == success


@pytest.mark.real_data(twin="test_recitals_of_our_own_dialogues_are_limited")
@pytest.mark.parametrize(("per_turn", "success", "combined"), [(0, 0.25, 0.967), (1, 0.5, 1.216), (2, 0.75, 1.466)])
def test_what_the_limits_do_not_stop_is_as_the_page_says(
    per_turn: int, success: float, combined: float, real_dialogues: Path, tmp_path: Path
) -> None:
    """All values in the first reply, or one or two new ones in each (docs/challenges/mobilecs.md)."""
    found = scores_of(recital(json.loads(real_dialogues.read_bytes()), per_turn), real_dialogues, tmp_path)["strict"]
    assert found["success"] == success
    assert found["combined"] == pytest.approx(combined, abs=0.001)
