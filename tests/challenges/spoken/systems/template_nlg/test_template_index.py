from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.systems.template_nlg.context import context_of
from duologue.challenges.spoken.systems.template_nlg.template_index import ReplyTemplateIndex
from duologue.challenges.spoken.systems.template_nlg.training_pairs import training_replies
from duologue.core.records import Fact, Turn

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.spoken.systems.template_nlg.context import ReplyContext


@pytest.fixture
def index(golden: Path) -> ReplyTemplateIndex:
    training, _ = training_replies(files.load(golden / "contract" / "valid.json"), [])
    return ReplyTemplateIndex([one.entry for one in training])


def asked(question: str, *facts: Fact) -> ReplyContext:
    return context_of([Turn(speaker="user", text=question)], facts)


PRICE = Fact(subject="松林", relation="门票", object="18元")


def test_like_questions_are_answered_alike(index: ReplyTemplateIndex) -> None:
    found = index.search(asked("松林的门票要多少钱？", PRICE), limit=20, pool=50)
    assert found[0].text == "门票18元。"
    assert [one.similarity for one in found] == sorted((one.similarity for one in found), reverse=True)
    assert len({one.text for one in found}) == len(found)


def test_no_dialogue_answers_itself(index: ReplyTemplateIndex) -> None:
    context = asked("松林的门票要多少钱？", PRICE)
    first = index.search(context, limit=20, pool=50)[0]
    dialogue = index.entries[first.entry].source
    apart = index.search(context, limit=20, pool=50, apart=dialogue)
    assert apart
    assert all(index.entries[one.entry].source != dialogue for one in apart)


def test_the_source_of_a_template_is_its_dialogue_under_that_name_in_files(index: ReplyTemplateIndex) -> None:
    entry = index.entries[0]
    assert msgspec.json.decode(msgspec.json.encode(entry))["dialogue"] == entry.source


def test_small_talk_is_answered_with_small_talk(index: ReplyTemplateIndex) -> None:
    found = index.search(asked("好的，谢谢你。"), limit=20, pool=50)
    assert found
    assert all(not index.entries[one.entry].relations for one in found)


def test_knowledge_in_a_wording_is_said_only_where_it_is_known(index: ReplyTemplateIndex) -> None:
    context = asked("松林的门票要多少钱？", PRICE)
    needy = [number for number, entry in enumerate(index.entries) if entry.needs and entry.relations]
    said = {one.entry for one in index.search(context, limit=1000, pool=1000)}
    assert needy
    assert said.isdisjoint(needy)


def test_a_text_is_said_in_parts(index: ReplyTemplateIndex) -> None:
    about = "松林是山后的一片老林子，林子里有一条小溪。秋天的时候有很多人来看红叶，也有人来采蘑菇。"
    context = asked("你知道松林吗？", Fact(subject="松林", relation="Information", object=about))
    found = index.search(context, limit=20, pool=50)
    parts = {one.part.text for one in found if one.part is not None}
    assert "林子里有一条小溪" in parts
    assert all(part in about for part in parts)
