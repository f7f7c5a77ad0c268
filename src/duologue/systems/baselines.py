"""The two baselines of the ranking challenge: chance, and word overlap weighted by rarity.

Both need nothing but the samples, so they rank whatever has candidates, in any task.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from duologue.core.records import Answer, Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.core.protocols import Brief, World
    from duologue.core.records import Sample

_WORD = re.compile(r"\b\w\w+\b")


class RandomRanker:
    """Ranks by chance: the order for a sample depends only on the seed and the sample's id and size."""

    Recipe = Record
    seen = "nothing"

    def __init__(self, recipe: Record | None = None) -> None:
        self.recipe = recipe or Record()
        self._seed = 0

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # System's promise
        """Take the seed."""
        self._seed = seed

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return a random order for each sample, the same in any batch and on any machine."""
        return [Answer(ranking=self._order(sample)) for sample in samples]

    def _order(self, sample: Sample) -> tuple[str, ...]:
        def lot(place: int) -> bytes:
            return hashlib.sha256(f"{self._seed}\n{sample.id}\n{place}".encode("utf-8", "surrogatepass")).digest()

        order = sorted(range(len(sample.candidates)), key=lot)
        return tuple(sample.candidates[place].id for place in order)


class TfidfRanker:
    """The challenge's official baseline: candidates by the cosine of their words with those of their dialogue.

    Word weights are fitted on the very samples that are answered, one document per dialogue (its utterances
    joined by blanks): tokens of two or more word characters in lower case, raw counts, smooth inverse document
    frequency `ln((1 + n) / (1 + df)) + 1`, unit length. Words of no dialogue do not count. Ties keep the order
    of the candidates. An answer therefore depends on the other samples of the batch, as in the official program,
    and the whole file must be answered in one call (`whole_file`).
    """

    Recipe = Record
    seen = "the utterances of all dialogues of the file that is answered (no answers), as the official baseline does"
    whole_file = True
    """Tells the caller to pass all samples of a file at once."""

    def __init__(self, recipe: Record | None = None) -> None:
        self.recipe = recipe or Record()

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:
        """Need nothing: there is no chance in it, and the fit is part of `answer`."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Fit the word weights on the samples given, then rank the candidates of each."""
        documents = [Counter(tokens(" ".join(turn.text for turn in sample.history))) for sample in samples]
        weights = _inverse_frequencies(documents)
        return [
            Answer(ranking=_by_overlap(sample, document, weights))
            for sample, document in zip(samples, documents, strict=True)
        ]


def tokens(text: str) -> list[str]:
    """Return the words of two or more word characters, in lower case; a name with underscores is one word.

    >>> tokens("I'm at the_old_inn, OK?")
    ['at', 'the_old_inn', 'ok']
    """
    return _WORD.findall(text.lower())


def _inverse_frequencies(documents: Sequence[Iterable[str]]) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update(set(document))
    return {word: math.log((1 + len(documents)) / (1 + count)) + 1 for word, count in counts.items()}


def _by_overlap(sample: Sample, document: Mapping[str, int], weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the candidates' ids by falling cosine; the dialogue's own length is the same for all of them."""

    def cosine(text: str) -> float:
        words = Counter(word for word in tokens(text) if word in weights)
        length = math.sqrt(sum((count * weights[word]) ** 2 for word, count in words.items()))
        product = sum(count * document.get(word, 0) * weights[word] ** 2 for word, count in words.items())
        return product / length if length else 0.0

    cosines = [cosine(candidate.text) for candidate in sample.candidates]
    order = sorted(range(len(cosines)), key=lambda place: -cosines[place])
    return tuple(sample.candidates[place].id for place in order)
