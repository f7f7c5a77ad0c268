from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.live.grounding import Evidence, GroundingChecker, numbers
from duologue.core.records import Dialogue, Fact, Goal, Turn


def facts(*rows: tuple[str, str, str]) -> tuple[Fact, ...]:
    return tuple(Fact(subject=one, relation=two, object=three) for one, two, three in rows)


def talk(name: str, knowledge: tuple[Fact, ...], *texts: str) -> Dialogue:
    turns = tuple(Turn(speaker=("system", "user")[at % 2], text=text) for at, text in enumerate(texts))
    return Dialogue(id=name, turns=turns, knowledge=knowledge, goal=Goal(topics=("海 边", "云 小一")))


HERE = facts(
    ("海 边", "领域", "电影"),
    ("海 边", "票房", "3181.0万"),
    ("云 小一", "体重", "54kg"),
    ("云 小一", "出生 日期", "1971 - 9 - 4"),
    ("云 小一", "血型", "A"),
    ("云 小一", "评分", "7.40"),
)
ELSEWHERE = facts(
    ("山 路", "导演", "周 一鸣"),
    ("山 路", "星座", "天秤座"),
    ("山 路", "评论", "不错"),
    ("山 路", "评论", "看 完 就 想 去 山里 走 一 走"),
    ("周 一鸣", "血型", "B型"),
)
CLAIMS = GroundingChecker([talk("here", HERE), talk("there", ELSEWHERE)])


def wrong(text: str, *heard: str) -> tuple[str, ...]:
    return CLAIMS.unsupported(text, Evidence(Goal(topics=("海 边", "云 小一")), HERE, heard))


@pytest.mark.parametrize(
    "text",
    [
        "海 边 的 票房 是 3181万 。",
        "票房 3181.0 万 ！",
        "才 54kg ， 54 公斤 呢",
        "1971年 9月 4日 出生",  # its parts, each with the unit that the knowledge leaves out
        "评分 ７．４ 分",
        "A型 血 的",
        "挺 不错 的",  # a remark in everyday words quotes nobody
        "去 天秤座谈 谈",  # inside longer words
    ],
)
def test_what_is_given_or_quotes_nothing_may_be_said(text: str) -> None:
    assert wrong(text) == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("导演 是 周 一鸣 。", ("周一鸣",)),
        ("他 是 天秤座 ， B型 。", ("天秤座", "b型")),
        ("看 完 就 想 去 山里 走 一 走", ("看完就想去山里走一走",)),
        ("2008年 上映", ("2008年",)),
        ("票房 3182万", ("3182万",)),
        ("他 54岁 了", ("54岁",)),  # the unit is another one
        ("2008年 又 2008年", ("2008年",)),
    ],
)
def test_objects_of_other_dialogues_and_other_numbers_are_unfounded(text: str, found: tuple[str, ...]) -> None:
    assert wrong(text) == found


def test_what_the_user_said_may_be_said_again() -> None:
    assert wrong("对 ， 周 一鸣 ， 2008年", "是 周 一鸣 吗 ？ 2008年 的 ？") == ()


def test_a_word_that_people_say_without_having_it_is_an_ordinary_word() -> None:
    hero = facts(("英雄", "类型", "动作"), ("某 某", "代表作", "英雄"))
    told = [talk(f"d{number}", HERE, "每 个 人 都 是 英雄 。") for number in range(2)]
    evidence = Evidence(None, HERE)
    assert GroundingChecker([talk("x", hero), told[0]]).unsupported("英雄 啊", evidence) == ("英雄",)
    assert GroundingChecker([talk("x", hero), *told]).unsupported("英雄 啊", evidence) == ()
    having = [talk(f"h{number}", hero, "英雄 好看 。") for number in range(5)]
    assert GroundingChecker([*having, *told]).unsupported("英雄 啊", evidence) == ("英雄",)


def test_the_number_of_objects_leaves_domains_and_plain_numbers_out() -> None:
    assert len(GroundingChecker([talk("here", HERE)])) == len({"海边", "云小一", "1971-9-4"})


@given(st.decimals(min_value=0, max_value=10**9, places=2), st.sampled_from(["", "年", "万", "kg", "岁"]))
def test_a_number_is_always_borne_out_by_itself(value: object, unit: str) -> None:
    text = f"{value}{unit}"
    evidence = Evidence(None, (), [text])
    assert all(evidence.supports_number(number) for number in numbers(text))
    assert len(numbers(text)) == 1
