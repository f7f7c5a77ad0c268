"""Probabilities from which the extractor decides for something, chosen on calls that its tagger has not seen."""

from __future__ import annotations

from duologue.core.bounds import Probability
from duologue.core.records import Record


class DecisionLevels(Record, frozen=True):
    """From which probability a character lies in a span."""

    mention: Probability = 0.5
    value: Probability = 0.5
    own: Probability = 0.5
    """Of the user's values."""
    repeated: Probability = 0.3
    """Of a name that was found elsewhere in the call, on average over its characters; 1: none is looked for."""
