"""Documents with masked characters, and what these were."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.rng import Rng

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.challenges.mobilecs.systems.masked_text.recipe import MaskedTextRecipe
    from duologue.challenges.mobilecs.systems.tagger.document import Document

MASK = "\ue000"
"""Stands where a character was; of the private use area, so no text has it."""
_LONGEST = 3
"""Characters masked in a row at most."""


class MaskedDocument(NamedTuple):
    """A document without some of its characters."""

    document: Document
    places: list[int]
    """Of the masked characters that are in the vocabulary."""
    targets: list[int]
    """Number of each in the vocabulary."""


def frequent_characters(documents: Iterable[Document], limit: int) -> dict[str, int]:
    """Return the most frequent characters, in lower case, numbered in that order; white space is none."""
    counts = Counter(sign for one in documents for sign in one.text.lower() if not sign.isspace())
    ranked = sorted(counts, key=lambda sign: (-counts[sign], sign))[:limit]
    return {sign: number for number, sign in enumerate(ranked)}


def masked_documents(
    documents: Sequence[Document], characters: dict[str, int], recipe: MaskedTextRecipe, seed: int
) -> list[MaskedDocument]:
    """Return each document as often as the recipe says, each time with other runs of characters masked."""
    found = []
    for number, document in enumerate(documents):
        for turn in range(recipe.passes):
            rng = Rng(seed, "masked", number, turn)
            hidden = _runs(len(document.text), recipe.masked, rng)
            signs = list(document.text)
            places, targets = [], []
            for place in hidden:
                target = characters.get(signs[place].lower())
                if signs[place].isspace():
                    continue
                signs[place] = MASK
                if target is not None:
                    places.append(place)
                    targets.append(target)
            if places:
                found.append(MaskedDocument(document._replace(text="".join(signs)), places, targets))
    return found


def _runs(length: int, share: float, rng: Rng) -> list[int]:
    """Return the places of runs of one to three characters that make up about the share."""
    chance = share / ((1 + _LONGEST) / 2)
    found: list[int] = []
    place = 0
    while place < length:
        if rng.happens(chance):
            run = 1 + rng.below(_LONGEST)
            found += range(place, min(place + run, length))
            place += run
        place += 1
    return found
