from __future__ import annotations

import dataclasses

import msgspec
import pytest

from duologue.challenges.proactive.systems.planner.features import NAMES as FEATURES
from duologue.challenges.proactive.systems.planner.numbered_slots import FilledReply
from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe
from duologue.challenges.proactive.systems.planner.reply_choice import LearnedPlanner, ReplyCandidates, ReplyChoice
from duologue.challenges.proactive.systems.planner.reply_generator import GeneratedReplies, ReplyGenerator
from duologue.challenges.proactive.systems.planner.reranking_task import TARGETS, TurnRerankingTask
from duologue.challenges.proactive.systems.planner.roles import FilmRoles
from duologue.challenges.proactive.systems.planner.slots import Filling, SlotValue
from duologue.challenges.proactive.systems.planner.state import PlannerState
from duologue.challenges.proactive.systems.planner.template_index import AgentTurn, AgentTurnIndex, TurnCandidate
from duologue.challenges.proactive.systems.planner.variety import Variety, word_frequencies
from duologue.models.choices import ChoiceEncoder, UtilitySize
from duologue.retrieval.reranker import Reranker

TEMPLATES = ("你 好 ， 再见 。", "{A} 好看 ， 去 看 。", "{B} 好看 。", "你 早 。")
VALUES = (SlotValue("{A}", ("海",)), SlotValue("{B}", ("云",)))
STATE = PlannerState(turn=0, domains="FS", relations=(), values=VALUES, history=(), said="", lines=())


@pytest.fixture
def learned() -> LearnedPlanner:
    entries = [
        AgentTurn(source=text, turn=0, groups=(), template=tuple(text.split()), domains="FS", reached=(False, False))
        for text in TEMPLATES
    ]
    task = TurnRerankingTask(AgentTurnIndex(entries), PlannerRecipe())
    size = UtilitySize(features=len(FEATURES), targets=TARGETS)
    people = word_frequencies([text.split() for text in TEMPLATES])
    return LearnedPlanner(Reranker(task, ChoiceEncoder(), size), Variety(people, people))


def candidates() -> list[TurnCandidate]:
    values = dict(VALUES)
    made = []
    for number, text in enumerate(TEMPLATES):
        used = tuple(SlotValue(word, values[word]) for word in text.split() if word in values)
        words = tuple(part for word in text.split() for part in values.get(word, (word,)))
        template, filling = tuple(text.split()), Filling(words, used)
        made.append(TurnCandidate(entry=number, similarity=1.0, template=template, filling=filling, variant=0))
    return made


def listed() -> ReplyCandidates:
    return ReplyCandidates(STATE, candidates())


def test_what_violates_the_plan_is_not_said_however_good_it_is(learned: LearnedPlanner) -> None:
    choice = ReplyChoice(PlannerRecipe(variety=0.0, recombine=False), learned)
    assert choice.best(listed(), (0.1, 0.2, 0.9, 0.1)) == "海 好看 ， 去 看 。"  # B before A
    aimless = ReplyChoice(PlannerRecipe(variety=0.0, recombine=False, goal=False), learned)
    assert aimless.best(listed(), (0.1, 0.2, 0.9, 0.1)) == "云 好看 。"


def test_a_director_is_not_called_the_lead_however_good_the_reply_is(learned: LearnedPlanner) -> None:
    state = dataclasses.replace(STATE, roles=FilmRoles(directs=True))
    lead = Filling(("海", "的", "主演", "是", "云", "。"), VALUES)
    found = [*candidates(), TurnCandidate(entry=0, similarity=1.0, template=(), filling=lead, variant=0)]
    weights = (0.1, 0.2, 0.9, 0.1, 0.8)
    for heeded, said in ((True, "海 好看 ， 去 看 。"), (False, "海 的 主演 是 云 。")):
        recipe = PlannerRecipe(variety=0.0, recombine=False, roles=heeded)
        assert ReplyChoice(recipe, learned).best(ReplyCandidates(state, found), weights) == said
    aimless = ReplyChoice(PlannerRecipe(variety=0.0, recombine=False, goal=False), learned)
    assert aimless.best(ReplyCandidates(state, found), (0.1, 0.2, 0.3, 0.1, 0.8)) == "云 好看 。"


def test_a_films_director_is_not_named_as_its_lead_however_good_the_reply_is(learned: LearnedPlanner) -> None:
    director = SlotValue("{a.导演}", ("李", "安"))
    state = dataclasses.replace(STATE, values=(*VALUES, director))
    swapped = Filling(("主演", "是", "李", "安", "，", "海", "。"), (director, VALUES[0]))
    found = [*candidates(), TurnCandidate(entry=0, similarity=1.0, template=(), filling=swapped, variant=0)]
    weights = (0.1, 0.2, 0.9, 0.1, 0.8)
    for heeded, said in ((True, "海 好看 ， 去 看 。"), (False, "主演 是 李 安 ， 海 。")):
        recipe = PlannerRecipe(variety=0.0, recombine=False, roles=heeded)
        assert ReplyChoice(recipe, learned).best(ReplyCandidates(state, found), weights) == said
    both = dataclasses.replace(state, values=(*state.values, SlotValue("{a.主演}", ("李", "安"))))
    choice = ReplyChoice(PlannerRecipe(variety=0.0, recombine=False), learned)
    assert choice.best(ReplyCandidates(both, found), weights) == "主演 是 李 安 ， 海 。"


def test_generated_replies_are_candidates_unless_they_tell_what_the_sample_has_not(learned: LearnedPlanner) -> None:
    texts = ("{A} 很 好 。", "{A} 有 9.5 分 。", "{A} 像 周杰 。")
    made = [FilledReply(tuple(text.split()), Filling(tuple(text.split()), VALUES[:1])) for text in texts]
    generator = ReplyGenerator(PlannerRecipe.tiny().generator, ["好"])
    generator.replies = lambda *_: GeneratedReplies(made, made)  # type: ignore[method-assign]
    first = msgspec.structs.replace(learned.reranker.task.index.entries[0], needs=("周杰",))
    learned.reranker.use(TurnRerankingTask(AgentTurnIndex([first]), PlannerRecipe()))
    found = ReplyChoice(PlannerRecipe(), learned._replace(generator=generator)).candidates(STATE)
    assert [one.template for one in found.found] == [made[0].template]
    assert found.drawn == [made[0].filling.words]
    unranked = msgspec.structs.replace(PlannerRecipe(), rerank=False)
    assert ReplyChoice(unranked, learned._replace(generator=generator)).candidates(STATE) == (STATE, [], None)


def test_of_equal_scores_the_first_is_said(learned: LearnedPlanner) -> None:
    choice = ReplyChoice(PlannerRecipe(variety=0.0, recombine=False), learned)
    assert choice.best(listed(), (0.3, 0.1, 0.1, 0.3)) == "你 好 ， 再见 。"


def test_no_recombined_reply_violates_the_plan_either(learned: LearnedPlanner) -> None:
    choice = ReplyChoice(PlannerRecipe(variety=0.0), learned)
    found = choice.recombined(listed(), (0.1, 0.2, 0.9, 0.1))
    said = {"".join(one.filling.words) for one in found.replies}
    assert "海好看，去看。" in said
    assert not any("云" in text for text in said)
    whole = choice.best(listed(), (0.1, 0.2, 0.9, 0.1))
    assert "".join(whole.split()) == "".join(found.replies[0].filling.words)
    unranked = ReplyChoice(msgspec.structs.replace(PlannerRecipe(), rerank=False), learned)
    assert unranked.best(listed(), (0.1, 0.2, 0.1, 0.1)) == "海 好看 ， 去 看 。"


def test_a_recombined_reply_holds_what_it_is_to_hold(learned: LearnedPlanner) -> None:
    choice, utilities = ReplyChoice(PlannerRecipe(variety=0.0), learned), (0.3, 0.2, 0.1, 0.3)
    free = choice.recombined(listed(), utilities)
    assert any("海" not in one.filling.words for one in free.replies)
    named = [one for one in candidates() if "海" in one.filling.words]
    bound = choice.recombined(ReplyCandidates(STATE, named), (0.2,), kept=lambda filling: "海" in filling.words)
    assert bound.replies
    assert all("海" in one.filling.words for one in bound.replies)
