from __future__ import annotations

import pytest

pytest.importorskip("tantivy", reason="the retriever's engine is optional")

from duologue.challenges.conversation.systems.retriever.memory import Memory, kinds
from duologue.challenges.conversation.systems.retriever.retriever import RetrieverRecipe
from duologue.core.records import Turn

BEST = {"candidates": 1, "pool": 20}


def turns(*said: str) -> tuple[Turn, ...]:
    return tuple(Turn(speaker=("user", "system")[place % 2], text=text) for place, text in enumerate(said))


def test_kinds_tell_tweets_from_lines_and_openings_from_later_turns() -> None:
    assert kinds(()) == ["turn0", "length0"]
    assert kinds(turns("a", "b", "c"))[0] == "turn1"
    assert set(kinds(turns("why ? ! ?"))) == {"turn0", "length3", "sign63", "sign33"}
    assert kinds(turns("word " * 40))[1] != kinds(turns("word"))[1]


def test_a_talk_of_the_same_kind_is_preferred_where_words_are_equal() -> None:
    talks = (turns("i want a refund", "typed"), turns("i want a refund !!! @shop #angry", "tweeted"))
    memory = Memory.of(talks)
    asked = turns("a refund is what i want !!! @bank #bad")
    assert memory.reply(asked, RetrieverRecipe(**BEST, kind=1.0, likeness=0.0)) == "tweeted"


def test_word_vectors_find_what_is_meant_where_words_differ() -> None:
    said = [("the {} is fast", "it flies"), ("a {} eats", "it lives")]
    names = (("plane", "jet"), ("cat", "dog"))
    talks = [
        turns(text.format(name), reply) for (text, reply), group in zip(said, names, strict=True) for name in group * 6
    ]
    talks += [turns("my plane now", "the flight desk helps"), turns("my cat now", "the vet helps")]
    memory = Memory.of(talks)
    asked = turns("my dog now")
    assert memory.reply(asked, RetrieverRecipe(**BEST, reply=0.0, likeness=20.0)) == "the vet helps"


def test_given_vectors_are_used_as_they_are() -> None:
    memory = Memory.of((turns("hello", "hi"), turns("good bye", "bye")))
    again = Memory.of(memory.talks, memory.table)
    assert again.table is memory.table
    assert (again.asked == memory.asked).all()
