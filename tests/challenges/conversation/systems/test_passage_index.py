from __future__ import annotations

import pytest

from duologue.challenges.conversation.systems.lookup import refuse_knowledge
from duologue.challenges.conversation.systems.passage_index import PassageIndex, passages_of
from duologue.core.errors import UsageError
from duologue.core.records import Fact, Turn
from duologue.knowledge.base import KnowledgeBase

FACTS = (
    Fact(subject="how heavy may a bag be ?", relation="text", object="You may take 23 kg."),
    Fact(subject="", relation="text", object="Dogs travel for free."),
    Fact(subject="", relation="text", object="dogs travel for free ."),
    Fact(subject="", relation="text", object="We fly to Rome on Sundays."),
    Fact(subject="", relation="text", object="🙂"),
)


def asked(*said: str) -> list[Turn]:
    return [Turn(speaker=("user", "system")[place % 2], text=text) for place, text in enumerate(said)]


def test_a_passage_is_found_by_what_it_is_about_and_by_its_words() -> None:
    index = PassageIndex(FACTS)
    (heavy, *_) = index.best(asked("is my bag too heavy ?"), 5)
    assert (heavy.about, heavy.text) == ("how heavy may a bag be ?", "you may take 23 kg .")
    (dogs,) = index.best(asked("and dogs"), 5)
    assert dogs.text == "dogs travel for free ."
    assert 0 < dogs.similarity <= 1
    assert len(index) == len(FACTS) - 1, "cut alike, two are one"


def test_the_last_turn_counts_most_and_earlier_ones_count() -> None:
    index = PassageIndex(FACTS)
    found = index.best(asked("do you fly to rome on sundays", "yes", "and dogs travel"), 5)
    assert [one.text for one in found][:2] == ["dogs travel for free .", "we fly to rome on sundays ."]
    assert found[0].similarity > found[1].similarity
    assert index.best(asked("do you fly to rome on sundays", "yes", "and dogs travel"), 1) == found[:1]


def test_stems_find_other_forms_of_a_word_and_ignore_function_words() -> None:
    facts = [
        Fact(subject="can i take my dog on the train ?", relation="text", object="Dogs travel for free."),
        Fact(subject="", relation="text", object="Refunds take three to five working days."),
    ]
    index = PassageIndex(facts, "stems")
    assert [one.text for one in index.best(asked("how do i get a refund ?"), 5)] == [
        "refunds take three to five working days ."
    ]
    assert [one.text for one in PassageIndex(facts).best(asked("how do i get a refund ?"), 5)] == [
        "dogs travel for free ."
    ]
    assert [one.text for one in index.best(asked("is travelling with dogs fine"), 1)] == ["dogs travel for free ."]
    assert index.best(asked("hi , can i have it ?"), 5) == []


@pytest.mark.parametrize("said", [(), ("",), ("xyzzy",)])
def test_nothing_is_found_without_a_shared_word(said: tuple[str, ...]) -> None:
    assert PassageIndex(FACTS).best(asked(*said), 5) == []


def test_all_knowledge_bases_are_one_index_and_none_is_none() -> None:
    worlds = {name: KnowledgeBase(name, [fact]) for name, fact in zip("abcde", FACTS, strict=True)}
    found = passages_of(worlds)
    assert found is not None
    assert found.best(asked("dogs"), 5) == PassageIndex(FACTS).best(asked("dogs"), 5)
    assert passages_of({}) is None


def test_knowledge_is_refused_by_name() -> None:
    refuse_knowledge({}, "lstm")
    with pytest.raises(UsageError, match=r"'lstm' looks nothing up .*--kb out \(faq.txt\)"):
        refuse_knowledge({"faq.txt": KnowledgeBase("faq.txt", FACTS)}, "lstm")
