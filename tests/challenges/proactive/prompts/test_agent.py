from __future__ import annotations

from duologue.challenges.proactive.prompts.agent import LeadingPrompt
from duologue.challenges.proactive.schema import INFO
from duologue.core.records import Answer, Fact, Goal, Sample, Turn

FACT = Fact(subject="云 海 之 旅", relation="导演", object="林 小 舟")
SAMPLE = Sample(
    id="1",
    dialogue_id="1",
    history=(Turn(speaker="user", text="你 好 ！"),),
    knowledge=(FACT,),
    goal=Goal(topics=("云 海 之 旅", "林 小 舟"), relations=(FACT,)),
)


def test_a_model_reads_plain_chinese_and_its_words_are_cut_as_the_knowledge_is() -> None:
    prompt = LeadingPrompt(INFO)
    question = prompt.messages(SAMPLE)[-1].content
    assert "云海之旅 → 林小舟\n云海之旅 | 导演 | 林小舟" in question
    assert "用户: 你好！" in question
    found = prompt.read("云海之旅！", SAMPLE).answer
    assert found == Answer(text="云 海 之 旅 ！")
    assert prompt.said(found, SAMPLE) == "云海之旅！"


def test_no_prediction_is_empty() -> None:
    prompt = LeadingPrompt(INFO)
    assert prompt.read("\n", SAMPLE).answer is None
    assert prompt.empty(SAMPLE) == Answer(text="。")
    assert prompt.goal(Sample(id="1", dialogue_id="1")) == prompt.wording.nothing
