from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("tantivy", reason="the retriever's engine is optional")

from duologue.challenges.conversation.systems.retriever.channel_memory import ChannelMemory, context_terms
from duologue.challenges.conversation.systems.retriever.recipe import RetrieverRecipe
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
