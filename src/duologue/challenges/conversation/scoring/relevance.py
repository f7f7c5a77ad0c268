"""Relevance: recall@1 of the true context of a reply among ten, which a constant reply cannot score on.

Each reply is compared with its own context and nine distractors, drawn by hash from other dialogues of the file, and
counts where its own context scores highest; chance is 0.1. The distractors depend on ids alone, so that systems on the
same file are compared on the same items.

The judge is fitted on training dialogues. Its score is the cosine of context and reply in a joint PPMI space (`ppmi`:
"fly" goes with "airport") plus the tf-idf cosine ("monday" goes with "monday") over the last three turns. It knows
words, not facts: replies that repeat the user score higher than good ones, so report relevance beside other scores, and
with that of the human replies.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.conversation.formats.dialogue_lines import OUTPUT, blocks_of
from duologue.challenges.conversation.formats.files import output_example, read_dialogues
from duologue.challenges.conversation.formats.training_pairs import TrainingDialogue, context_replies, merged_turns
from duologue.challenges.conversation.scoring.ppmi import count_pairs, ppmi_matrix, truncated_svd, word_ids
from duologue.challenges.conversation.scoring.terms import terms
from duologue.core.disk import read_bytes, sha256
from duologue.core.errors import UsageError
from duologue.core.escapes import one_line
from duologue.core.sums import added
from duologue.metrics.formulas import Average

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

DISTRACTORS = 9
_DRAWS = 50_000_000
"""Draws for all samples together; 100,000 of ten dialogues as long as each other take three millions."""
RELEVANCE = Average(
    "relevance",
    "relevance = replies that find their own context among 10",
    source="next utterance retrieval turned round (Lowe and others 2015, recall@1 of 10)",
)
_TURNS = (1.0, 0.7, 0.5)
"""Weights of the last turns of a context, most recent first."""
_WORDS = 4000
_RANK = 200
_LEAST = 3
"""Minimum word frequency."""


class Judge:
    """Scores how well replies fit contexts."""

    def __init__(self, pairs: Sequence[ContextReply], hash_: str = "") -> None:
        """Fit on context-reply pairs of training dialogues."""
        self.hash = hash_
        """SHA-256 of the training file, for signatures; empty where there was none."""
        contexts = [terms(" ".join(turn.text for turn in one.history[-len(_TURNS) :])) for one in pairs]
        replies = [terms(one.reply) for one in pairs]
        self._numbers = numbers = word_ids((*contexts, *replies), _WORDS, _LEAST)
        seen = Counter(word for pair in zip(contexts, replies, strict=True) for word in {*pair[0], *pair[1]})
        self._known = seen
        self._total = len(pairs)
        codes = (
            (self._rows(heard)[:, None] * len(numbers) + self._rows(said)).ravel()
            for heard, said in zip(contexts, replies, strict=True)
        )
        self._tables = truncated_svd(ppmi_matrix(count_pairs(codes, len(numbers))), _RANK)

    def correct(self, replies: Sequence[str], histories: Sequence[History], others: Sequence[Sequence[int]]) -> Floats:
        """Return 1 for each reply whose own history scores above the `others` (indices), else 0; ties count 0."""
        heard = [_context_bag(one) for one in histories]
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
        """Return the sorted ids of distinct known words."""
        return np.array(sorted({self._numbers[word] for word in words if word in self._numbers}), dtype=np.int64)

    def _rarity(self, word: str) -> float:
        return float(np.log((1 + self._total) / (1 + self._known[word])))

    def _vectors(self, bags: Sequence[Bag], table: Singles) -> Singles:
        """Return bags of words as unit vectors; zeros without known words."""
        found = np.zeros((len(bags), table.shape[1]), dtype=np.float32)
        for place, bag in enumerate(bags):
            words = [word for word in bag if word in self._numbers]
            weights = np.array([bag[word] * self._rarity(word) for word in words], dtype=np.float32)
            found[place] = weights @ table[[self._numbers[word] for word in words]] if words else 0
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return (found / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def _rare(self, bag: Bag) -> Bag:
        """Return a bag as a tf-idf vector of length 1."""
        weighted = {word: count * self._rarity(word) for word, count in bag.items()}
        length = added(weight * weight for weight in weighted.values()) ** 0.5
        return {word: weight / length for word, weight in weighted.items()} if length else {}


class SampleContexts(NamedTuple):
    """Ids and contexts of the samples that a file answers."""

    ids: Sequence[str]
    histories: Sequence[History]


def count(asked: SampleContexts, replies: Sequence[str], judge: Judge, seed: int = 0) -> Floats:
    """Return 1 for each reply that finds its context. Raises `UsageError` for fewer than ten dialogues."""
    return judge.correct(replies, asked.histories, list(_distractors(asked, seed)))


def _distractors(asked: SampleContexts, seed: int) -> Iterator[list[int]]:
    """Yield for each sample the indices of its distractors, from dialogues with other first turns."""
    begins = [history[0].text if history else "" for history in asked.histories]
    sizes = Counter(begins)
    if len(sizes) <= DISTRACTORS or "" in sizes:
        bare = f"{sizes['']:,} samples have no context" if "" in sizes else f"there are {len(sizes)} dialogues"
        raise UsageError(f"relevance asks which of ten contexts a reply answers, and {bare}; give evaluation text")
    left = _DRAWS
    for place, name in enumerate(asked.ids):
        stream = hashlib.sha256(f"{seed}\n{name}".encode("utf-8", "replace")).digest()
        rng, drawn = random.Random(int.from_bytes(stream, "big")), dict[int, None]()
        met = {begins[place]}
        while len(drawn) < DISTRACTORS:
            other = rng.randrange(len(begins))
            if begins[other] not in met:  # ten different dialogues
                met.add(begins[other])
                drawn[other] = None
            left -= 1
            if not left:
                usual, times = sizes.most_common(1)[0]
                raise UsageError(
                    "relevance asks which of ten contexts a reply answers, and too many are alike to draw ten: "
                    f"{times:,} of {len(begins):,} samples are of a dialogue that begins with "
                    f"'{one_line(usual[:60])}'; score a part of them, or leave out what all begin with"
                )
        yield list(drawn)


def sample_contexts(ids: Sequence[str], examples: Sequence[Example], submission: Submission) -> SampleContexts:
    """Return the contexts of samples: those of the references, or of system output itself.

    Raises `UsageError` where neither has contexts.
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
    pairs = context_replies(talk for talk in talks if len(talk.turns) > 1)
    if not pairs:
        raise UsageError(f"{path} has no reply to fit the judge of relevance on; give training dialogues")
    return Judge(pairs, digest)


def fitted_judge(path: Path) -> Judge:
    """Return the judge fitted on a file of training dialogues; the last two are cached.

    Raises as `read_dialogues` does, and `UsageError` where no dialogue has a reply.
    """
    return _judge(path, sha256(read_bytes(path)))


def _context_bag(history: History) -> Bag:
    """Return the weighted bag of words of the last turns."""
    bag: Bag = {}
    for weight, turn in zip(_TURNS, reversed(history), strict=False):
        for word in terms(turn.text):
            bag[word] = bag.get(word, 0.0) + weight
    return bag


def _dot(one: Bag, other: Bag) -> float:
    return added(weight * other[word] for word, weight in one.items() if word in other)
