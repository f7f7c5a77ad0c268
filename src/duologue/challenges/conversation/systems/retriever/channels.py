"""Which channel a history comes from: tweets are not answered like lines typed to an assistant.

A channel is a training file. Multinomial naive Bayes over the terms of the customer's last turn and its context
features (Manning and others 2008, section 13.2), add-one smoothing, all channels equally likely: a small file is not
drowned by a large one.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from duologue.core.sums import added

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class ChannelClassifier(NamedTuple):
    """Log-probabilities of terms by channel."""

    terms: tuple[Mapping[str, float], ...]
    unseen: tuple[float, ...]
    """Log-probability of a term that the channel lacks."""

    @classmethod
    def of(cls, channels: Sequence[Iterable[Sequence[str]]]) -> ChannelClassifier:
        """Fit on the terms of the contexts of each channel."""
        counts = [Counter(term for context in contexts for term in context) for contexts in channels]
        kinds = len({term for one in counts for term in one}) + 1
        sizes = [one.total() + kinds for one in counts]
        return cls(
            tuple(
                {term: math.log((times + 1) / size) for term, times in one.items()}
                for one, size in zip(counts, sizes, strict=True)
            ),
            tuple(-math.log(size) for size in sizes),
        )

    def channel(self, context: Sequence[str]) -> int:
        """Return the number of the likeliest channel of a context; ties go to the first.

        >>> ChannelClassifier.of([[["a", "b"]], [["b", "c"]]]).channel(["c"])
        1
        """
        sums = [
            round(added(known.get(term, unseen) for term in context), 6)
            for known, unseen in zip(self.terms, self.unseen, strict=True)
        ]
        return sums.index(max(sums))
