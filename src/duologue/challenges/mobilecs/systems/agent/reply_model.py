"""How likely a reply is under each set of staff labels: naive Bayes over its characters, values left out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.mobilecs.systems.agent.turn_encoder import grams_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView

    Floats = NDArray[np.float32]

_SMOOTHING = 0.1
_LEAST, _LONGEST = 2, 3
"""Characters of the pieces of text that are counted."""


class ReplyModel(NamedTuple):
    """Probabilities of pieces of text and of told slots under each label set, each by itself (Bernoulli)."""

    numbers: dict[str, int]
    weights: Floats
    """Log odds (g, k) of each term."""
    base: Floats
    """Log probability (k,) of a reply without any term."""

    def log_likelihood(self, terms: Sequence[str]) -> Floats:
        """Return the log probability (k,) of a reply's terms under each label set; unknown terms do not count."""
        known = [self.numbers[one] for one in terms if one in self.numbers]
        found: Floats = self.base + self.weights[known].sum(0)
        return found


def reply_terms(view: CallView, reply: str) -> list[str]:
    """Return what a reply is made of: pieces of text around its values, and the slots that these are of."""
    end, parts, slots = 0, list[str](), set[str]()
    for one in view.spoken(reply):
        parts.append(reply[end : one.start])
        slots.update(f"<{view.pieces[number].slot}>" for number in one.pieces)
        end = one.end
    parts.append(reply[end:])
    grams = {gram for part in parts for gram in grams_of(part) if _LEAST <= len(gram) <= _LONGEST}
    return sorted(grams | slots) or ["<>"]


def reply_model(replies: Sequence[tuple[Sequence[str], Floats]], label_sets: int) -> ReplyModel:
    """Return the model of replies, given as terms and the probability (k,) of each label set."""
    counts = Counter(term for terms, _ in replies for term in terms)
    numbers = {term: number for number, term in enumerate(sorted(one for one in counts if counts[one] > 1))}
    table = np.full((len(numbers), label_sets), _SMOOTHING, dtype=np.float64)
    totals = np.full(label_sets, 2 * _SMOOTHING, dtype=np.float64)
    for terms, shares in replies:
        totals += shares
        known = [numbers[term] for term in terms if term in numbers]
        table[known] += shares
    present = table / totals
    absent = np.log1p(-present)
    return ReplyModel(numbers, (np.log(present) - absent).astype(np.float32), absent.sum(0).astype(np.float32))
