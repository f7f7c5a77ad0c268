from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from duologue.challenges.mobilecs.formats.knowledge_files import PASSAGE
from duologue.challenges.mobilecs.knowledge.kb import facts_of
from duologue.challenges.mobilecs.schema.intents import STAFF_LABELS, USER_LABELS
from duologue.challenges.mobilecs.schema.task_infos import DIALOGUE
from duologue.challenges.mobilecs.systems.agent import missing_slot
from duologue.challenges.mobilecs.systems.agent.agent import AgentCard, CustomerAgent
from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
from duologue.challenges.mobilecs.systems.agent.slot_cues import SlotCue, SlotCues
from duologue.challenges.mobilecs.systems.agent.trainer import answered_turns, truth_of
from duologue.core.errors import StorageError, UsageError
from duologue.core.protocols import Run
from duologue.core.records import Act, Annotation, Answer, Fact, Sample, Turn
from duologue.core.typed import convert
from duologue.knowledge.base import KnowledgeBase
from duologue.models.trained_system import write_json
from duologue.run.contamination import declared

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffDecision
    from duologue.core.records import Example

TINY = AgentRecipe.tiny()
BASE = {"ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元", "业务规则": "次月"}, "NA": {"账户余额": "三块"}}


def trained(examples: list[Example], folder: Path, recipe: AgentRecipe = TINY) -> CustomerAgent:
    agent = CustomerAgent(recipe)
    agent.fit(examples, [], [], Run(folder=folder, seed=1))
    return agent


class Telling:
    """Tells a slot of a product, whatever is asked."""

    def choose(self, decision: StaffDecision) -> int:
        pieces = decision.view.pieces
        tells = (
            n for n, one in enumerate(decision.actions) if [pieces[tell].slot for tell in one.tells] == ["业务费用"]
        )
        return next(tells, 0)


@pytest.fixture(scope="module")
def teller(calls: list[Example], tmp_path_factory: pytest.TempPathFactory) -> CustomerAgent:
    agent = trained(calls, tmp_path_factory.mktemp("teller"))
    agent.policy = Telling()
    return agent


def test_a_loaded_agent_answers_as_the_one_that_was_trained(calls: list[Example], tmp_path: Path) -> None:
    agent = trained(calls, tmp_path)
    agent.save(tmp_path)
    other = CustomerAgent(TINY)
    other.load(tmp_path)
    samples = [one.sample for one in calls[:20]]
    answers = agent.answer(samples)
    assert other.answer(samples) == answers
    assert other.seen == agent.seen
    for answer in answers:
        assert answer.text
        assert answer.annotation is not None
        sides = {act.speaker: act.name for act in answer.annotation.acts}
        assert sides["user"] in USER_LABELS
        assert sides["system"] in STAFF_LABELS


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes", [{"knowledge": "text"}, {"knowledge": "global"}, {"knowledge": "joined"}, {"coreference": False}]
)
def test_variants_learn_and_answer(changes: dict[str, object], calls: list[Example], tmp_path: Path) -> None:
    agent = trained(calls, tmp_path, msgspec.structs.replace(TINY, **changes))
    assert all(one.text for one in agent.answer([one.sample for one in calls[:5]]))


def test_of_the_readings_that_are_kept_the_oldest_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duologue.challenges.mobilecs.systems.agent.agent._KEPT", 3)
    agent = CustomerAgent(TINY)
    views = [CallView([], text, {}) for text in "abcde"]
    for number, view in enumerate(views):
        agent._keep(view, np.array([number], np.float32))
    assert [agent._reading(view).wanted.tolist() for view in views[2:]] == [[2.0], [3.0], [4.0]]


def test_another_policy_decides_in_the_place_of_the_supervised_one(calls: list[Example], tmp_path: Path) -> None:
    class Asking:
        def choose(self, decision: StaffDecision) -> int:
            return next(place for place, one in enumerate(decision.actions) if one.kind == "ask" and not one.tells)

    agent = trained(calls, tmp_path)
    agent.policy = Asking()
    for answer in agent.answer([one.sample for one in calls[:5]]):
        assert answer.annotation is not None
        assert "询问" in {act.name for act in answer.annotation.acts if act.speaker == "system"}


VALUE = "三十八块六"


def replied(agent: CustomerAgent, said: list[str]) -> Answer:
    """Return the answer to the last of the utterances of a call about the one product that its base has."""
    facts = facts_of({"ent-1": {"name": "青松套餐", "type": "套餐", "业务费用": VALUE}})
    history: list[Turn] = []
    answer = Answer()
    for number, text in enumerate(said):
        history.append(Turn(speaker="user", text=text))
        answer = agent.answer([Sample(id=f"a#{number}", dialogue_id="a", history=tuple(history), knowledge=facts)])[0]
        history.append(Turn(speaker="system", text=answer.text or ""))
    return answer


@pytest.mark.parametrize(
    "said",
    [
        ["青竹套餐多少钱"],
        ["你好，青松套餐多少钱", "那青竹套餐一个月要多少钱"],
        ["青松套餐多少钱", "一百二十八的套餐怎么收费"],
        ["青竹套餐多少钱", "那它怎么收费"],
        ["我想问一下手机报多少钱"],
    ],
)
def test_of_a_product_that_is_not_there_no_value_of_another_is_told(said: list[str], teller: CustomerAgent) -> None:
    """The value of the only product was told for any other."""
    answer = replied(teller, said)
    assert VALUE not in (answer.text or "")
    assert answer.annotation is not None
    assert answer.annotation.facts == ()
    assert not any(act.args for act in answer.annotation.acts)


def test_of_an_account_that_is_not_there_no_value_of_a_product_is_told(teller: CustomerAgent) -> None:
    """The fee of a product was told for the balance."""
    answer = replied(teller, ["你好，我话费还有多少"])
    assert VALUE not in (answer.text or "")
    assert answer.annotation is not None
    assert answer.annotation.facts == ()


def test_of_a_slot_that_is_not_there_no_value_of_another_is_told(
    teller: CustomerAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fee was told for the minutes."""
    asked = "青松套餐有多少分钟"
    cues = [SlotCue(text=text, turns=20, wanted={"通话时长": 18}) for text in ("多少分", "少分钟", "分钟")]
    assert VALUE in (replied(teller, [asked]).text or "")
    monkeypatch.setattr(teller._trained().encoder, "cues", SlotCues(cues))
    monkeypatch.setattr(missing_slot, "_WANTED", 1.0)  # networks of seconds are sure of nothing
    answer = replied(teller, [asked])
    assert VALUE not in (answer.text or "")
    assert answer.annotation is not None
    assert answer.annotation.facts == ()


@pytest.mark.parametrize(
    "said",
    [
        ["青松套餐多少钱"],
        ["青松多少钱"],
        ["你好我问青松套餐", "这个套餐多少钱"],
        ["青竹套餐多少钱", "青松套餐多少钱"],
        ["青松套餐和青竹套餐哪个便宜"],
    ],
)
def test_the_value_of_a_product_that_is_there_is_told(said: list[str], teller: CustomerAgent) -> None:
    assert VALUE in (replied(teller, said).text or "")


def test_the_truth_of_a_turn_is_what_was_asked_wanted_and_told() -> None:
    def truth(last: str, arguments: tuple[str, ...], reply: str) -> list[set[int]]:
        acts = [Act(speaker="user", name="询问", args=arguments), Act(speaker="system", name="通知")]
        found = truth_of(CallView([], last, BASE), acts, reply)
        return [set(found.asked), set(found.wanted), set(found.told)]

    assert truth("彩铃多少钱", ("彩铃-业务费用",), "稍等") == [{1}, {1}, set()]
    assert truth("彩铃五元是吧", ("彩铃-业务费用",), "对") == [{1}, set(), set()]
    assert truth("彩铃多少钱", (), "五元") == [set(), {1}, {1}]
    assert truth("话费", ("账户余额",), "三块") == [{3}, {3}, {3}]
    assert truth("有什么业务", ("业务",), "有彩铃")[1] == {4}


def test_what_the_staff_look_up_first_was_wanted_before() -> None:
    asks = [Act(speaker="user", name="询问"), Act(speaker="system", name="通知")]
    assert truth_of(CallView([], "彩铃多少钱", BASE), asks, "稍等", awaited="五元").wanted == {1}
    assert truth_of(CallView([], "彩铃多少钱", BASE), asks, "次月", awaited="五元").wanted == {2}
    thanks = [Act(speaker="user", name="客套"), Act(speaker="system", name="通知")]
    assert truth_of(CallView([], "谢谢", BASE), thanks, "稍等", awaited="五元").wanted == frozenset()


def test_the_awaited_reply_is_the_next_of_the_call_where_the_user_only_waits(calls: list[Example]) -> None:
    turns = answered_turns(calls)
    later = [
        (one, two)
        for one, two in pairwise(turns)
        if one.dialogue == two.dialogue and not one.truth.told and one.truth.wanted and not one.truth.asked
    ]
    assert later
    for one, two in later:
        assert one.truth.wanted <= one.view.told_in(two.reply)
        assert not two.truth.user_labels & {"询问", "求助-查询"}


def test_views_of_training_turns_have_the_replies_of_people(calls: list[Example]) -> None:
    turns = answered_turns(calls)
    second = next(one for one in turns if one.view.turn == 1)
    first = next(one for one in turns if one.dialogue == second.dialogue)
    assert second.view.staff == [first.reply]


def test_what_has_no_answers_teaches_nothing(calls: list[Example], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="learns from dialogues with replies and intents"):
        trained([msgspec.structs.replace(one, references=()) for one in calls], tmp_path)
    with pytest.raises(UsageError, match="has not learned yet"):
        CustomerAgent(TINY).answer([calls[0].sample])


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        ("vocabulary.label_sets.0", [], "Expected `array` of length >= 1"),
        ("templates.0.parts", [], r"a template has 0 parts around [0-9]+ holes"),
        ("templates.0.groups.0.0", -1, "Expected `float` >= 0"),
        ("templates.0.groups.0.0", 1e308, "Expected `float` <= 1000000000"),
        ("products", [{"source": "a", "slots": {"type": "业务"}}], "a product has no 'name'"),
        ("policy", {"weights": {"value": 1e308}}, "Expected `float` <= 1000000000"),
        ("policy", {"weights": {}, "cues": {"业务|": -1e308}}, "Expected `float` >= -1000000000"),
    ],
)
def test_a_card_that_no_answer_can_be_made_with_is_refused(
    place: str, value: object, told: str, tmp_path: Path
) -> None:
    """They ended in a traceback when the agent answered."""
    card = {
        "vocabulary": {"grams": [], "slots": [], "label_sets": [["通知"]]},
        "cues": [],
        "templates": [
            {"source": "a", "turn": 0, "groups": [[1.0, ["x"]]], "parts": ["您好"], "holes": [], "labels": ["通知"]}
        ],
        "seen": "nothing",
    }
    convert(card, AgentCard)
    at: Any = card
    *above, last = (int(part) if part.isdigit() else part for part in place.split("."))
    for part in above:
        at = at[part]
    at[last] = value
    write_json(card, tmp_path / CustomerAgent.card_file)
    with pytest.raises(StorageError, match=rf"agent\.json is no part of a saved model \({told}.*; train it again"):
        CustomerAgent(TINY).load(tmp_path)


def test_what_it_learns_from_is_declared_by_those_who_train_it() -> None:
    assert declared(CustomerAgent()) is None
    assert declared(CustomerAgent(), []) == []


@pytest.mark.slow
def test_knowledge_from_outside_stands_in_the_place_of_other_calls_products(
    calls: list[Example], tmp_path: Path
) -> None:
    facts = [Fact(subject="云帆套餐", relation=PASSAGE, object="每月四十七块六")]
    worlds = {"docs.md": KnowledgeBase("docs.md", facts)}
    history = (Turn(speaker="user", text="云帆套餐多少钱"),)
    own = facts_of({"NA": {"账户余额": "三块"}})
    sample = Sample(id="a#0", dialogue_id="a", history=history, knowledge=own)
    for knowledge in ("joined", "global"):
        agent = trained(calls, tmp_path / knowledge, msgspec.structs.replace(TINY, knowledge=knowledge))
        agent.prepare(DIALOGUE, 1, worlds)
        assert agent.view(sample).base == {
            "ent-1": {"name": "云帆套餐", "type": "套餐", "业务费用": "每月四十七块六"},
            "NA": {"账户余额": "三块"},
        }
        told = Fact(subject="云帆套餐", relation="业务费用", object="每月四十七块六")
        answer = Answer(text="四十七块六", annotation=Annotation(facts=(told,)))
        assert agent.sources(sample, answer) == ["每月四十七块六"]
        assert agent.sources(sample, Answer(text="喂")) == []
        agent.prepare(DIALOGUE, 1, {})
        assert not any("云帆" in slots.get("name", "") for slots in agent.view(sample).base.values())
        assert agent.sources(sample, answer) == []


@pytest.mark.slow
def test_training_sees_the_knowledge_from_outside(calls: list[Example], tmp_path: Path) -> None:
    recipe = msgspec.structs.replace(TINY, knowledge="joined")
    facts = [Fact(subject="云帆套餐", relation=PASSAGE, object="每月四十七块六")]
    worlds = {"docs.md": KnowledgeBase("docs.md", facts)}
    agent, other = CustomerAgent(recipe), trained(calls, tmp_path / "without", recipe)
    agent.fit(calls, [], [], Run(folder=tmp_path, seed=1, worlds=worlds))
    agent.save(tmp_path)
    other.save(tmp_path / "without")
    weights = [(folder / "turns-0.safetensors").read_bytes() for folder in (tmp_path, tmp_path / "without")]
    assert weights[0] != weights[1]
    with pytest.raises(UsageError, match="knowledge=query reads the call's own base alone"):
        CustomerAgent(TINY).fit(calls, [], [], Run(folder=tmp_path / "query", seed=1, worlds=worlds))
