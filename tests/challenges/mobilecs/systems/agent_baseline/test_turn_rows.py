from __future__ import annotations

from duologue.challenges.mobilecs.systems.agent_baseline.stream import TurnParts
from duologue.challenges.mobilecs.systems.agent_baseline.turn_rows import answer_of, learned_turns, open_turn
from duologue.core.records import Act, Annotation, Answer, Example, Fact, Sample, Turn

KNOWLEDGE = (
    Fact(subject="ent-1", relation="name", object="彩铃"),
    Fact(subject="ent-1", relation="业务费用", object="五元"),
)


def sample(turn: int, *said: str) -> Sample:
    history = tuple(Turn(speaker="user", text=text) for text in said)
    return Sample(id=f"d#{turn}", dialogue_id="d", history=history, knowledge=KNOWLEDGE)


def test_names_said_before_are_told_in_the_next_turn() -> None:
    base = {"ent-1": {"name": "彩铃"}}
    assert open_turn(sample(1, "彩铃是什么", "多少钱"), base) == TurnParts("彩铃", "多少钱")
    assert open_turn(sample(0), base) == TurnParts("", "")


def test_turns_are_learned_in_their_order_with_the_names_of_earlier_ones() -> None:
    acts = (Act(speaker="user", name="询问", args=("ent-1-业务费用",)), Act(speaker="system", name="通知"))
    known = Answer(text="五元", annotation=Annotation(acts=acts))
    later, first = Example(sample=sample(1, "彩铃", "多少钱"), references=(known,)), Example(sample=sample(0, "彩铃"))
    ((learned, parts),) = learned_turns([later, first])
    assert learned is later.sample
    assert (parts.names_so_far, parts.names, parts.staff_intent, parts.reply) == ("彩铃", "", "通知", "五元")


def test_labels_that_the_challenge_has_not_are_left_out() -> None:
    turn = TurnParts("", "", user_intent="问候,唱歌", staff_intent="问候,跳舞")
    found = answer_of(turn, "您好")
    assert found.annotation is not None
    assert [(act.speaker, act.name) for act in found.annotation.acts] == [("user", "问候"), ("system", "问候")]
