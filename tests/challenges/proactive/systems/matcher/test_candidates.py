from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.systems.matcher import candidates
from duologue.challenges.proactive.systems.matcher.candidates import CandidatePool, PooledReply
from duologue.core.errors import UsageError
from duologue.core.records import Answer, Example, Fact, Goal, Sample

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILM_A, FILM_B = ("云 海", "领域", "电影"), ("山 路", "领域", "电影")


def session(
    name: str, said: list[str], knowledge: list[tuple[str, str, str]], topics: tuple[str, str] = ("云 海", "山 路")
) -> list[Example]:
    facts = tuple(Fact(subject=one, relation=relation, object=value) for one, relation, value in knowledge)
    turns = files.turns_of(said)
    return [
        Example(
            sample=Sample(
                id=f"{name}#{at:02d}",
                dialogue_id=name,
                history=turns[:at],
                knowledge=facts,
                goal=Goal(topics=topics),
            ),
            references=(Answer(text=said[at]),),
        )
        for at in range(0, len(said), 2)
    ]


TALK = session(
    "talk",
    ["看 电影 《 云 海 》 吗 ?", "好", "张三 导演 的 云 海 , 2011年 1月", "哦", "还有 山 路"],
    [
        FILM_A,
        FILM_B,
        ("云 海", "导 演", "张三"),
        ("云海", "时间", "2011年 1月"),
        ("山 路", "主演", "张三"),
        ("x", "y", "吗"),
    ],
)
OTHER = (
    session("other", ["你 好", "嗯"], [("青 天", "领域", "电影"), ("小 舟", "领域", "明星")], ("青 天", "小 舟"))
    .pop()
    .sample
)


def draw(of: CandidatePool, sample: Sample, count: int, seed: int = 1, unlike: tuple[str, ...] = ()) -> list[str]:
    return of.candidates(sample, count, random.Random(seed), unlike=unlike)


def test_objects_become_slots_the_longest_first_and_of_equal_ones_the_first() -> None:
    entries = CandidatePool.of(TALK).entries
    assert [entry.key for entry in entries] == ["电影_电影_0", "电影_电影_2", "电影_电影_4"]
    assert [entry.slotted for entry in entries] == [
        "看 topic_a_领域 《 topic_a 》 吗 ?",
        "topic_a_导演 导演 的 topic_a , topic_a_时间",
        "还有 topic_b",
    ]
    assert [entry.plain for entry in entries] == [
        "看 电影 《 topic_a 》 吗 ?",
        "张三 导演 的 topic_a , 2011年 1月",
        "还有 topic_b",
    ]
    assert "topic_b_主演" in CandidatePool.of(TALK).slots


def test_what_only_users_say_makes_no_slot_and_no_entry() -> None:
    examples = session("s", ["你 好", "张三 呢"], [FILM_A, FILM_B, ("云 海", "导演", "张三")])
    assert [(entry.slotted, entry.plain) for entry in CandidatePool.of(examples).entries] == [("你 好", "你 好")]


def test_a_slot_inside_a_slot_leaves_the_slotted_bank_but_not_the_plain_one() -> None:
    knowledge = [FILM_A, FILM_B, ("云 海", "职业", "导演"), ("云 海", "导演", "张三 丰")]
    alone = session("s", ["张三 丰 拍 的"], knowledge)
    assert [entry.slotted for entry in CandidatePool.of(alone).entries] == ["topic_a_导演 拍 的"]
    # another turn names the short object, and the list is shared by all turns, as in the original
    both = session("s", ["张三 丰 拍 的", "谁", "那个 导演"], knowledge)
    assert [(entry.slotted, entry.plain) for entry in CandidatePool.of(both).entries] == [
        ("", "张三 丰 拍 的"),
        ("那个 topic_a_职业", "那个 导演"),
    ]


def test_a_topic_inside_the_other_does_not_tear_it_apart() -> None:
    examples = session("s", ["云 海 之 旅"], [], ("云 海", "云 海 之 旅"))
    assert [(entry.key, entry.plain) for entry in CandidatePool.of(examples).entries] == [("", "topic_b")]


def test_slots_are_filled_with_the_samples_own_objects() -> None:
    knowledge = [
        ("青 天", "领域", "电影"),
        ("小 舟", "领域", "电影"),
        ("青天", "导演", "李四"),
        ("小 舟", "时间", "早"),
    ]
    (new,) = session("new", ["?"], knowledge, ("青 天", "小 舟"))
    source = CandidatePool.of(TALK)
    assert draw(source, new.sample, 1) == ["看 电影 《 青 天 》 吗 ?"]
    later = msgspec.structs.replace(new.sample, history=files.turns_of(["a", "b"]))
    # the sample has no time of A: the slotted entry is passed over, the one with topics alone is not
    assert draw(source, later, 1) == ["张三 导演 的 青 天 , 2011年 1月"]
    assert sorted(draw(source, later, 9)) == sorted(
        ["张三 导演 的 青 天 , 2011年 1月", "看 电影 《 青 天 》 吗 ?", "还有 小 舟"]
    )


def test_the_three_sources_come_in_turn_and_candidates_differ() -> None:
    entries = [
        PooledReply("s", "电影_明星_0", "看 topic_a", "看 topic_a"),
        PooledReply("s", "电影_明星_0", "", "想 topic_a"),
        PooledReply("s", "电影_电影_0", "听 topic_b", "听 topic_b"),
    ]
    new = msgspec.structs.replace(OTHER, history=())
    for seed in range(20):
        assert draw(CandidatePool(entries, ()), new, 3, seed) == ["看 青 天", "想 青 天", "听 小 舟"]
    assert draw(CandidatePool(entries, ()), new, 2, unlike=("想 青 天",)) == ["看 青 天", "听 小 舟"]


def test_the_objects_of_a_slot_are_drawn_evenly_and_one_serves_the_whole_text() -> None:
    knowledge = (*OTHER.knowledge, *(Fact(subject="青 天", relation="类型", object=kind) for kind in "甲乙丙"))
    sample = msgspec.structs.replace(OTHER, knowledge=knowledge, history=())
    source = CandidatePool([PooledReply("s", "电影_明星_0", "topic_a_类型 和 topic_a_类型", "")], ["topic_a_类型"])
    drawn = Counter(draw(source, sample, 1, seed)[0] for seed in range(300))
    assert drawn.keys() == {"甲 和 甲", "乙 和 乙", "丙 和 丙"}
    assert min(drawn.values()) > 70


def test_a_slot_that_begins_like_another_is_told_from_it() -> None:
    knowledge = (*OTHER.knowledge, Fact(subject="青 天", relation="评论 员", object="王五"))
    sample = msgspec.structs.replace(OTHER, knowledge=knowledge, history=())
    source = CandidatePool(
        [PooledReply("s", "电影_明星_0", "topic_a_评论员 说", "")], ["topic_a_评论", "topic_a_评论员"]
    )
    assert draw(source, sample, 1) == ["王五 说"]


def test_nothing_comes_from_a_samples_own_session() -> None:
    other = session("again", ["走 吧"], [FILM_A, FILM_B])
    source = CandidatePool.of([*TALK, *other])
    assert draw(source, TALK[0].sample, 9) == ["走 吧"]
    renamed = msgspec.structs.replace(TALK[0].sample, id="1", dialogue_id="1")
    assert draw(source, renamed, 9) == ["走 吧"]


def test_the_own_session_can_be_asked_for() -> None:
    source = CandidatePool.of(TALK)
    assert draw(source, TALK[2].sample, 9) == []
    drawn = source.candidates(TALK[2].sample, 9, random.Random(1), own=True)
    assert drawn[0] == "还有 山 路"


def test_a_reply_that_no_line_can_hold_is_no_candidate() -> None:
    knowledge = (*OTHER.knowledge, Fact(subject="青 天", relation="导演", object="李\t四"))
    sample = msgspec.structs.replace(OTHER, knowledge=knowledge, history=())
    source = CandidatePool([PooledReply("s", "电影_明星_0", "topic_a_导演", "topic_a")], ["topic_a_导演"])
    assert draw(source, sample, 2) == ["青 天"]


def test_histories_bring_agent_turns_that_are_no_samples_of_their_own() -> None:
    assert [entry.plain for entry in CandidatePool.of(TALK[2:]).entries] == [
        entry.plain for entry in CandidatePool.of(TALK).entries
    ]


def test_a_sample_without_topics_is_refused_by_its_name() -> None:
    with pytest.raises(UsageError, match="other#00"):
        draw(CandidatePool.of(TALK), msgspec.structs.replace(OTHER, goal=None), 1)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 9))
def test_the_same_seed_draws_the_same_and_fewer_are_the_first_of_more(size: int, count: int, seed: int) -> None:
    source = CandidatePool(
        [PooledReply(f"{at}", "电影_明星_0", f"{at} topic_a", f"{at} topic_b") for at in range(size)], ()
    )
    sample = msgspec.structs.replace(OTHER, history=())
    drawn = draw(source, sample, count, seed)
    assert drawn == draw(source, sample, 99, seed)[:count]
    assert len(drawn) == min(count, 2 * size)
    assert draw(source, sample, 99, seed)[:size] != draw(source, sample, 99, seed + 1)[:size] or size < 5


def test_every_order_of_a_short_list_is_drawn_equally_often() -> None:
    source = CandidatePool([PooledReply(f"{at}", "电影_明星_0", f"{at}", f"{at}") for at in range(3)], ())
    sample = msgspec.structs.replace(OTHER, history=())
    orders = Counter("".join(draw(source, sample, 3, seed)) for seed in range(1200))
    assert len(orders) == 6
    assert min(orders.values()) > 150


def test_candidates_of_made_sessions_have_no_slots_left(sessions: Callable[..., Path]) -> None:
    source = CandidatePool.of(files.load(sessions(40)))
    assert len(source.entries) == 160
    assert all(entry.slotted for entry in source.entries)
    for one in files.load(sessions(12, "others.jsonl", start=40)):
        drawn = draw(source, one.sample, 10)
        assert len(set(drawn)) == 10
        assert not [text for text in drawn if "topic_" in text]
        assert candidates.key_of(one.sample).endswith(f"_{len(one.sample.history)}")


@pytest.mark.real_data(twin="test_candidates_of_made_sessions_have_no_slots_left")
def test_candidates_of_real_sessions_have_no_slots_left(real_data: Path) -> None:
    examples = files.load(real_data / "proactive" / "duconv_dev_visible.jsonl.gz")
    source = CandidatePool.of(examples[:2000])
    assert sum(not entry.slotted for entry in source.entries) < 100
    for one in examples[-60:]:
        drawn = draw(source, one.sample, 10)
        assert len(set(drawn)) == 10
        assert not [text for text in drawn if "topic_" in text]
        assert candidates.key_of(one.sample).endswith(f"_{len(one.sample.history)}")
