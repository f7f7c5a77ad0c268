from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.proactive.live.partner import BUILT_IN, ProactivePartner, setting
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Conversable
from duologue.core.records import Dialogue, Fact, Goal
from duologue.systems.baselines import RandomRanker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from duologue.core.protocols import System, TaskInfo, World

    Make = Callable[..., Path]


def partner(leader: System, lang: str = "en", place: Path | None = None) -> ProactivePartner:
    return ProactivePartner(leader, setting(place, 1), seed=1, lang=lang, name="t")


def test_the_task_offers_a_partner_and_names_no_system_of_its_own(leader: System) -> None:
    task = ProactiveTask()
    assert isinstance(task, Conversable)
    assert not task.default_system
    assert isinstance(task.partner(leader, None, seed=1, lang="en", name="t"), ProactivePartner)


def test_the_welcome_shows_the_goal_in_both_languages(leader: System) -> None:
    english, chinese = (partner(leader, lang).welcome for lang in ("en", "zh"))
    assert "leads the talk from 灯塔下的信 (电影) to 沈一帆 (明星)" in english
    assert "goal: START -> 灯塔下的信 -> 沈一帆\n    灯塔下的信 | 导演 | 沈一帆" in english
    assert "从《灯塔下的信》（电影）引向《沈一帆》（明星）" in chinese
    assert "9 条知识" in chinese
    with pytest.raises(UsageError, match="no remarks in language 'fr'"):
        partner(leader, "fr")


def test_the_agent_speaks_first_and_each_reply_shows_facts_and_plan(leader: System) -> None:
    talk = partner(leader)
    (first,) = talk.opening()
    said, plan, unused = talk.shown(first)
    assert said == "你平时喜欢看电影吗？"
    assert plan == "plan: 灯塔下的信 not yet, 沈一帆 not yet; facts used 0 of 9"
    assert unused.startswith("unused: 灯塔下的信 | 类型 | 剧情; 灯塔下的信 | 上映时间 | 2014年5月1日; ")
    assert unused.endswith("; 沈一帆 | 职业 | 导演 (+4)")
    (second,) = talk.reply("还行吧")
    assert talk.shown(second)[:3] == [
        "说说灯塔下的信吧，它的类型是剧情。",
        "used: 灯塔下的信 | 类型 | 剧情",
        "plan: 灯塔下的信 reached, 沈一帆 not yet; facts used 1 of 9",
    ]
    talk.reply("好")
    (fourth,) = talk.reply("嗯")
    assert "沈一帆 reached" in "\n".join(talk.shown(fourth))


def test_an_object_inside_the_name_of_a_topic_is_not_shown_as_used(leader: System) -> None:
    facts = (
        Fact(subject="灯塔 下 的 信", relation="类型", object="剧情"),
        Fact(subject="b", relation="c", object="信"),
    )
    goal = Goal(topics=("灯塔 下 的 信", "b"))
    talk = ProactivePartner(leader, Dialogue(id="x", turns=(), knowledge=facts, goal=goal), seed=1)
    talk.opening()
    (second,) = talk.reply("好")
    assert second.annotation is not None
    assert "灯塔 下 的 信" in second.text
    assert [one.object for one in second.annotation.facts] == ["剧情"]


def test_the_systems_see_words_and_the_transcript_keeps_what_was_typed(leader: System) -> None:
    talk = partner(leader)
    talk.opening()
    talk.reply("灯塔下的信是沈一帆拍的？")
    user = talk.dialogue().turns[1]
    assert "灯塔 下 的 信" in user.text
    assert "沈 一 帆" in user.text
    assert user.meta["typed"] == "灯塔下的信是沈一帆拍的？"
    dialogue = talk.dialogue()
    assert [turn.speaker for turn in dialogue.turns] == ["system", "user", "system"]
    assert dialogue.goal == BUILT_IN.goal
    assert dialogue.turns[2].annotation is not None
    assert [fact.object for fact in dialogue.turns[2].annotation.facts] == ["剧情"]


@pytest.mark.parametrize("word", ["再见", "bye", "/quit", "拜 拜"])
def test_a_goodbye_ends_the_talk_without_an_answer(leader: System, word: str) -> None:
    talk = partner(leader)
    talk.opening()
    finished = []
    for said in ("  ", word):
        assert talk.reply(said) == []
        finished.append(talk.finished)
    assert finished == [False, True]  # an empty line is passed over
    assert len(talk.dialogue().turns) == 1


def test_an_agent_that_has_nothing_more_to_say_ends_the_talk(leader: System) -> None:
    kind = type(leader)
    talk = partner(kind(kind.Recipe(silent=True)))
    talk.opening()
    (turn,) = talk.reply("好")
    assert talk.shown(turn) == ["The agent has nothing more to say."]
    assert talk.finished
    assert len(talk.dialogue().turns) == 2


def test_a_system_that_only_ranks_cannot_talk() -> None:
    talk = ProactivePartner(RandomRanker(), BUILT_IN, seed=1)
    with pytest.raises(UsageError, match="RandomRanker ranks candidates"):
        talk.opening()


def test_a_goal_comes_from_a_file_or_is_built_in(leader: System, sessions: Make) -> None:
    assert setting(None, 5) is BUILT_IN
    assert "云小7" in partner(leader, place=sessions(1, start=7)).welcome
    with pytest.raises(UsageError, match="no goal of two topics"):
        ProactivePartner(leader, Dialogue(id="x", turns=(), goal=Goal(topics=("a",))), seed=1)


def test_a_system_is_told_that_it_talks_with_a_person() -> None:
    seen: list[bool] = []

    class Careful(RandomRanker):
        def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
            seen.append(info.live)

    ProactivePartner(Careful(), BUILT_IN, seed=1)
    assert seen == [True]
