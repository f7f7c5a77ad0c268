from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("tantivy", reason="the retriever's engine is optional")

from duologue.challenges.conversation.systems.retriever.recipe import RetrieverRecipe
from duologue.challenges.conversation.systems.retriever.reply_index import ReplyIndex, context_features
from duologue.core.records import Turn

BEST: dict[str, Any] = {"candidates": 1, "pool": 20}


def turns(*said: str) -> tuple[Turn, ...]:
    return tuple(Turn(speaker=("user", "system")[place % 2], text=text) for place, text in enumerate(said))


def test_kinds_tell_tweets_from_lines_and_openings_from_later_turns() -> None:
    assert context_features(()) == ["turn0", "length0"]
    assert context_features(turns("a", "b", "c"))[0] == "turn1"
    assert set(context_features(turns("why ? ! ?"))) == {"turn0", "length3", "sign63", "sign33"}
    assert context_features(turns("word " * 40))[1] != context_features(turns("word"))[1]


def test_a_talk_of_the_same_kind_is_preferred_where_words_are_equal() -> None:
    talks = (turns("i want a refund", "typed"), turns("i want a refund !!! @shop #angry", "tweeted"))
    memory = ReplyIndex.of(talks)
    asked = turns("a refund is what i want !!! @bank #bad")
    assert memory.reply(asked, RetrieverRecipe(**BEST, kind=1.0, likeness=0.0)) == "tweeted"


def test_word_vectors_find_what_is_meant_where_words_differ() -> None:
    said = [("the {} is fast", "it flies"), ("a {} eats", "it lives")]
    names = (("plane", "jet"), ("cat", "dog"))
    talks = [
        turns(text.format(name), reply) for (text, reply), group in zip(said, names, strict=True) for name in group * 6
    ]
    talks += [turns("my plane now", "the flight desk helps"), turns("my cat now", "the vet helps")]
    memory = ReplyIndex.of(talks)
    asked = turns("my dog now")
    assert memory.reply(asked, RetrieverRecipe(**BEST, reply=0.0, likeness=20.0)) == "the vet helps"


def test_given_vectors_are_used_as_they_are() -> None:
    memory = ReplyIndex.of((turns("hello", "hi"), turns("good bye", "bye")))
    again = ReplyIndex.of(memory.dialogues, memory.word_vectors)
    assert again.word_vectors is memory.word_vectors
    assert (again.last_vectors == memory.last_vectors).all()
