"""Does a reply find its own context among ten? A score that no constant sentence can have.

Each sample is a test: its reply is held against its own context and nine others, drawn by hash from other dialogues of
the same file, and passes where its own is the likeliest. Chance, and any constant sentence, passes one in ten. Draws
depend on ids alone: systems that answered the same file are tested alike, and their passes are paired.

Which context is likeliest says a judge that was fitted on training dialogues and saw no evaluation text. Likeness is a
cosine of two tables made from which words of contexts come before which words of replies (`models.cooccurrence`: "fly"
goes with "airport"), plus the tf-idf cosine ("monday" goes with "monday"). The last three turns count, the last one
most. The judge knows words, not facts: a reply that repeats the user passes more often than a good one, so the score
stands beside the others and never alone; that of the real replies says what the judge is good for.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.conversation.formats.files import OUTPUT, blocks_of, output_example, read_dialogues
from duologue.challenges.conversation.formats.training_pairs import TrainingDialogue, context_replies, merged_turns
from duologue.challenges.conversation.scoring.ppmi import count_pairs, ppmi_matrix, truncated_svd, word_ids
from duologue.challenges.conversation.scoring.terms import terms
from duologue.core.disk import read_bytes, sha256
from duologue.core.errors import UsageError
from duologue.core.sums import added
from duologue.metrics.caption import Average

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from duologue.challenges.conversation.formats.training_pairs import ContextReply
    from duologue.core.records import Example, Submission, Turn
    from duologue.metrics.counts import Floats

    Singles = NDArray[np.float32]
    History = Sequence[Turn]
    Bag = dict[str, float]

OTHERS = 9
RELEVANCE = Average(
    "relevance",
    "relevance = replies that find their own context among 10",
    source="next utterance retrieval turned round (Lowe and others 2015, recall@1 of 10)",
)
_TURNS = (1.0, 0.7, 0.5)
"""Weights of the last turns of a context, the last one first."""
_WORDS = 4000
_RANK = 200
_LEAST = 3
"""Times that a word must occur."""


class Judge:
    """Tells how well replies go with contexts."""

    def __init__(self, lessons: Sequence[ContextReply], hash_: str = "") -> None:
        """Fit on the replies of training dialogues and what came before them."""
        self.hash = hash_
        """SHA-256 of the file that it was fitted on, for signatures; empty where it was no file."""
        contexts = [terms(" ".join(turn.text for turn in one.history[-len(_TURNS) :])) for one in lessons]
        replies = [terms(one.reply) for one in lessons]
        self._numbers = numbers = word_ids((*contexts, *replies), _WORDS, _LEAST)
        seen = Counter(word for pair in zip(contexts, replies, strict=True) for word in {*pair[0], *pair[1]})
        self._known = seen
        self._total = len(lessons)
        pairs = (
            (self._rows(heard)[:, None] * len(numbers) + self._rows(said)).ravel()
            for heard, said in zip(contexts, replies, strict=True)
        )
        self._tables = truncated_svd(ppmi_matrix(count_pairs(pairs, len(numbers))), _RANK)

    def passes(self, replies: Sequence[str], histories: Sequence[History], others: Sequence[Sequence[int]]) -> Floats:
        """Return 1 for each reply whose own history is likelier than the others, given by place; else 0, ties too."""
        heard = [_heard(one) for one in histories]
        said: list[Bag] = [dict(Counter(terms(reply))) for reply in replies]
        contexts, spoken = self._vectors(heard, self._tables.left), self._vectors(said, self._tables.right)
        rare_heard, rare_said = list(map(self._rare, heard)), list(map(self._rare, said))
        found = np.zeros(len(replies))
        for place, rest in enumerate(others):
            asked = [place, *rest]
            latent = (contexts[asked] @ spoken[place]).tolist()
            own, *foreign = (
                round(near + _dot(rare_said[place], rare_heard[one]), 6)
                for near, one in zip(latent, asked, strict=True)
            )
            found[place] = own > max(foreign)
        return found

    def _rows(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the numbers of the different known words."""
        return np.array(sorted({self._numbers[word] for word in words if word in self._numbers}), dtype=np.int64)

    def _rarity(self, word: str) -> float:
        return float(np.log((1 + self._total) / (1 + self._known[word])))

    def _vectors(self, bags: Sequence[Bag], table: Singles) -> Singles:
        """Return bags as vectors of length 1, or zeros where no word is known."""
        found = np.zeros((len(bags), table.shape[1]), dtype=np.float32)
        for place, bag in enumerate(bags):
            words = [word for word in bag if word in self._numbers]
            weights = np.array([bag[word] * self._rarity(word) for word in words], dtype=np.float32)
            found[place] = weights @ table[[self._numbers[word] for word in words]] if words else 0
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return (found / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def _rare(self, bag: Bag) -> Bag:
        """Return a bag weighted by rarity, of length 1."""
        weighted = {word: count * self._rarity(word) for word, count in bag.items()}
        length = added(weight * weight for weight in weighted.values()) ** 0.5
        return {word: weight / length for word, weight in weighted.items()} if length else {}


class SampleContexts(NamedTuple):
    """What a file was answered: by sample, the context."""

    ids: Sequence[str]
    histories: Sequence[History]


def count(asked: SampleContexts, replies: Sequence[str], judge: Judge, seed: int = 0) -> Floats:
    """Return 1 for each reply that finds its context. Raises `UsageError` where there are no ten dialogues."""
    return judge.passes(replies, asked.histories, list(_distractors(asked, seed)))


def _distractors(asked: SampleContexts, seed: int) -> Iterator[list[int]]:
    """Yield for each sample the places of others, of dialogues that begin otherwise."""
    begins = [history[0].text if history else "" for history in asked.histories]
    sizes = Counter(begins)
    if len(sizes) <= OTHERS or "" in sizes:
        bare = f"{sizes['']:,} samples have no context" if "" in sizes else f"there are {len(sizes)} dialogues"
        raise UsageError(f"relevance asks which of ten contexts a reply answers, and {bare}; give evaluation text")
    for place, name in enumerate(asked.ids):
        stream = hashlib.sha256(f"{seed}\n{name}".encode("utf-8", "replace")).digest()
        chance, drawn = random.Random(int.from_bytes(stream, "big")), dict[int, None]()
        met = {begins[place]}
        while len(drawn) < OTHERS:
            other = chance.randrange(len(begins))
            if begins[other] not in met:  # ten different dialogues
                met.add(begins[other])
                drawn[other] = None
        yield list(drawn)


def sample_contexts(ids: Sequence[str], examples: Sequence[Example], submission: Submission) -> SampleContexts:
    """Return the contexts of samples: those of the truth, or of system output itself.

    Raises `UsageError` where neither has them: references and replies alone say nothing of contexts.
    """
    known: Mapping[str, History] = {one.sample.id: one.sample.history for one in examples if one.sample.history}
    if not known and submission.layout == OUTPUT:
        found = (output_example(block, number) for number, block in enumerate(blocks_of(submission.rows), start=1))
        known = {one.sample.id: one.sample.history for one in found}
    if not known:
        raise UsageError("relevance needs contexts, and none are given; give evaluation text with --gold or --input")
    return SampleContexts(ids, [known.get(name, ()) for name in ids])


@lru_cache(maxsize=2)
def _judge(path: Path, digest: str) -> Judge:
    talks = [TrainingDialogue(one.id, merged_turns(one.turns)) for one in read_dialogues(path)]
    lessons = context_replies(talk for talk in talks if len(talk.turns) > 1)
    if not lessons:
        raise UsageError(f"{path} has no reply to fit the judge of relevance on; give training dialogues")
    return Judge(lessons, digest)


def judge_of(path: Path) -> Judge:
    """Return the judge fitted on a file of training dialogues; of the last two files they are kept.

    Raises what `read_dialogues` does, and `UsageError` where nobody answers anybody.
    """
    return _judge(path, sha256(read_bytes(path)))


def _heard(history: History) -> Bag:
    """Return the words of the last turns with their weights."""
    bag: Bag = {}
    for weight, turn in zip(_TURNS, reversed(history), strict=False):
        for word in terms(turn.text):
            bag[word] = bag.get(word, 0.0) + weight
    return bag


def _dot(one: Bag, other: Bag) -> float:
    return added(weight * other[word] for word, weight in one.items() if word in other)
