"""Passages of external knowledge, looked up by the words of a dialogue.

TF-IDF cosine (`retrieval.grouped_terms`) of the customer's last turn, and of the turns before it at a lower weight,
with what a passage is about and with its text. Terms are the words as they are, or the stems of those that say what a
text is about (`content_words`), by which "refund" finds "refunds" and "i" finds nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.challenges.conversation.extraction.typed_text import as_cut
from duologue.challenges.conversation.formats.training_pairs import merged_turns
from duologue.challenges.conversation.scoring.terms import terms
from duologue.challenges.conversation.systems.content_words import content_words
from duologue.challenges.conversation.systems.lookup import FoundPassage
from duologue.retrieval.grouped_terms import GroupedTerms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duologue.challenges.conversation.systems.content_words import Matching
    from duologue.core.protocols import World
    from duologue.core.records import Fact, Turn

_LAST, _BEFORE = 0.75, 0.25  # weights of the last turn, and of the turns before it
_EARLIER = 2  # turns before the last one
_MAX_TERMS = 100  # the last ones of a turn
_DIGITS = 6  # of similarities: closer ones are ties


class PassageIndex:
    """Passages with the terms that they are found by."""

    def __init__(self, facts: Iterable[Fact], matching: Matching = "words") -> None:
        """Index facts: the subject is what a passage is about, the object its text; equal passages are one."""
        self._terms = content_words if matching == "stems" else terms
        cleaner = Cleaner()
        cut = ((fact.subject, as_cut(str(fact.object), cleaner)) for fact in facts)
        self._passages = list(dict.fromkeys(one for one in cut if one[1]))
        self._similarity = GroupedTerms([self._groups(about, text) for about, text in self._passages])

    def __len__(self) -> int:
        """Return the number of passages."""
        return len(self._passages)

    def best(self, history: Sequence[Turn], limit: int) -> list[FoundPassage]:
        """Return the `limit` passages most similar to a dialogue, the best first; none that shares no word with it.

        Ties go to the earlier passage; passages with one text are one.
        """
        turns = merged_turns(history)
        if not turns:
            return []
        before = " ".join(turn.text for turn in turns[-1 - _EARLIER : -1])
        asked = (
            (_LAST, self._terms(turns[-1].text)[-_MAX_TERMS:]),
            (_BEFORE, self._terms(before)[-_MAX_TERMS:]),
        )
        similar = self._similarity.similarities(asked).clip(max=1).round(_DIGITS)
        found: dict[str, FoundPassage] = {}
        for place in (-similar).argsort(kind="stable"):
            if len(found) >= limit or similar[place] <= 0:
                break
            about, text = self._passages[place]
            found.setdefault(text, FoundPassage(about, text, float(similar[place])))
        return list(found.values())

    def _groups(self, about: str, text: str) -> list[tuple[float, list[str]]]:
        return [(0.5, self._terms(about)), (0.5, self._terms(text))] if about else [(1.0, self._terms(text))]


def passages_of(worlds: Mapping[str, World], matching: Matching = "words") -> PassageIndex | None:
    """Return the index of all knowledge that a system is prepared with; `None` without any."""
    return PassageIndex((fact for world in worlds.values() for fact in world), matching) if worlds else None
