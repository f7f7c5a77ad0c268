from __future__ import annotations

import pytest

from duologue.challenges.proactive.systems.planner.roles import UNKNOWN, FilmRoles, roles_of
from duologue.challenges.proactive.systems.planner.slots import Filling, SlotValue
from duologue.challenges.proactive.systems.planner.state import state_of
from duologue.core.records import Fact, Goal, Sample

FILM, STAR = "深海", "林 一"
KINDS = ((FILM, "领域", "电影"), (STAR, "领域", "明星"))
DIRECTOR = FilmRoles(directs=True, leads=("王二",), directors=("赵三",))
LEAD = FilmRoles(acts=True, leads=("王二",), directors=("赵三",))


def sample(*knowledge: tuple[str, str, str], relations: tuple[tuple[str, str, str], ...] = ()) -> Sample:
    facts, known = (
        tuple(Fact(subject=subject, relation=relation, object=thing) for subject, relation, thing in rows)
        for rows in (knowledge, relations)
    )
    return Sample(id="s#0", dialogue_id="s", goal=Goal(topics=(FILM, STAR), relations=known), knowledge=facts)


@pytest.mark.parametrize(
    ("knowledge", "expected"),
    [
        pytest.param((*KINDS, (STAR, "职业", "导演")), FilmRoles(directs=True), id="by profession"),
        pytest.param((*KINDS, (STAR, "职业", "演员")), FilmRoles(acts=True), id="an actor"),
        pytest.param((*KINDS, (STAR, "职业", "编剧")), UNKNOWN, id="a profession that is neither"),
        pytest.param((*KINDS, (FILM, "导演", STAR)), FilmRoles(directs=True), id="by a fact of the film"),
        pytest.param((*KINDS, (FILM, "主演", STAR)), FilmRoles(acts=True), id="a lead by a fact of the film"),
        pytest.param(
            (*KINDS, (FILM, "导演", STAR), (STAR, "职业", "演员")), FilmRoles(acts=True, directs=True), id="both"
        ),
        pytest.param(
            (*KINDS, (FILM, "主演", "王 二"), (FILM, "导演", "赵 三"), (FILM, "导演", STAR)), DIRECTOR, id="with others"
        ),
        pytest.param((KINDS[0], (STAR, "领域", "电影"), (STAR, "职业", "导演")), UNKNOWN, id="two films"),
        pytest.param(((STAR, "职业", "导演"),), UNKNOWN, id="of unknown kind"),
    ],
)
def test_roles_are_those_of_facts_and_profession(
    knowledge: tuple[tuple[str, str, str], ...], expected: FilmRoles
) -> None:
    assert roles_of(sample(*knowledge)) == expected
    assert state_of(sample(*knowledge)).roles == expected


def test_the_goal_tells_roles_too() -> None:
    assert roles_of(sample(*KINDS, relations=((FILM, "主演", STAR),))) == FilmRoles(acts=True)


@pytest.mark.parametrize(
    ("roles", "reply", "expected"),
    [
        pytest.param(DIRECTOR, "这部 电影 的 主演 是 林 一 。", True, id="a director as lead"),
        pytest.param(DIRECTOR, "他 还 出演 过 一部 电影 。", True, id="in other words"),
        pytest.param(DIRECTOR, "王二 主演 的 ， 你 看 过 吗 ？", False, id="another lead is named"),
        pytest.param(DIRECTOR, "林 一 导演 的 。", False, id="a director as director"),
        pytest.param(LEAD, "林 一 导演 的 。", True, id="a lead as director"),
        pytest.param(LEAD, "他 主演 的 ， 赵三 导演 的 。", False, id="another director is named"),
        pytest.param(LEAD, "他 执导 的 ， 王二 主演 。", True, id="naming another lead does not help"),
        pytest.param(LEAD, "林 一 主演 的 。", False, id="a lead as lead"),
        pytest.param(UNKNOWN, "林 一 主演 的 。", False, id="nothing is known"),
        pytest.param(FilmRoles(acts=True, directs=True), "他 导演 的 。", False, id="both are known"),
    ],
)
def test_a_role_that_the_star_has_not_is_denied(roles: FilmRoles, reply: str, *, expected: bool) -> None:
    assert roles.are_denied_by(Filling(tuple(reply.split()), ())) is expected


def test_what_is_quoted_of_the_facts_is_not_a_claim() -> None:
    comment = SlotValue("{a.评论}", ("主演", "很", "好"))
    words = ("都", "说", "主演", "很", "好", "。")
    assert not DIRECTOR.are_denied_by(Filling(words, (comment,)))
    assert DIRECTOR.are_denied_by(Filling(("主演", "是", "他", "，", *words), (comment,)))
