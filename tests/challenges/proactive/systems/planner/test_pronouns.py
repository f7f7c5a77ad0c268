from __future__ import annotations

import pytest

from duologue.challenges.proactive.systems.planner.pronouns import Pronouns
from duologue.challenges.proactive.systems.planner.state import state_of
from duologue.core.records import Fact, Goal, Sample, Turn

FILM, WOMAN, MAN = "无声 的 女人", "林 可", "沈 一 帆"
KINDS = {FILM: "电影", WOMAN: "明星", MAN: "明星"}
SEXES = {WOMAN: "女", MAN: "男"}


def adapted(template: str, first: str, second: str, *lines: str, sexes: dict[str, str] = SEXES) -> str:
    facts = [Fact(subject=one, relation="领域", object=KINDS[one]) for one in (first, second)]
    facts += [Fact(subject=one, relation="性别", object=sexes[one]) for one in (first, second) if one in sexes]
    turns = tuple(Turn(speaker=("system", "user")[place % 2], text=line) for place, line in enumerate(lines))
    goal = Goal(topics=(first, second))
    state = state_of(Sample(id="s", dialogue_id="s", history=turns, knowledge=tuple(facts), goal=goal))
    return " ".join(Pronouns(state)(tuple(template.split())))


@pytest.mark.parametrize("topics", [(FILM, WOMAN), (WOMAN, FILM)])
def test_beside_a_film_the_star_is_meant(topics: tuple[str, str]) -> None:
    assert adapted("他 很 美 ， 我 喜欢 他 。", *topics) == "她 很 美 ， 我 喜欢 她 。"
    assert adapted("她 很 美 。", *topics, f"你 看 {FILM} 吗 ？", "看 过 。") == "她 很 美 。"


def test_of_a_man_and_a_woman_the_one_named_last_is_meant() -> None:
    assert adapted("她 很 红 。", MAN, WOMAN) == "他 很 红 。"  # before any is named: the first
    assert adapted("她 和 {B} 是 好友 ， 他 也 很 红 。", MAN, WOMAN, f"{MAN} 很 红 。", "嗯 。") == (
        "他 和 {B} 是 好友 ， 她 也 很 红 。"
    )


def test_once_both_were_named_the_second_is_meant() -> None:
    said = (f"{WOMAN} 很 红 。", "嗯 。", f"{MAN} 认识 {WOMAN} 。", "是 吗 ？")
    assert adapted("她 很 帅 。", WOMAN, MAN, *said) == "他 很 帅 。"


def test_a_sex_that_is_not_known_changes_nothing() -> None:
    assert adapted("他 很 美 。", FILM, WOMAN, sexes={}) == "他 很 美 。"
    assert adapted("她 很 红 。", MAN, WOMAN, f"{MAN} 很 红 。", "嗯 。", sexes={WOMAN: "女"}) == "她 很 红 。"
    assert adapted("他 很 红 。", FILM, FILM) == "他 很 红 。"
