"""Index of training replies by their contexts: BM25 retrieval, word-vector re-ranking, minimum Bayes risk choice.

BM25 matches the last user turn, the turns before it, the reply, and features of the context (turn number, length and
punctuation of the last turn: a tweet is rarely answered like a line typed to an assistant). Candidates are re-ranked by
the cosine of idf-weighted mean word vectors of the last turns. Of the top replies the one with the highest expected
agreement, in n-grams and in mean word vectors, is returned.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.conversation.formats.training_pairs import TrainingDialogue, context_replies, merged_turns
from duologue.challenges.conversation.scoring.ppmi import MeanVectors, WordVectors, train_word_vectors
from duologue.challenges.conversation.scoring.terms import terms, tokens
from duologue.challenges.conversation.systems.mbr import mbr_index, most_agreed_index
from duologue.challenges.conversation.systems.retriever.reply_profiles import ReplyProfiles
from duologue.core.extras import need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.conversation.formats.training_pairs import ContextReply
    from duologue.challenges.conversation.systems.lookup import FoundPassage
    from duologue.challenges.conversation.systems.retriever.full_text_index import Hits, TextIndex
    from duologue.challenges.conversation.systems.retriever.recipe import RetrieverRecipe
    from duologue.core.records import Turn
    from duologue.models.sentence_encoders.encoder import SentenceEncoder

    History = Sequence[Turn]

FIELDS = ("last", "before", "reply", "kind")
EARLIER = 2
"""Number of turns before the last one in the query."""
MAX_TERMS = 100
"""Maximum query terms per field, the last ones, so that very long turns are no slower."""
_TOGETHER = 32
"""Questions that are answered step by step together, at most: with sentence vectors each holds a score per context."""
_ODD = 500
"""Sample size of replies for choosing the fallback reply."""
_SIGN = re.compile(r"[^\w\s]")
_MAX_SIGNS = 20
_SENTENCE = 3.0  # weight of the sentence encoder's cosines, which differ by about 0.1
_DIGITS = 4  # of cosines: closer ones are ties
_SHARPNESS = 0.1  # temperature of the softmax over similarities of passages
_RARE = 5.0  # idf of a word unseen in training


class ReplyQuestion(NamedTuple):
    """What a reply is looked for to."""

    history: History
    passages: Sequence[FoundPassage] = ()
    """Passages looked up for it: candidates beside remembered replies."""


class ReplyIndex(NamedTuple):
    """Training dialogues with everything needed to retrieve a reply."""

    dialogues: Sequence[tuple[Turn, ...]]
    word_vectors: WordVectors
    pairs: list[ContextReply]
    bm25: TextIndex
    weighted: MeanVectors
    """Idf-weighted mean vectors, for last turns."""
    profiles: ReplyProfiles
    """Profiles of replies, with unweighted mean vectors."""
    last_vectors: NDArray[np.float32]
    """Vectors of the last turn of each context, (pairs, vector size)."""
    fallback: str
    """Fallback reply where nothing is retrieved: the one with the highest agreement."""
    sentences: NDArray[np.float32] | None = None
    """Sentence vectors of the last turn of each context, of length 1, (pairs, D), where an encoder read them."""

    @classmethod
    def of(cls, dialogues: Sequence[tuple[Turn, ...]], word_vectors: WordVectors | None = None) -> ReplyIndex:
        """Index dialogues; word vectors are trained on them where none are given.

        Raises `MissingExtraError` where the search engine is not installed.
        """
        search = need("duologue.challenges.conversation.systems.retriever.full_text_index", "retrieve")
        pairs = context_replies(TrainingDialogue("", turns) for turns in dialogues)
        made = word_vectors or train_word_vectors([tokens(turn.text) for turns in dialogues for turn in turns])
        parts = [_query_terms(pair.history) for pair in pairs]
        rows = (
            (*part, terms(one.reply), context_features(one.history)) for part, one in zip(parts, pairs, strict=True)
        )
        bm25: TextIndex = search.TextIndex(FIELDS, ((last, before, said, kind) for last, before, said, kind in rows))
        spoken = [tokens(pair.history[-1].text) for pair in pairs]
        having = Counter(word for words in spoken for word in set(words))
        rarity = {word: math.log(len(pairs) / count) for word, count in having.items()}
        weighted = MeanVectors(made, rarity, rare=_RARE)
        odd = [one.reply for one in pairs[:: math.ceil(len(pairs) / _ODD)]]
        fallback = odd[mbr_index([reply.lower().split() for reply in odd], [1.0] * len(odd))]
        profiles = ReplyProfiles(MeanVectors(made))
        return cls(dialogues, made, pairs, bm25, weighted, profiles, weighted.of(spoken), fallback)

    def with_sentences(self, sentences: NDArray[np.float32]) -> ReplyIndex:
        """Return the index with sentence vectors. Raises `ValueError` where they are not one per reply."""
        if sentences.ndim != 2 or len(sentences) != len(self.pairs):
            raise ValueError(f"sentence vectors have shape {sentences.shape}, for {len(self.pairs):,} replies")
        return self._replace(sentences=sentences)

    def reply(
        self,
        history: History,
        recipe: RetrieverRecipe,
        encoder: SentenceEncoder | None = None,
        passages: Sequence[FoundPassage] = (),
    ) -> str:
        """Retrieve a reply to a history; `passages` looked up for it are candidates beside remembered replies."""
        return self.replies([ReplyQuestion(history, passages)], recipe, encoder)[0]

    def replies(
        self, questions: Sequence[ReplyQuestion], recipe: RetrieverRecipe, encoder: SentenceEncoder | None = None
    ) -> list[str]:
        """Retrieve a reply to each question: what it would be alone.

        `encoder` compares a history with all contexts where the index has sentence vectors, and re-ranks the top
        candidates where the recipe says so (`sentences`).
        """
        return [
            reply
            for start in range(0, len(questions), _TOGETHER)
            for reply in self._together(questions[start : start + _TOGETHER], recipe, encoder)
        ]

    def _together(
        self, questions: Sequence[ReplyQuestion], recipe: RetrieverRecipe, encoder: SentenceEncoder | None
    ) -> list[str]:
        """Answer a few questions step by step, all of them at each step, so that its tables stay in the cache."""
        several = [merged_turns(one.history) for one in questions]
        hits = [self._hits(turns, recipe, encoder) for turns in several]
        ranked = [self._ranked(turns, found, recipe, encoder) for turns, found in zip(several, hits, strict=True)]
        offered = [
            _with_passages(*found, one.passages, recipe.knowledge) if one.passages else found
            for one, found in zip(questions, ranked, strict=True)
        ]
        return [
            replies[most_agreed_index(self.profiles.agreement(replies, recipe.meaning), weights.tolist())]
            for replies, weights in offered
        ]

    def _hits(self, turns: History, recipe: RetrieverRecipe, encoder: SentenceEncoder | None) -> Hits:
        """Return the contexts that share terms with merged turns."""
        last, before = (Counter(part[-MAX_TERMS:]) for part in _query_terms(turns))
        wanted = {
            "last": {term: recipe.last * times for term, times in last.items()},
            "before": {term: recipe.before * times for term, times in before.items()},
            "reply": dict.fromkeys({**last, **before}, recipe.reply),
            "kind": dict.fromkeys(context_features(turns), recipe.kind) if last else {},
        }
        every = self._memory(turns, encoder) is not None
        return self.bm25.best(wanted, len(self.pairs) if every else max(recipe.pool, recipe.candidates))

    def _memory(self, turns: History, encoder: SentenceEncoder | None) -> NDArray[np.float32] | None:
        """Return the sentence vectors that merged turns are compared with, if they are."""
        return self.sentences if encoder is not None and turns and terms(turns[-1].text) else None

    def _ranked(
        self, turns: History, found: Hits, recipe: RetrieverRecipe, encoder: SentenceEncoder | None
    ) -> tuple[list[str], NDArray[np.float64]]:
        """Return the top candidates of merged turns with their weights (candidates,), the best first."""
        if not len(found.rows):
            return [self.fallback], np.ones(1)
        rows, lexical, memory = found.rows, found.scores, self._memory(turns, encoder)
        if memory is not None:
            rows, lexical = np.arange(len(self.pairs)), np.zeros(len(self.pairs))
            lexical[found.rows] = found.scores
        similarity = self.last_vectors[rows] @ self.weighted.of([tokens(turns[-1].text)[-MAX_TERMS:]])[0]
        scores = lexical / max(found.scores[0], np.finfo(float).tiny) + recipe.likeness * similarity.astype(float)
        if encoder is not None and memory is not None:
            asked = encoder.vectors([turns[-1].text])[0]
            scores += recipe.closeness * (memory @ asked).astype(float).round(_DIGITS)
        if encoder is not None and recipe.sentences:
            first = np.argsort(-scores.round(6), kind="stable")[: recipe.sentences]
            told = [self.pairs[rows[place]].history[-1].text for place in first.tolist()]
            scores[first] += _SENTENCE * (1 + encoder.similarity(turns[-1].text, told))  # none falls behind the rest
        order = np.argsort(-scores.round(6), kind="stable")[: recipe.candidates]
        weights = np.exp((scores[order] - scores[order[0]]) / recipe.temperature)
        return [self.pairs[row].reply for row in rows[order].tolist()], weights


def context_features(history: History) -> list[str]:
    """Return context features as terms: turn number, log length and punctuation of the last turn.

    >>> from duologue.core.records import Turn
    >>> context_features([Turn(speaker="user", text="hello @shop !")])
    ['turn0', 'length3', 'sign33', 'sign64']
    """
    last = history[-1].text if history else ""
    signs = sorted(set(_SIGN.findall(last)))[:_MAX_SIGNS]
    length = int(1.5 * math.log2(len(last.split()) + 1))
    return [f"turn{min(len(history) // 2, 3)}", f"length{length}", *(f"sign{ord(sign)}" for sign in signs)]


def _with_passages(
    replies: list[str], weights: NDArray[np.float64], passages: Sequence[FoundPassage], knowledge: float
) -> tuple[list[str], NDArray[np.float64]]:
    """Return replies and passages with weights: 1 in all for replies, for passages `knowledge` times the similarity.

    That similarity is of the best passage, so that knowledge which does not fit counts little.
    """
    similar = np.array([one.similarity for one in passages])
    told = np.exp((similar - similar.max()) / _SHARPNESS)
    told *= knowledge * similar.max() / told.sum()
    return [*replies, *(one.text for one in passages)], np.concatenate([weights / weights.sum(), told])


def _query_terms(history: History) -> tuple[list[str], list[str]]:
    """Return the terms of the last turn, and of the turns before it."""
    if not history:
        return [], []
    return terms(history[-1].text), terms(" ".join(turn.text for turn in history[-1 - EARLIER : -1]))
