"""Probabilities from which the extractor decides for something, chosen on calls that its tagger has not seen."""

from __future__ import annotations

from duologue.core.bounds import NonNegative, Probability
from duologue.core.records import Record


class SpanLevel(Record, frozen=True):
    """From when on a stretch of a call is a span."""

    level: Probability = 0.5
    """From which probability a character lies in a span."""
    begin: NonNegative = 0.0
    """What the begin of a span costs, as a log probability: a tagger that is sure of each character alone cuts names in
    two, and finds what is no name."""


class DecisionLevels(Record, frozen=True):
    """Levels of mentions, of values of services, and of the user's values."""

    mention: SpanLevel = SpanLevel()
    value: SpanLevel = SpanLevel()
    own: SpanLevel = SpanLevel()
    """Of the user's values."""
    repeated: Probability = 0.3
    """Of a name that was found elsewhere in the call, on average over its characters; 1: none is looked for."""
