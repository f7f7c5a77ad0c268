"""Recipe and size presets of the retrieval baseline."""

from __future__ import annotations

from typing import Literal, NamedTuple

from duologue.core.bounds import NonNegative, Positive, PositiveFloat, ProperFraction, Threads
from duologue.models.training_recipe import CheckpointedRecipe


class MatcherPreset(NamedTuple):
    """Model sizes and length of the training."""

    width: int
    layers: int
    heads: int
    inner: int
    longest: int
    """Maximum tokens of a line in training."""
    longest_answering: int
    epochs: int
    line_limit: int
    """Lines (context and one candidate) processed in training at most; more data is trained for fewer epochs."""
    negatives: int = 9
    batch: int = 128
    rate: float = 0.1


PRESETS = {
    "published": MatcherPreset(256, 4, 8, 1024, longest=256, longest_answering=128, epochs=30, line_limit=10**9),
    "small": MatcherPreset(128, 2, 4, 512, 64, 64, epochs=12, line_limit=400_000, negatives=4, batch=60, rate=0.2),
    "tiny": MatcherPreset(16, 1, 2, 32, longest=64, longest_answering=64, epochs=1, line_limit=10_000),
}


class MatcherRecipe(CheckpointedRecipe, frozen=True):
    """Variant, size and training of the matcher; everything else is as published."""

    variant: Literal["match", "match_kn", "match_kn_gene"] = "match_kn_gene"
    """`match` reads history and reply, `match_kn` goal and knowledge too, `match_kn_gene` with slots for topics."""
    form: Literal["pytorch", "paddle"] = "pytorch"
    """The released program whose network is used."""
    dropout: Literal["configured", "mended"] = "configured"
    """`configured`: as released, which in `paddle` is none in training and 0.1 in prediction, evidently swapped;
    `mended` corrects this. In `pytorch` both are 0.3 in training and none in prediction."""
    size: Literal["small", "published", "tiny"] = "small"
    """`small` trains on two cores; `published` is 256 wide with 4 layers; `tiny` is for tests."""
    epochs: Positive | None = None
    """By default that of the size: 30 for `published`; for `small` up to 12, fewer if that would be more than 400,000
    lines, but at least one."""
    negatives: Positive | None = None
    """Negative replies per sample in training; by default 9, for `small` 4."""
    candidates: Positive = 10
    """Candidate replies in prediction."""
    live_candidates: Positive = 50
    """Candidate replies in a live dialogue."""
    batch: Positive | None = None
    """Lines (context and one candidate) per step; by default 128, for `small` 60. The lines of a sample stay together
    so that its knowledge is encoded once: a step has as many whole samples as fit."""
    rate: PositiveFloat | None = None
    """Factor of the learning rate, rate * width^-0.5 * min(step^-0.5, step * warm^-1.5); by default 0.1, for
    `small` 0.2."""
    held_out: ProperFraction = 0.05
    """Fraction of the examples that selects the best epoch if no held-out data is given; no pair of topics is on both
    sides. They have as many replies as `candidates` says."""
    precision: Literal["bfloat16", "float32", "auto"] = "auto"
    """Of matrix products in training; `auto`: bfloat16 on processors that multiply it, where it is faster, and float32
    on others, where it would be slower by far."""
    checkpoint_seconds: NonNegative = 30.0
    threads: Threads = 2
    devices: Positive = 1
    """Data-parallel processes in training."""
    device: Literal["cpu", "cuda"] = "cpu"
    """Device of the training."""

    @classmethod
    def tiny(cls) -> MatcherRecipe:
        """Return a recipe that trains in seconds, for tests of behaviour, not of quality."""
        return cls(size="tiny", precision="float32", threads=1, negatives=3, held_out=0.3)
