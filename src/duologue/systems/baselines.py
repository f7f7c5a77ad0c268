"""Ranking baselines: random, TF-IDF, and similarity among the candidates.

They need nothing but the samples, so they rank whatever has candidates, in any task.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from duologue.core.records import Answer, Record
from duologue.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World
    from duologue.core.records import Sample

_WORD = re.compile(r"\b\w\w+\b")


class RandomRanker:
    """Rank by chance: the order for a sample depends only on the seed and the sample's id and size."""

    Recipe = Record
    scope = Scope(answers=("ranking",))
    seen = "nothing"
    external: tuple[str, ...] = ()

    def __init__(self, recipe: Record | None = None) -> None:
        self.recipe = recipe or Record()
        self._seed = 0

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:  # noqa: ARG002  # System's promise
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


class MedoidRanker:
    """Rank by likeness to the other candidates: no dialogue is looked at, no knowledge base, nothing is learned.

    Wrong candidates made by changing the right one are all near it and further from one another. What this finds is
    how far a set of candidates gives the answer away by itself, and is no understanding. The likeness of two candidates
    is 2 shared / (words of both), words cut at white space and counted as often as they occur; a candidate's score is
    the sum over the others. Ties keep the order of the candidates.
    """

    Recipe = Record
    scope = Scope(answers=("ranking",))
    seen = "nothing"
    external: tuple[str, ...] = ()

    def __init__(self, recipe: Record | None = None) -> None:
        self.recipe = recipe or Record()

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Need nothing: there is no chance in it."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Return the candidates of each sample, the one that is most like the others first."""
        return [Answer(ranking=self._order(sample)) for sample in samples]

    def _order(self, sample: Sample) -> tuple[str, ...]:
        words = [_told_apart(candidate.text.split()) for candidate in sample.candidates]
        holders: dict[str | tuple[str, int], dict[int, int]] = {}
        for here in words:
            size = len(here)
            for word in here:
                those = holders.setdefault(word, {})
                those[size] = those.get(size, 0) + 1
        empty = sum(not here for here in words)
        scores = [_likeness_to_all(here, holders) - 1 if here else empty - 1.0 for here in words]
        order = sorted(range(len(scores)), key=lambda place: -round(scores[place], 9))
        return tuple(sample.candidates[place].id for place in order)


def _likeness_to_all(
    words: set[str | tuple[str, int]], holders: Mapping[str | tuple[str, int], Mapping[int, int]]
) -> float:
    """Return the likeness of a candidate to all, itself included; `holders` has by word how many have it, by size.

    Those of one size are counted together, so that no pairs are gone through.
    """
    shared: dict[int, int] = {}
    for word in words:
        for size, number in holders[word].items():
            shared[size] = shared.get(size, 0) + number
    return math.fsum(2 * number / (len(words) + size) for size, number in shared.items())


def _told_apart(words: Sequence[str]) -> set[str | tuple[str, int]]:
    """Return words as a set in which each occurrence is another: what two sets share is counted as often as in both."""
    times: dict[str, int] = {}
    found: set[str | tuple[str, int]] = set()
    for word in words:
        before = times.get(word, 0)
        times[word] = before + 1
        found.add((word, before) if before else word)
    return found


class TfidfRanker:
    """Rank by the cosine of a candidate's words with those of its dialogue: the challenge's official baseline.

    Word weights are fitted on the very samples that are answered, one document per dialogue (its utterances
    joined by blanks): tokens of two or more word characters in lower case, raw counts, smooth inverse document
    frequency `ln((1 + n) / (1 + df)) + 1`, unit length. Words of no dialogue do not count. Ties keep the order
    of the candidates, and scores are rounded as the official program's are, so that they tie where its do. An
    answer therefore depends on the other samples of the batch, as in the official program, and the whole file must
    be answered in one call (`whole_file`).
    """

    Recipe = Record
    scope = Scope(answers=("ranking",))
    seen = "the utterances of all dialogues of the file that is answered (no answers), as the official baseline does"
    external: tuple[str, ...] = ()
    whole_file = True
    """Tells the caller to pass all samples of a file at once."""

    def __init__(self, recipe: Record | None = None) -> None:
        self.recipe = recipe or Record()

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Need nothing: there is no chance in it, and the fit is part of `answer`."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Fit the word weights on the samples given, then rank the candidates of each."""
        documents = [Counter(tokens(" ".join(turn.text for turn in sample.history))) for sample in samples]
        weights = _inverse_frequencies(documents)
        places = {word: place for place, word in enumerate(weights)}
        return [
            Answer(ranking=_by_overlap(sample, _in_order(document, places), weights))
            for sample, document in zip(samples, documents, strict=True)
        ]


def tokens(text: str) -> list[str]:
    """Return the words of two or more word characters, in lower case; a name with underscores is one word.

    >>> tokens("I'm at the_old_inn, OK?")
    ['at', 'the_old_inn', 'ok']
    """
    return _WORD.findall(text.lower())


def _inverse_frequencies(documents: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """Return the weight of each word, in the order of first appearance."""
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update(list(document))
    return {word: math.log((1 + len(documents)) / (1 + count)) + 1 for word, count in counts.items()}


def _in_order(document: Mapping[str, int], places: Mapping[str, int]) -> dict[str, int]:
    return {word: document[word] for word in sorted(document, key=places.__getitem__)}


def _by_overlap(sample: Sample, document: Mapping[str, int], weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the candidates' ids by falling cosine; `document` has its words by first appearance in the file.

    Equal texts in another order of words, and equal scores by chance, are told apart by rounding alone, so sums are
    made in the order in which scikit-learn 0.18 stores the weights: a dialogue's words by first appearance in the
    file (each of two products turns a row round), a candidate's from the last to the first of the alphabet (one).
    """
    own = _unit(document, weights)

    def cosine(text: str) -> float:
        words = Counter(word for word in tokens(text) if word in weights)
        theirs = _unit({word: words[word] for word in sorted(words, reverse=True)}, weights)
        product = 0.0
        for word, weight in own.items():
            if word in theirs:
                product += weight * theirs[word]
        return product

    cosines = [cosine(candidate.text) for candidate in sample.candidates]
    places = sorted(range(len(cosines)), key=lambda place: -cosines[place])
    return tuple(sample.candidates[place].id for place in places)


def _unit(counts: Mapping[str, int], weights: Mapping[str, float]) -> dict[str, float]:
    """Return weighted counts of length 1; `sum` is not used, which adds up with other roundings from Python 3.12 on."""
    found = {word: count * weights[word] for word, count in counts.items()}
    squares = 0.0
    for weight in found.values():
        squares += weight * weight
    length = math.sqrt(squares)
    return {word: weight / length for word, weight in found.items()} if length else found
