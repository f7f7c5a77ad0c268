"""Memories of several channels: a history is answered from the replies of the channel that it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.conversation.formats.training_pairs import merged_turns
from duologue.challenges.conversation.scoring.ppmi import train_word_vectors
from duologue.challenges.conversation.scoring.terms import terms, tokens
from duologue.challenges.conversation.systems.retriever.channels import ChannelClassifier
from duologue.challenges.conversation.systems.retriever.reply_index import (
    MAX_TERMS,
    ReplyIndex,
    ReplyQuestion,
    context_features,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.conversation.scoring.ppmi import WordVectors
    from duologue.challenges.conversation.systems.lookup import FoundPassage
    from duologue.challenges.conversation.systems.retriever.recipe import RetrieverRecipe
    from duologue.core.records import Turn
    from duologue.models.sentence_encoders.encoder import SentenceEncoder

    Dialogues = Sequence[tuple[Turn, ...]]


class ChannelMemory(NamedTuple):
    """One index per channel, with word vectors of them all."""

    indexes: tuple[ReplyIndex, ...]
    classifier: ChannelClassifier
    word_vectors: WordVectors

    @classmethod
    def of(cls, channels: Sequence[Dialogues], word_vectors: WordVectors | None = None) -> ChannelMemory:
        """Index the dialogues of each channel; word vectors are trained on all where none are given.

        Raises `MissingExtraError` where the search engine is not installed.
        """
        made = word_vectors or train_word_vectors(
            [tokens(turn.text) for dialogues in channels for turns in dialogues for turn in turns]
        )
        indexes = tuple(ReplyIndex.of(dialogues, made) for dialogues in channels)
        contexts = ((context_terms(pair.history) for pair in index.pairs) for index in indexes)
        return cls(indexes, ChannelClassifier.of(list(contexts)), made)

    def encoded(self, encoder: SentenceEncoder, limit: int) -> ChannelMemory:
        """Return the memory with sentence vectors of the channels of at most `limit` replies."""
        found = (
            index.with_sentences(encoder.vectors([pair.history[-1].text for pair in index.pairs]))
            if len(index.pairs) <= limit
            else index
            for index in self.indexes
        )
        return self._replace(indexes=tuple(found))

    def reply(
        self,
        history: Sequence[Turn],
        recipe: RetrieverRecipe,
        encoder: SentenceEncoder | None = None,
        passages: Sequence[FoundPassage] = (),
    ) -> str:
        """Retrieve a reply to a history from the memory of its channel, and from passages looked up for it."""
        return self.replies([ReplyQuestion(history, passages)], recipe, encoder)[0]

    def replies(
        self, questions: Sequence[ReplyQuestion], recipe: RetrieverRecipe, encoder: SentenceEncoder | None = None
    ) -> list[str]:
        """Retrieve a reply to each question: what it would be alone."""
        asked: dict[int, list[int]] = {}
        for place, one in enumerate(questions):
            asked.setdefault(self._channel(one.history), []).append(place)
        found = [""] * len(questions)
        for channel, places in asked.items():
            replies = self.indexes[channel].replies([questions[place] for place in places], recipe, encoder)
            for place, reply in zip(places, replies, strict=True):
                found[place] = reply
        return found

    def _channel(self, history: Sequence[Turn]) -> int:
        return self.classifier.channel(context_terms(merged_turns(history))) if len(self.indexes) > 1 else 0


def context_terms(history: Sequence[Turn]) -> list[str]:
    """Return what tells the channel of merged turns: the terms of the last turn, and its context features."""
    last = terms(history[-1].text)[-MAX_TERMS:] if history else []
    return [*last, *(f"<{feature}>" for feature in context_features(history))]
