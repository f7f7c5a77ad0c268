"""Lists of candidates as numbers: what the utility ranker (`duologue.models.utility`) reads. Needs no torch.

Letters in shapes: c candidates, f features, w words of the state, l words of a template, a targets.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from duologue.models.training_recipe import RecipeEntries
from duologue.models.vocabulary import PAD, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

_FIRST = max(PAD, UNKNOWN) + 1
_LARGEST = 30_000  # value of a feature that half precision holds
_NO_TEMPLATES: NDArray[np.int32] = np.zeros((0, 1), dtype=np.int32)


class Choice(NamedTuple):
    """One list of candidates as numbers."""

    words: NDArray[np.int32]
    """(w,): the state; no padding."""
    templates: NDArray[np.int32]
    """(c,): rows of the table of templates; below 0, of `others`, from -1 on."""
    features: NDArray[np.float16]
    """(c, f)."""
    utility: NDArray[np.float32]
    """(c, a): how good each candidate was, by each target; zeros where not known."""
    others: NDArray[np.int32] = _NO_TEMPLATES
    """(o, l): templates of this list alone, padded."""

    def some(self, kept: NDArray[np.intp]) -> Choice:
        """Return the list with these of its candidates."""
        return self._replace(templates=self.templates[kept], features=self.features[kept], utility=self.utility[kept])


class UtilitySize(RecipeEntries, frozen=True, kw_only=True):
    """Sizes of the utility ranker."""

    words: int = _FIRST
    """Words of states, padding and the unknown word included."""
    template_words: int = _FIRST
    """The same for templates."""
    features: int
    targets: int = 1
    """Ways to measure utility."""
    members: int = 1
    """Networks whose mean decides."""
    width: int = 64
    """Numbers per word."""
    hidden: int = 192
    dropout: float = 0.1
    word_dropout: float = 0.15
    """Share of words that are not read, in training."""
    text: bool = True
    """Whether words are read at all, or features alone."""


class ChoiceEncoder:
    """Encodes states and candidates by two vocabularies, both empty where features alone are read."""

    def __init__(self, words: Sequence[str] = (), template_words: Sequence[str] = ()) -> None:
        self.words, self.template_words = list(words), list(template_words)
        self._words = {word: number for number, word in enumerate(words, _FIRST)}
        self._template = {word: number for number, word in enumerate(template_words, _FIRST)}

    def sized(self, size: UtilitySize) -> UtilitySize:
        """Return the sizes of a network with these vocabularies."""
        return msgspec.structs.replace(
            size, words=len(self.words) + _FIRST, template_words=len(self.template_words) + _FIRST
        )

    def choice(
        self,
        words: Iterable[str],
        templates: Sequence[int],
        features: NDArray[np.floating],
        utility: NDArray[np.float32] | None = None,
        others: Sequence[Iterable[str]] = (),
    ) -> Choice:
        """Return a list of candidates: the words of its state, rows of the table, features (c, f), utility (c, a).

        The words of the templates that the table has not are `others`; their numbers are -1, -2, ...
        """
        known = [self._words[word] for word in words if word in self._words]
        return Choice(
            words=np.array(known or [UNKNOWN], dtype=np.int32),
            templates=np.array(templates, dtype=np.int32),
            features=np.clip(features, -_LARGEST, _LARGEST).astype(np.float16),
            utility=np.zeros((len(templates), 1), dtype=np.float32) if utility is None else utility,
            others=template_table(map(self.template, others)) if others else _NO_TEMPLATES,
        )

    def template(self, words: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers of the words of a template."""
        return tuple(self._template.get(word, UNKNOWN) for word in words)


def template_table(rows: Iterable[Sequence[int]]) -> NDArray[np.int32]:
    """Return templates as one table (t, l), padded; at least one row and column."""
    rows = list(rows)
    table = np.full((max(1, len(rows)), max([1, *map(len, rows)])), PAD, dtype=np.int32)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return table


def frequent_words(texts: Iterable[Iterable[str]], least: int) -> list[str]:
    """Return the words that at least this many texts have, the most frequent first, then by alphabet."""
    counts = Counter(word for text in texts for word in set(text))
    return sorted((word for word, times in counts.items() if times >= least), key=lambda word: (-counts[word], word))
