from __future__ import annotations

import pytest

from duologue.challenges.proactive.live.partner import BUILT_IN
from duologue.challenges.proactive.systems.planner.user_turn import (
    asked_facts,
    asked_names,
    asked_of,
    refuses,
)
from duologue.core.records import Fact, Goal, Sample, Turn

TWO_STARS = (
    Fact(subject="沈 一 帆", relation="领域", object="明星"),
    Fact(subject="沈 一 帆", relation="星座", object="双鱼座"),
    Fact(subject="林 可", relation="领域", object="明星"),
    Fact(subject="林 可", relation="身高", object="168cm"),
)


def sample(*lines: str, knowledge: tuple[Fact, ...] = BUILT_IN.knowledge, goal: Goal | None = BUILT_IN.goal) -> Sample:
    turns = tuple(Turn(speaker=("system", "user")[place % 2], text=line) for place, line in enumerate(lines))
    return Sample(id="s", dialogue_id="s", history=turns, knowledge=knowledge, goal=goal)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("他 多大 了 ？", "沈 一 帆 出生 于 1979 - 3 - 8 。"),
        ("他多大了", "沈 一 帆 出生 于 1979 - 3 - 8 。"),
        ("我 是 狮子座 ， 他 是 什么 星座 ？", "沈 一 帆 的 星座 是 双鱼座 。"),
        ("他 有 什么 代表作 ？", "沈 一 帆 的 代表作 有 灯塔 下 的 信 、 雨 后 的 站台 。"),
        ("什么 时候 上映 的 ？", "灯塔 下 的 信 是 2014年5月1日 上映 的 。"),
        ("灯塔下的信是什么类型的", "灯塔 下 的 信 的 类型 是 剧情 。"),
    ],
)
def test_a_question_for_a_given_fact_is_answered_from_the_knowledge(said: str, told: str) -> None:
    (asked,) = asked_facts(sample("你 知道 沈 一 帆 吗 ？", said))
    assert asked.sentence == told
    assert asked.is_told_by(told)


@pytest.mark.parametrize(
    "said",
    [
        "我 也 是 双鱼座 的",  # no question
        "还是 和 我 一个 星座 的 呢 ， 你 说 的 是 谁 ？",  # the cue and the question stand apart
        "她 眼睛 有 多大 呀 ？",
        "他 身高 多少 ？",  # the knowledge does not have it
        "你 好 吗 ？",
    ],
)
def test_what_is_no_question_for_a_given_fact_is_left_alone(said: str) -> None:
    assert asked_facts(sample("你 知道 沈 一 帆 吗 ？", said)) == []


def test_two_questions_are_both_answered_and_one_asked_twice_once() -> None:
    found = asked_facts(sample("沈 一 帆 ， 你 知道 吗 ？", "他 什么 星座 ？ 职业 呢 ？ 什么 星座 ？"))
    assert [one.predicate for one in found] == ["星座", "职业"]


def test_nothing_of_one_star_is_told_of_another() -> None:
    goal = Goal(topics=("沈 一 帆", "林 可"))
    assert asked_facts(sample("林 可 很 红 。", "她 是 什么 星座 ？", knowledge=TWO_STARS, goal=goal)) == []
    (asked,) = asked_facts(sample("林 可 很 红 。", "沈一帆 是 什么 星座 ？", knowledge=TWO_STARS, goal=goal))
    assert asked.subject == "沈 一 帆"


FILM_AND_STAR = (
    Fact(subject="无声 的 女人", relation="领域", object="电影"),
    Fact(subject="无声 的 女人", relation="导演", object="沈 一 帆"),
    Fact(subject="无声 的 女人", relation="主演", object="林 可"),
    Fact(subject="无声 的 女人", relation="类型", object="剧情"),
    Fact(subject="林 可", relation="领域", object="明星"),
    Fact(subject="林 可", relation="毕业 院校", object="海城 大学"),
    Fact(subject="林 可", relation="性别", object="女"),
    Fact(subject="林 可", relation="星座", object="双鱼座"),
    Fact(subject="林 可", relation="代表作", object="雨 后"),
)


@pytest.mark.parametrize("line", ["林可 主演 的 《 无声 的 女人 》 很 不错 呢", "无声 的 女人 很 不错 呢"])
@pytest.mark.parametrize(
    ("said", "subject", "predicate"),
    [
        ("他是哪里毕业的", "林 可", "毕业 院校"),
        ("她是男的还是女的", "林 可", "性别"),
        ("是男是女", "林 可", "性别"),
        ("男明星还是女明星啊", "林 可", "性别"),
        ("她男的女的", "林 可", "性别"),
        ("导演呢", "无声 的 女人", "导演"),
        ("那主演呢", "无声 的 女人", "主演"),
        ("好看吗？类型呢？", "无声 的 女人", "类型"),
    ],
)
def test_a_question_for_what_only_the_other_topic_has_is_about_that(
    line: str, said: str, subject: str, predicate: str
) -> None:
    goal = Goal(topics=("无声 的 女人", "林 可"))
    (asked,) = asked_facts(sample(line, said, knowledge=FILM_AND_STAR, goal=goal))
    assert (asked.subject, asked.predicate) == (subject, predicate)


@pytest.mark.parametrize(
    "said",
    [
        "她还是双鱼座的",
        "但是她还是双鱼座的",
        "和我一个星座的呢",
        "是谁呀？和我一个星座的",
        "她也是个演员吗？跟我是同一星座的",
        "这是谁的代表作呢",
        "他是导演呢",
        "这个片子我看过，挺好的导演呢",
    ],
)
def test_words_of_a_question_that_ask_nothing_are_no_question(said: str) -> None:
    goal = Goal(topics=("无声 的 女人", "林 可"))
    assert asked_facts(sample("林可 演 的 无声 的 女人", said, knowledge=FILM_AND_STAR, goal=goal)) == []


def test_before_a_topic_is_named_nothing_is_asked_about_the_second() -> None:
    goal = Goal(topics=("林 可", "无声 的 女人"))
    assert asked_facts(sample("有 部 电影 很 好看 。", "谁 导演 的 ？", knowledge=FILM_AND_STAR, goal=goal)) == []


def test_a_value_inside_the_name_of_a_topic_tells_nothing() -> None:
    goal = Goal(topics=("无声 的 女人", "林 可"))
    (asked,) = asked_facts(sample("林 可 不错 。", "她 是 男 的 还是 女 的", knowledge=FILM_AND_STAR, goal=goal))
    assert not asked.is_told_by("她 演 了 无声 的 女人 。")
    assert asked.is_told_by("她 演 了 无声 的 女人 ， 是 女 的 。")


@pytest.mark.parametrize(
    "said", ["什么 电影 呀 ？", "哪 部 ？", "叫什么名字", "哪部片子啊", "叫 什么 ？", "是什么电影啊，讲什么的。"]
)
def test_who_asks_which_film_asks_for_its_name(said: str) -> None:
    goal = Goal(topics=("无声 的 女人", "林 可"))
    (asked,) = asked_of(sample("有 部 电影 很 好看 。", said, knowledge=FILM_AND_STAR, goal=goal))
    assert asked.sentence == "是 无声 的 女人 。"
    assert asked.is_told_by(asked.sentence)
    assert not asked.is_told_by("很 好看 的 一部 电影 。")


@pytest.mark.parametrize("said", ["谁 啊 ？", "是谁呀", "哪位？", "她叫什么", "哪个明星", "不 认识 ， 是 谁 ？"])
def test_who_asks_of_whom_one_speaks_asks_for_a_name(said: str) -> None:
    goal = Goal(topics=("无声 的 女人", "林 可"))
    found = asked_of(sample("无声 的 女人 的 主演 很 美 。", said, knowledge=FILM_AND_STAR, goal=goal))
    assert [one.sentence for one in found] == ["是 林 可 。"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("有 部 电影 很 好看 。", "谁 啊 ？"),  # of another kind than the topic that comes next
        ("有 部 电影 很 好看 。", "谁 演 的 ？"),
        ("有 部 电影 很 好看 。", "谁 都 爱 看 电影"),
        ("有 部 电影 很 好看 。", "什么 ， 你 说 电影 ？"),
        ("林 可 演 过 无声 的 女人 。", "什么 电影 ？"),  # both were named
        ("有 部 电影 很 好看 。", "无声 的 女人 是 什么 电影 ？"),  # it is about a topic
    ],
)
def test_what_asks_for_no_name_of_a_topic_is_left_alone(line: str, said: str) -> None:
    goal = Goal(topics=("无声 的 女人", "林 可"))
    assert asked_names(sample(line, said, knowledge=FILM_AND_STAR, goal=goal)) == []


def test_who_asks_for_a_fact_too_is_told_that() -> None:
    goal = Goal(topics=("林 可", "无声 的 女人"))
    found = asked_of(
        sample("林 可 演 过 一 部 电影 。", "她 什么 星座 ？ 什么 电影 ？", knowledge=FILM_AND_STAR, goal=goal)
    )
    assert [one.sentence for one in found] == ["林 可 的 星座 是 双鱼座 。"]


def test_before_the_user_spoke_nothing_is_asked() -> None:
    assert asked_facts(sample()) == []
    assert asked_names(sample()) == []
    assert not refuses(sample())


@pytest.mark.parametrize("said", ["不想聊这个", "我 没 兴趣 。", "换个话题吧", "不 喜欢 他", "说点别的"])
def test_a_refusal_is_seen(said: str) -> None:
    assert refuses(sample("看 过 吗 ？", said))


@pytest.mark.parametrize("said", ["我 很 喜欢 他", "感兴趣 ！", "想 看", "没 看过 ， 好看 吗 ？"])
def test_what_is_no_refusal_is_not(said: str) -> None:
    assert not refuses(sample("看 过 吗 ？", said))
