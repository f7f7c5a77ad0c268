from __future__ import annotations

from tests.challenges.spoken.worlds import WORLD

from duologue.challenges.spoken.knowledge.inquiry import Inquiry
from duologue.challenges.spoken.systems.grounded.entity_linker import EntityLinker
from duologue.challenges.spoken.systems.grounded.questions.follow_up import following
from duologue.knowledge.query import Query, Step

LINKER = EntityLinker(WORLD.entities)
AUTHOR = Inquiry(query=Query(start=("孤灯夜话",), steps=(Step("作者"),)))


def told(text: str, before: Inquiry, earlier: Inquiry | None = None) -> str | None:
    found = following(text, LINKER.mentions(text), before, earlier, WORLD)
    return None if found is None else found.query.told()


def test_an_attribute_without_a_name_is_that_of_the_answer() -> None:
    assert told("他的家乡呢", AUTHOR) == "贺兰舟 → 家乡"
    assert told("售价呢", AUTHOR) is None, "the book has it, not its author"


def test_a_comparison_needs_a_set_that_the_entity_is_in() -> None:
    height = Inquiry(query=Query(start=("柏子衿",), steps=(Step("身高"),)))
    people = Inquiry(query=Query(start=("雾中行旅",), steps=(Step("主要人物"),)))
    assert told("有没有比他高的", height, people) is None, "he is not in that book"
    assert told("有没有比他高的", height) is None
    tallest = Query(start=("画师",), steps=(Step("职业", back=True), Step("身高")), take="smallest")
    assert (
        told("有没有比他高的", Inquiry(query=tallest, wanted="entities")) == "more than 柏子衿 of: 画师 ← 职业 → 身高"
    )
