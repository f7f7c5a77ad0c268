"""Rows of the memory network: bags of plain words for turns and candidates, with match types.

A match type (Bordes et al. 2017) is a word put to a candidate for each of its words that is a value of the knowledge
base and stands in the dialogue too. It names the field alone, so that values nobody heard in training match as others
do. Names of restaurants have no type, as in the paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.restaurant.systems.memory_network.network import MemoryRow
from duologue.challenges.restaurant.systems.trained_ranker.delex import PUNCTUATION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.restaurant.systems.trained_ranker.bags import BagTable
    from duologue.challenges.restaurant.systems.trained_ranker.delex import KbLexicon
    from duologue.core.records import Sample

SPEAKERS = {"user": 0, "system": 1, "api": 2}
OTHERS = 3
"""Speakers beside those."""


def memory_row(
    sample: Sample, lexicon: KbLexicon, table: BagTable, memories: int, *, matches: bool, target: int = -1
) -> MemoryRow:
    """Return a sample as numbers of bags in the table; `target` is the place of the right candidate.

    The last turn is the query, up to `memories` turns before it are remembered.
    """
    said = [words_of(turn.text) for turn in sample.history]
    heard = {word for words in said for word in words}
    before = range(max(0, len(said) - 1 - memories), max(0, len(said) - 1))
    kept = [
        (table.number(said[place]), SPEAKERS.get(sample.history[place].speaker, OTHERS), len(said) - 1 - place)
        for place in before
    ]
    candidates = []
    for candidate in sample.candidates:
        words = words_of(candidate.text)
        candidates.append(table.number([*words, *match_types(words, heard, lexicon)] if matches else words))
    return MemoryRow(
        query=table.number(said[-1] if said else ()),
        memories=np.array(kept, np.int32).reshape(-1, 3),
        candidates=np.array(candidates, np.int32),
        target=target,
    )


def words_of(text: str) -> list[str]:
    """Return the words of an utterance, punctuation left out.

    >>> words_of("here it is old_inn_phone, let's see")
    ['here', 'it', 'is', 'old_inn_phone', "let's", 'see']
    """
    return [word.rstrip(PUNCTUATION) for word in text.split()]


def match_types(words: Sequence[str], heard: set[str], lexicon: KbLexicon) -> list[str]:
    """Return the type of each word that is a value and was heard in the dialogue."""
    fields = (lexicon.field_of(word) for word in words if word in heard)
    return [f"<match {field}>" for field in fields if field is not None]
