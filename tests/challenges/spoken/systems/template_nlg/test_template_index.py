from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.systems.template_nlg.context import situation_of
from duologue.challenges.spoken.systems.template_nlg.template_index import Bank
from duologue.challenges.spoken.systems.template_nlg.training_pairs import lessons_of
from duologue.core.records import Fact, Turn

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.spoken.systems.template_nlg.context import Situation


@pytest.fixture
def bank(golden: Path) -> Bank:
    lessons, _ = lessons_of(files.load(golden / "contract" / "valid.json"), [])
    return Bank([one.entry for one in lessons])


def asked(question: str, *facts: Fact) -> Situation:
    return situation_of([Turn(speaker="user", text=question)], facts)


PRICE = Fact(subject="松林", relation="门票", object="18元")


def test_like_questions_are_answered_alike(bank: Bank) -> None:
    found = bank.search(asked("松林的门票要多少钱？", PRICE), "", most=20, pool=50)
    assert found[0].text == "门票18元。"
    assert [one.likeness for one in found] == sorted((one.likeness for one in found), reverse=True)
    assert len({one.text for one in found}) == len(found)


def test_no_dialogue_answers_itself(bank: Bank) -> None:
    now = asked("松林的门票要多少钱？", PRICE)
    first = bank.search(now, "", most=20, pool=50)[0]
    dialogue = bank.entries[first.entry].dialogue
    apart = bank.search(now, "", most=20, pool=50, apart=dialogue)
    assert apart
    assert all(bank.entries[one.entry].dialogue != dialogue for one in apart)


def test_small_talk_is_answered_with_small_talk(bank: Bank) -> None:
    found = bank.search(asked("好的，谢谢你。"), "", most=20, pool=50)
    assert found
    assert all(not bank.entries[one.entry].relations for one in found)


def test_knowledge_in_a_wording_is_said_only_where_it_is_known(bank: Bank) -> None:
    now = asked("松林的门票要多少钱？", PRICE)
    needy = [number for number, entry in enumerate(bank.entries) if entry.needs and entry.relations]
    said = {one.entry for one in bank.search(now, "", most=1000, pool=1000)}
    assert needy
    assert said.isdisjoint(needy)


def test_a_text_is_said_in_parts(bank: Bank) -> None:
    about = "松林是山后的一片老林子，林子里有一条小溪。秋天的时候有很多人来看红叶，也有人来采蘑菇。"
    now = asked("你知道松林吗？", Fact(subject="松林", relation="Information", object=about))
    found = bank.search(now, "", most=20, pool=50)
    parts = {one.part.text for one in found if one.part is not None}
    assert "林子里有一条小溪" in parts
    assert all(part in about for part in parts)
