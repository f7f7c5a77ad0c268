from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.challenges.mobilecs.simulator.simulated_calls import calls

from duologue.challenges.mobilecs.live.partner import BUILT_IN, CallPartner, CallSetting, setting
from duologue.challenges.mobilecs.live.ui_text import GOODBYES, TEXTS
from duologue.challenges.mobilecs.simulator.requests import requests_of
from duologue.challenges.mobilecs.systems.rule_agent import RuleAgent
from duologue.challenges.mobilecs.task import DialogueTask
from duologue.core.errors import FormatError, UsageError
from duologue.core.live_text import LEAVES
from duologue.core.records import Act, Annotation, Answer, Fact, Record
from duologue.knowledge.base import KnowledgeBase

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duologue.core.records import Sample


class Clerk:
    """Gives the answers it is made with, and keeps what it saw."""

    Recipe: type[Record] = Record
    seen = "nothing"

    def __init__(self, *answers: Answer) -> None:
        self.answers, self.saw = list(answers), list[Any]()

    def prepare(self, info: Any, *_: Any) -> None:
        self.live = info.live

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        self.saw += samples
        return [self.answers.pop(0)]


def called(system: Any, *, lang: str = "en", where: CallSetting = BUILT_IN) -> CallPartner:
    return CallPartner(system, where, seed=1, lang=lang, name="chat")


def test_the_goal_card_and_the_knowledge_base_are_shown_first() -> None:
    welcome = called(RuleAgent()).welcome
    assert "1. ask for 晴空套餐 业务费用 (fee)\n       what you know: 主套餐 (main plan)\n" in welcome
    assert "what you know: 流量包 (data pack), 业务费用 (fee) 十块钱\n    3. ask for 流量余额 (data left)\n" in welcome
    assert "\nknowledge base:\n    entity  slot" in welcome
    assert "\n知识库:\n    实体" in called(RuleAgent(), lang="zh").welcome


def test_each_reply_has_intents_the_query_its_result_and_how_far_the_goal_is() -> None:
    partner = called(RuleAgent())
    (turn,) = partner.reply(" 晴空套餐每个月多少钱 ")
    assert partner.shown(turn) == [
        "您好，三十八块钱",
        "your intents as understood: 询问 (ask): 晴空套餐 业务费用 (fee)",
        "query: 晴空套餐 业务费用 (fee) -> 三十八块钱",
        "the agent's intents: 通知 (inform)",
        "goal: 1 of 3 answered; open: 星夜流量包 流量总量 (data volume), 流量余额 (data left)",
    ]
    (turn,) = partner.reply("你好")
    assert partner.shown(turn)[2] == "query: none"
    assert [one.speaker for one in partner.dialogue().turns] == ["user", "system"] * 2
    assert partner.dialogue().goal is not None


def test_a_system_sees_the_base_and_what_was_said_and_never_the_goal() -> None:
    clerk = Clerk(Answer(text="您好"), Answer(text="没有"))
    partner = called(clerk)
    assert clerk.live
    partner.reply("喂")
    partner.reply("多少钱")
    assert all(one.goal is None for one in clerk.saw)
    assert [one.text for one in clerk.saw[-1].history] == ["喂", "您好", "多少钱"]
    assert {fact.subject for fact in clerk.saw[0].knowledge} == {"ent-1", "ent-2", "user"}


def test_facts_unknown_arguments_and_silence_are_told_in_both_languages() -> None:
    acts = (Act(speaker="user", name="询问", args=("宽带-业务费用", "彩虹")),)
    facts = (Fact(subject="ent-1", relation="业务费用", object="三十八块钱"),)
    for lang in TEXTS:
        partner = called(Clerk(Answer(annotation=Annotation(acts=acts, facts=facts)), Answer(text="好")), lang=lang)
        shown = partner.shown(partner.reply("宽带多少钱")[0])
        assert shown[0] == TEXTS[lang]["silent"]
        assert [TEXTS[lang]["nothing"] in line for line in shown[2:4]] == [True, True]
        assert "ent-1 业务费用 (fee) 三十八块钱" in shown[4]
        bare = partner.shown(partner.reply("好")[0])
        assert [TEXTS[lang]["none"] in line for line in bare[1:4]] == [True, True, True]


def test_goodbye_is_answered_and_leaving_is_not() -> None:
    for word in GOODBYES:
        partner = called(RuleAgent())
        assert len(partner.reply(f"{word}。")) == 1
        assert partner.finished
    for word in LEAVES:
        partner = called(RuleAgent())
        assert partner.reply(word) == []
        assert partner.finished
    assert called(RuleAgent()).reply("  ") == []
    with pytest.raises(UsageError, match="no remarks in language 'fr'"):
        called(RuleAgent(), lang="fr")


def test_a_call_is_set_in_a_dialogue_of_a_file_drawn_by_the_seed(tmp_path: Path) -> None:
    path = tmp_path / "goals.json"
    path.write_text(json.dumps(calls()[:20]), encoding="utf-8")
    drawn = [setting(path, seed) for seed in range(8)]
    assert drawn == [setting(path, seed) for seed in range(8)]
    assert len({json.dumps(one.goal) for one in drawn}) > 3
    for one in drawn:
        assert called(RuleAgent(), where=one).welcome.count("ask for") == sum(
            bool(found.values) for found in requests_of(one.goal, one.base)
        )
    bare = [{key: row[key] for key in ("id", "KB", "content")} for row in calls()[:5]]
    path.write_text(json.dumps(bare), encoding="utf-8")
    assert setting(path, 1).goal
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(FormatError, match="no goal can be played"):
        setting(path, 1)


def test_without_a_request_the_card_says_so() -> None:
    partner = called(RuleAgent(), where=CallSetting({}, {"ent-1": {"业务费用": "一元"}}))
    assert "none; ask what you like" in partner.welcome
    assert not any("goal:" in line for line in partner.shown(partner.reply("多少钱")[0]))


def test_what_is_from_outside_the_call_is_shown_with_its_source() -> None:
    class Reader(Clerk):
        def prepare(self, info: Any, *others: Any) -> None:
            super().prepare(info)
            self.worlds = others[1]

        def sources(self, sample: Sample, answer: Answer) -> list[str]:
            return ["月费：四十七块六\n次月生效"] if sample.history and answer.text == "四十七块六" else []

    reader, world = Reader(Answer(text="四十七块六"), Answer(text="喂")), KnowledgeBase("docs.md", [])
    partner = CallPartner(reader, BUILT_IN, seed=1, lang="zh", name="chat", world=world)
    assert reader.worlds == {"docs.md": world}
    (turn,) = partner.reply("云帆套餐多少钱")
    assert "来自通话之外：月费：四十七块六 次月生效" in partner.shown(turn)
    (turn,) = partner.reply("喂")
    assert "outside" not in turn.meta
    assert isinstance(DialogueTask().partner(Reader(), world, seed=1, lang="en", name="chat"), CallPartner)
