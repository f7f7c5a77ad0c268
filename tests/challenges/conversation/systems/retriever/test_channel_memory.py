from __future__ import annotations

import hashlib
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("tantivy", reason="the retriever's engine is optional")

from duologue.challenges.conversation.scoring.ppmi import WordVectors
from duologue.challenges.conversation.systems.retriever.channel_memory import ChannelMemory, context_terms
from duologue.challenges.conversation.systems.retriever.recipe import RetrieverRecipe
from duologue.challenges.conversation.systems.retriever.reply_index import ReplyQuestion
from duologue.core.records import Turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def turns(*said: str) -> tuple[Turn, ...]:
    return tuple(Turn(speaker=("user", "system")[place % 2], text=text) for place, text in enumerate(said))


TYPED = [turns(f"please cancel order {n}", f"order {n} is cancelled") for n in range(30)]
TWEETED = [turns("@shop cancel it !!! #fail", "so sorry ! please dm us")]
ONE = RetrieverRecipe(candidates=1)


class ByFirstLetter:
    """An encoder for which texts are alike where they begin alike."""

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([np.eye(26)[(ord(text[0]) - ord("a")) % 26] for text in texts], np.float32).reshape(-1, 26)

    def similarity(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = (self.vectors(texts) @ self.vectors([query])[0]).astype(np.float64)
        return found


def test_a_tweet_is_answered_as_tweets_are() -> None:
    memory = ChannelMemory.of([TYPED, TWEETED])
    assert memory.reply(turns("cancel my order !!! #fail"), ONE) == "so sorry ! please dm us"
    assert memory.reply(turns("please cancel order 3"), ONE) == "order 3 is cancelled"
    assert ChannelMemory.of([TYPED]).reply(turns("cancel it !!! #fail"), ONE).endswith("is cancelled")


def test_word_vectors_are_made_of_all_channels_or_are_those_given() -> None:
    memory = ChannelMemory.of([TYPED, TWEETED])
    assert {"order", "dm"} <= set(memory.word_vectors.words)
    again = ChannelMemory.of([TYPED, TWEETED], memory.word_vectors)
    assert all(index.word_vectors is memory.word_vectors for index in again.indexes)


def test_an_encoder_reads_small_channels_and_finds_what_shares_no_word() -> None:
    talks = [turns("zebra crossing", "mind the stripes"), turns("apple pie", "with cream ?")]
    memory = ChannelMemory.of([TYPED, talks]).encoded(ByFirstLetter(), 2)
    assert [index.sentences is None for index in memory.indexes] == [True, False]
    recipe = RetrieverRecipe(candidates=1, closeness=50.0)
    index = memory.indexes[1]
    asked = turns("almond crossing")
    assert index.reply(asked, recipe, ByFirstLetter()) == "with cream ?"
    assert index.reply(asked, recipe) == "mind the stripes"
    with pytest.raises(ValueError, match="for 2 replies"):
        index.with_sentences(np.zeros((1, 26), np.float32))


def test_what_tells_the_channel_are_the_last_terms_and_features() -> None:
    assert context_terms(turns("a", "b", "hello !")) == ["hello", "!", "<turn1>", "<length2>", "<sign33>"]
    assert context_terms(()) == ["<turn0>", "<length0>"]


def made_text(rng: Random) -> str:
    """Return words of a made language, the n-th of which is n times as rare as the first."""
    return " ".join(f"w{int(400 ** rng.random())}" for _ in range(4 + int(10 * rng.random())))


def made_memory(rng: Random) -> ChannelMemory:
    """Return two channels of made dialogues, the second with signs, and made word vectors."""
    typed = [turns(*(made_text(rng) for _ in range(4))) for _ in range(400)]
    tweeted = [turns(*(f"@shop {made_text(rng)} !" for _ in range(2))) for _ in range(100)]
    words = [f"w{number}" for number in range(1, 400)]
    vectors = np.array([[round(rng.random() - 0.5, 4) for _ in range(20)] for _ in words], np.float32)
    return ChannelMemory.of([typed, tweeted], WordVectors(words, vectors))


def test_questions_that_come_together_get_the_answers_that_each_has_alone_and_had_before() -> None:
    """The hash is of the answers of version 1.0, which had no way to ask several together."""
    rng = Random(1)
    memory = made_memory(rng)
    asked = [turns(*(made_text(rng) for _ in range(3)), f"@bank {made_text(rng)} !") for _ in range(60)]
    asked += [turns(*(made_text(rng) for _ in range(number % 4))) for number in range(240)]
    recipe = RetrieverRecipe()
    alone = [memory.reply(history, recipe) for history in asked]
    assert hashlib.sha256("\n".join(alone).encode()).hexdigest()[:16] == "188a5761b4b19e8d"
    assert memory.replies([ReplyQuestion(history) for history in asked], recipe) == alone
    assert len(set(alone)) > 150


def test_an_encoder_reads_each_of_several_questions_as_it_reads_one() -> None:
    rng = Random(2)
    memory = made_memory(rng).encoded(ByFirstLetter(), 1000)
    asked = [turns(*(made_text(rng) for _ in range(3))) for _ in range(40)]
    recipe = RetrieverRecipe(sentences=10, closeness=1.0)
    together = memory.replies([ReplyQuestion(history) for history in asked], recipe, ByFirstLetter())
    assert together == [memory.reply(history, recipe, ByFirstLetter()) for history in asked]
