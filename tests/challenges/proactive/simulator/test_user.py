from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.schema import INFO
from duologue.challenges.proactive.simulator.smalltalk import EXCHANGES, FALLBACKS
from duologue.challenges.proactive.simulator.user import (
    RetrievalUser,
    UserExchange,
    built_in_exchanges,
    exchanges_of,
    is_question,
)
from duologue.core.records import Goal, Sample
from duologue.testing import check_system

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Make = Callable[..., Path]


def said(heard: str, answer: str, place: int = 0, topics: tuple[str, ...] = ()) -> UserExchange:
    return UserExchange(heard, answer, place, frozenset(topics))


def user(*exchanges: UserExchange, seed: int = 1, **apart: frozenset[str]) -> RetrievalUser:
    made = RetrievalUser(exchanges, apart)
    made.prepare(INFO, seed, {})
    return made


def sample(*texts: str, name: str = "d") -> Sample:
    return Sample(id=f"{name}#{len(texts)}", dialogue_id=name, history=files.turns_of(texts))


def reply(partner: RetrievalUser, *texts: str, name: str = "d") -> str:
    (answer,) = partner.answer([sample(*texts, name=name)])
    assert answer.text is not None
    return answer.text


def test_the_answer_to_the_most_alike_utterance_is_given() -> None:
    partner = user(said("你 喜欢 看 电影 吗 ？", "喜欢 。"), said("他 的 演技 很好 。", "我 也 觉得 。"))
    assert reply(partner, "喜欢 电影 吗 ？") == "喜欢 。"
    assert reply(partner, "演技 真 不错 ， 很好 。") == "我 也 觉得 。"


def test_a_question_is_answered_and_not_asked_back_where_there_is_a_choice() -> None:
    partner = user(said("这 部 电影 你 看 过 吗 ？", "什么 电影 ？"), said("这 部 电影 你 看 过 吗 ？", "看 过 。"))
    answers = {reply(partner, "电影 你 看 过 吗 ？", name=f"d{number}") for number in range(20)}
    assert answers == {"看 过 。"}
    assert is_question("好 不 好看 呢")
    assert not is_question("很 好看 。")


def test_a_user_never_repeats_itself_and_always_has_an_answer() -> None:
    partner = user(*built_in_exchanges())
    texts: list[str] = []
    for _ in range(25):
        texts.append("你 觉得 怎么样 ？")
        texts.append(reply(partner, *texts))
    answers = texts[1::2]
    assert len(set(answers)) == len(answers) or set(answers) >= set(FALLBACKS)
    assert len(set(answers[: len(FALLBACKS)])) == len(FALLBACKS)


def test_people_who_spoke_about_the_same_topics_are_not_heard() -> None:
    exchanges = (said("好 电影 。", "其他 。", topics=("甲", "乙")), said("好 电影 。", "自己 。", topics=("丙", "丁")))
    partner = user(*exchanges, d=frozenset({"丙", "丁"}))
    assert {reply(partner, "好 电影 。") for _ in range(3)} == {"其他 。"}
    assert {reply(partner, "好 电影 。", name=f"x{number}") for number in range(20)} == {"其他 。", "自己 。"}


def test_the_user_knows_neither_goal_nor_knowledge() -> None:
    partner = user(*built_in_exchanges())
    bare = sample("你 喜欢 看 电影 吗 ？")
    told = Sample(id=bare.id, dialogue_id="d", history=bare.history, goal=Goal(topics=("海", "云")))
    assert partner.answer([told]) == partner.answer([bare])


def test_nobody_speaks_of_her_where_the_agent_spoke_of_a_film_or_of_him() -> None:
    partner = user(said("这 部 很 好看 。", "她 很 美 。"), said("这 部 很 好看 。", "嗯 。"))
    assert {reply(partner, "这 部 很 好看 。", name=f"d{number}") for number in range(20)} == {"嗯 。"}
    both = {reply(partner, "她 演 的 这 部 很 好看 。", name=f"d{number}") for number in range(20)}
    assert both == {"嗯 。", "她 很 美 。"}


def test_answers_with_names_numbers_or_titles_fit_nowhere_else(sessions: Make) -> None:
    found = exchanges_of(files.load_sessions(sessions(8)))
    answers = {one.answer for one in found}
    assert answers == {
        "喜欢 呀 ， 有 推荐 吗 ？",
        "那 我 去 看看 。",
        "还 没 听说 呢 。",
        "我 也 喜欢 这 位 导演 。",
        "真 高 ， 谢谢 你 。",
    }
    assert {one.place for one in found} == {0, 1, 2, 3}
    assert all("云 小" not in one.prompt and "cm" not in one.prompt for one in found)
    assert frozenset({"海的一0", "云小0"}) in {one.topics for one in found}


def test_the_user_is_a_system_whose_answers_depend_on_the_seed() -> None:
    samples = [sample("你 喜欢 看 电影 吗 ？", name=f"d{number}") for number in range(8)]
    check_system(user(*built_in_exchanges()), samples, INFO)
    one, two = (user(*built_in_exchanges(), seed=seed).answer(samples) for seed in (1, 2))
    assert one != two


def test_our_own_exchanges_are_the_same_everywhere() -> None:
    texts = [answer for _, answers in EXCHANGES for answer in answers] + list(FALLBACKS)
    assert len(set(texts)) == len(texts) >= 70
    partner = user(*built_in_exchanges())
    told = "\n".join(reply(partner, "推荐 你 看看 这 部 电影 。", name=f"d{number}") for number in range(5))
    assert hashlib.sha256(told.encode()).hexdigest()[:8] == "182bf722"


@settings(max_examples=30)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=12), min_size=1, max_size=5))
def test_whatever_is_said_gets_one_answer_and_the_same_one_again(texts: list[str]) -> None:
    partner = user(*built_in_exchanges())
    assert reply(partner, *texts) == reply(partner, *texts) != ""
