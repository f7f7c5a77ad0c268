"""What the retriever remembers: training talks, an index over their replies, and vectors of what they answer.

A history is looked up in three steps. BM25 finds talks that share words with it: what the customer said last, what was
said before, the reply; and marks of its kind (how far the talk has come, how long the last turn is, which signs are in
it), for a tweet is rarely answered like a line typed to an assistant, whatever its words. Those found are ordered once
more by how near their last turns are as weighted means of word vectors. Of the replies of the best the one is said with
which the others agree most, in words and in the means of their vectors.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.conversation.formats.training_pairs import Talk, joined, lessons_of
from duologue.challenges.conversation.scoring.ppmi import Middles, WordTable, word_table
from duologue.challenges.conversation.scoring.terms import terms, tokens
from duologue.challenges.conversation.systems.mbr import agreement, best_by, most_agreed
from duologue.core.extras import need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.conversation.formats.training_pairs import Lesson
    from duologue.challenges.conversation.systems.retriever.full_text_index import TextIndex
    from duologue.challenges.conversation.systems.retriever.network import Sentences
    from duologue.challenges.conversation.systems.retriever.retriever import RetrieverRecipe
    from duologue.core.records import Turn

    History = Sequence[Turn]

FIELDS = ("last", "before", "reply", "kind")
EARLIER = 2
"""Turns before the last one that are searched for."""
MOST_TERMS = 100
"""Terms of each part that are searched for, the latest ones: a very long tweet is no slower than a long one."""
_ODD = 500
"""Replies among which the one is chosen that is said when nothing at all was found."""
_SIGN = re.compile(r"[^\w\s]")
_MOST_SIGNS = 20
_SENTENCE = 3.0  # of nearness by the sentence encoder, whose cosines differ by a tenth, beside the other scores
_RARE = 5.0  # weight of a word that no customer has said before


class Memory(NamedTuple):
    """Talks, with all that finds a reply in them."""

    talks: Sequence[tuple[Turn, ...]]
    table: WordTable
    lessons: list[Lesson]
    searched: TextIndex
    weighted: Middles
    """Of what was said last: rare words count more."""
    plain: Middles
    """Of replies: all words count alike."""
    asked: NDArray[np.float32]
    """Of each lesson what was said last, (lessons, directions)."""
    common: str
    """What to say when nothing is known: the reply that agrees most with the others."""

    @classmethod
    def of(cls, talks: Sequence[tuple[Turn, ...]], table: WordTable | None = None) -> Memory:
        """Remember talks; word vectors are made from them where none are given.

        Raises `MissingExtraError` where the search engine is not installed.
        """
        search = need("duologue.challenges.conversation.systems.retriever.full_text_index", "retrieve")
        lessons = lessons_of(Talk("", turns) for turns in talks)
        made = table or word_table([tokens(turn.text) for turns in talks for turn in turns])
        parts = [_parts(lesson.history) for lesson in lessons]
        rows = ((*part, terms(one.reply), kinds(one.history)) for part, one in zip(parts, lessons, strict=True))
        searched: TextIndex = search.TextIndex(
            FIELDS, ((last, before, said, kind) for last, before, said, kind in rows)
        )
        spoken = [tokens(lesson.history[-1].text) for lesson in lessons]
        having = Counter(word for words in spoken for word in set(words))
        rarity = {word: math.log(len(lessons) / count) for word, count in having.items()}
        weighted = Middles(made, rarity, rare=_RARE)
        odd = [one.reply for one in lessons[:: math.ceil(len(lessons) / _ODD)]]
        common = odd[most_agreed([reply.lower().split() for reply in odd], [1.0] * len(odd))]
        return cls(talks, made, lessons, searched, weighted, Middles(made), weighted.of(spoken), common)

    def reply(self, history: History, recipe: RetrieverRecipe, sentences: Sentences | None = None) -> str:
        """Return the reply to a history; a sentence encoder orders the best talks once more where one is given."""
        turns = joined(history)
        last, before = (Counter(part[-MOST_TERMS:]) for part in _parts(turns))
        wanted = {
            "last": {term: recipe.last * times for term, times in last.items()},
            "before": {term: recipe.before * times for term, times in before.items()},
            "reply": dict.fromkeys({**last, **before}, recipe.reply),
            "kind": dict.fromkeys(kinds(turns), recipe.kind) if last else {},
        }
        found = self.searched.best(wanted, max(recipe.pool, recipe.candidates))
        if not found:
            return self.common
        rows, best = [hit.row for hit in found], max(found[0].score, np.finfo(float).tiny)
        near = self.asked[rows] @ self.weighted.of([tokens(turns[-1].text)[-MOST_TERMS:]])[0]
        scores = np.array([hit.score for hit in found]) / best + recipe.likeness * near.astype(float)
        if sentences is not None:
            first = np.argsort(-scores.round(6), kind="stable")[: recipe.sentences]
            told = [self.lessons[rows[place]].history[-1].text for place in first.tolist()]
            scores[first] += _SENTENCE * (1 + sentences.nearness(turns[-1].text, told))  # none falls behind the others
        order = np.argsort(-scores.round(6), kind="stable")[: recipe.candidates]
        weights = np.exp((scores[order] - scores[order[0]]) / recipe.temperature)
        replies: list[str] = [self.lessons[rows[place]].reply for place in order.tolist()]
        return replies[best_by(self._agreement(replies, recipe.meaning), weights.tolist())]

    def _agreement(self, replies: Sequence[str], meaning: float) -> NDArray[np.float32]:
        """Return how far replies agree in words, and by `meaning` in the mean of their vectors."""
        alike = agreement([reply.lower().split() for reply in replies])
        middles = self.plain.of([tokens(reply) for reply in replies])
        return alike + np.float32(meaning) * (middles @ middles.T)


def kinds(history: History) -> list[str]:
    """Return marks of what kind of talk this is: its turns so far, the length of the last one, the signs in it.

    >>> from duologue.core.records import Turn
    >>> kinds([Turn(speaker="user", text="hello @shop !")])
    ['turn0', 'length2', 'sign33', 'sign64']
    """
    last = history[-1].text if history else ""
    signs = sorted(set(_SIGN.findall(last)))[:_MOST_SIGNS]
    length = int(1.5 * math.log2(len(last.split()) + 1))
    return [f"turn{min(len(history) // 2, 3)}", f"length{length}", *(f"sign{ord(sign)}" for sign in signs)]


def _parts(history: History) -> tuple[list[str], list[str]]:
    """Return the terms of what was said last, and of the turns before it."""
    if not history:
        return [], []
    return terms(history[-1].text), terms(" ".join(turn.text for turn in history[-1 - EARLIER : -1]))
