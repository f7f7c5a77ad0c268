from __future__ import annotations

import pytest

from duologue.challenges.mobilecs.knowledge.goal import goal_of
from duologue.challenges.mobilecs.knowledge.kb import facts_of
from duologue.challenges.mobilecs.live.judge import counted, formulas, judge
from duologue.challenges.mobilecs.schema.intents import acts_of
from duologue.challenges.mobilecs.simulator.agenda_user import AgendaUser
from duologue.challenges.mobilecs.task import DialogueTask
from duologue.core.errors import UsageError
from duologue.core.records import Annotation, Dialogue, Scoring, Turn

ROW = {
    "KB": {"ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元"}, "NA": {"账户余额": "三十块"}},
    "goal": {"ent-1": {"name": "彩铃", "业务费用": "?", "用户意图": "询问"}, "NA": {"账户余额": "?", "意图": "询问"}},
}


def dialogue(*replies: str) -> Dialogue:
    intents = ("询问(ent-1-业务费用)", "询问(账户余额)", "询问(账户余额)", "客套")
    turns = []
    for reply, intent in zip(replies, intents, strict=False):
        turns.append(Turn(speaker="user", text="问", annotation=Annotation(acts=acts_of(intent, "user"))))
        turns.append(Turn(speaker="system", text=reply))
    return Dialogue(id="d", turns=tuple(turns), knowledge=facts_of(ROW["KB"]), goal=goal_of(ROW["goal"]))


def test_counts_of_a_dialogue() -> None:
    found = counted(dialogue("五元", "看情况", "看情况"), ROW, AgendaUser(), 1)
    assert (found["successes"], found["requests"], found["answered"]) == (False, 2, 1)
    assert (found["replies"], found["repeats"], found["hallucinated"]) == (3, 1, 0)
    assert found["reward"] == pytest.approx(-0.15 + 0.1 - 0.1 - 0.5)
    assert counted(dialogue("六元"), ROW, AgendaUser(), 1)["hallucinated"] == 1


def test_all_is_answered_in_time_or_only_somewhere() -> None:
    found = counted(dialogue("五元", "三十块"), ROW, AgendaUser(), 1)
    assert (found["successes"], found["strict successes"]) == (True, True)
    early = counted(dialogue("五元，三十块", "嗯", "嗯"), ROW, AgendaUser(), 1)
    assert (early["successes"], early["strict successes"]) == (True, False)


def test_the_report_names_what_was_not_answered() -> None:
    report = judge([dialogue("五元")], {"d": ROW}, AgendaUser(), seed=1, goals_hash="0")
    assert [one.message for one in report.problems] == ["1 of 2 requests were not answered"]
    assert (report.variant, report.rank_by) == ("conversation", "success")
    with pytest.raises(UsageError, match="no dialogues"):
        judge([], {}, AgendaUser(), seed=1, goals_hash="0")


def test_the_task_has_the_formulas_of_a_saved_report() -> None:
    found = DialogueTask().metrics(Scoring(variant="conversation"))
    assert [one.name for one in found] == [*(one.name for one in formulas()), "user-leaks"]


def test_consultations_may_be_a_list_as_the_files_allow() -> None:
    row = {**ROW, "goal": {"咨询": ["询问-业务"]}}
    assert counted(dialogue("有彩铃"), row, AgendaUser(), 1)["successes"] is True
