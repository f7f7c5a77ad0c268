from __future__ import annotations

import pytest

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.live.coherence import (
    CONTRADICTION,
    QUESTION,
    REPETITION,
    TYPE,
    CoherenceFlaw,
    coherence_of,
)
from duologue.core.records import Dialogue, Fact, Goal

FACTS = tuple(
    Fact(subject=one, relation=two, object=three)
    for one, two, three in [
        ("海 边", "领域", "电影"),
        ("海 边", "类型", "爱情"),
        ("海 边", "口碑", "口碑 不错"),
        ("云 小一", "领域", "明星"),
        ("云 小一", "星座", "双鱼座"),
        ("云 小一", "血型", "A"),
        ("云 小一", "身高", "180cm"),
        ("云 小一", "祖籍", "辽宁 丹东"),
        ("海 边", "导演", "沈 一帆"),
        ("云 小一", "性别", "男"),
        ("云 小一", "国家", "中国 香港"),
        ("云 小一", "出生 日期", "1979 - 3 - 8"),
    ]
)


def talk(*texts: str) -> Dialogue:
    goal = Goal(topics=("海 边", "云 小一"))
    return Dialogue(id="1", turns=files.turns_of(texts), knowledge=FACTS, goal=goal)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("再 给 你 推荐 一部 电影 叫 云 小一 ， 不错 的 。", "一部电影叫云小一"),
        ("云 小一 这部 电影 好看 。", "云小一这部"),
        ("云 小一 的 主演 是 谁 ？", "云小一的主演是"),
        ("有 个 演员 叫 海 边 。", "演员叫海边"),
        ("海 边 的 身高 是 180cm 。", "海边的身高"),
        ("《 海 边 》 这位 演员", "海边》这位"),
        ("海 边 是 一位 非常 优秀 的 演员", "海边是一位非常优秀的演员"),
        ("海 边 是 一名 很 好听 的 歌手 哦", "海边是一名很好听的歌手"),
        ("云 小一 是 个 很 好看 的 电影", "云小一是个很好看的电影"),
    ],
)
def test_a_person_called_a_film_and_a_film_called_a_person_are_found(text: str, what: str) -> None:
    assert CoherenceFlaw(0, TYPE, what) in coherence_of(talk(text)).flaws


@pytest.mark.parametrize(
    "text",
    [
        "这部 电影 是 云 小一 代表作 。",
        "云 小一 是 这部 片子 的 导演 。",
        "有 一部 电影 叫 海 边 ， 主演 是 云 小一 。",
        "这部 电影 是 云 小一 主演 的 。",
        "有 个 演员 叫 云 小一 ， 海 边 的 主演 。",
        "海 边 是 一位 很 优秀 的 演员 主演 的 。",
        "云 小一 是 个 很 喜欢 电影 的 人 。",
        "海 边 是 个 很 好看 的 电影 。",
        "云 小一 是 一位 非常 优秀 的 演员 。",
    ],
)
def test_a_person_related_to_a_film_is_no_flaw(text: str) -> None:
    assert coherence_of(talk(text)).flaws == ()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("云 小一 是 狮子座 的 。", ["狮子座"]),
        ("云 小一 很 好 ， 是 双鱼座 ， 身高 １７０cm 。", ["170"]),
        ("云 小一 是 A 型 血 。", []),
        ("云 小一 是 AB 型 血 。", ["AB型"]),
        ("你 是 狮子座 吗 ？ 云 小一 呢 ？", []),
        ("云 小一 的 妻子 是 狮子座 。", []),
        ("海 边 里 有 狮子座 的 人 。", []),
        ("云 小一 ， 她 可 是 非常 漂亮 一位 美女", ["美女"]),
        ("你 知道 云 小一 吧 ， 是 个 女演员 哦 。", ["女演员"]),
        ("云 小一 是 个 大 帅哥 ， 我 的 男神 。", []),
        ("云 小一 和 一位 女演员 合作 过 。", []),
        ("云 小一 的 好友 是 个 美女 。", []),
        ("云 小一 是 个 女演员 吗 ？", []),
        ("云 小一 是 法国 人 。", ["法国人"]),
        ("云 小一 是 中国 的 演员 。", []),
        ("云 小一 出生 于 1980年 。", ["出生于1980"]),
        ("云 小一 是 1979年3月8日 出生 的 。", []),
        ("海 边 的 导演 是 云 小一 。", ["导演是云小一"]),
        ("海 边 不错 ， 导演 是 沈 一帆 。", []),
        ("海 边 的 导演 是 一位 明星 。", []),
    ],
)
def test_another_value_than_that_of_the_knowledge_contradicts_it(text: str, what: list[str]) -> None:
    assert coherence_of(talk(text)).flaws == tuple(CoherenceFlaw(0, CONTRADICTION, one) for one in what)


def test_a_sentence_said_again_is_found_wherever_it_stands() -> None:
    texts = "你 喜欢 看 爱情片 吗 ？ 对 的 。", "你 喜欢 看 爱情片 吗 ？", "对 的 。 你 喜欢 看 爱情片 吗 ！"
    assert coherence_of(talk(*texts)).flaws == (CoherenceFlaw(2, REPETITION, "你喜欢看爱情片吗"),)
    twice = "这 个 电影 好看 哦 。 这个 电影 好看 哦 。"
    assert coherence_of(talk(twice)).flaws == (CoherenceFlaw(0, REPETITION, "这个电影好看哦"),)


@pytest.mark.parametrize(("reply", "flaws"), [("180cm", 0), ("她 是 辽宁丹东人 。", 1), ("不 知道 。", 1)])
def test_a_question_for_a_given_fact_wants_its_value(reply: str, flaws: int) -> None:
    found = coherence_of(talk("云 小一 好看 。", "他 多高 ？", reply))
    assert (found.asked, found.count(QUESTION)) == (1, flaws)


def test_part_of_a_value_answers_and_opinions_are_not_asked_for() -> None:
    assert coherence_of(talk("云 小一 呢 。", "她 是 哪里人 ？", "丹东 那边 。")).count(QUESTION) == 0
    opinion = coherence_of(talk("海 边 呢 。", "好看 吗 ？", "不 知道 。"))
    assert (opinion.asked, opinion.flaws) == (0, ())


def test_who_says_the_value_and_asks_whether_it_is_so_is_answered_with_a_word() -> None:
    found = coherence_of(talk("云 小一 好看 。", "他 的 祖籍 是不是 辽宁丹东 ？", "是 的 。"))
    assert (found.asked, found.flaws) == (0, ())


def test_points_fall_with_each_flawed_utterance_and_end_at_none() -> None:
    bad = "云 小一 是 狮子座 ， 身高 170cm 。"
    points = [coherence_of(talk(*["好 。", "嗯 。"] * 2, *[bad, "哦 。"] * n)).points for n in range(5)]
    assert points == [3, 2, 1, 0, 0]
    assert coherence_of(Dialogue(id="1", turns=files.turns_of(["云 小一 是 狮子座 。", "嗯"]))).points == 3
