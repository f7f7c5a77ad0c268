"""Learn how far to trust each kind of mend, on noise laid on clean text that the language model has not seen."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING

from duologue.challenges.spoken.noise.simulator import Simulator
from duologue.challenges.spoken.systems.asr_correction.edits import KINDS
from duologue.core.extras import need

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from duologue.challenges.spoken.systems.asr_correction.corrector import Repairer, Weighed

_STEPS = 4
_SURE = 2.2
"""Least log odds of a mend, nine to one: the clean text at hand may be more alike than what is to come."""
_RIDGE = 1.0
_LEARNED = 1000
"""Texts that noise is laid on; the threshold looks at more."""


def learn_weights(
    repairer: Repairer, texts: Sequence[str], seed: int, touched: float
) -> tuple[dict[str, tuple[float, ...]], float]:
    """Return the weights of each kind, and the threshold at which a share `touched` of clean texts is changed.

    Each text is seen with noise, along the way of the best mends, and as it is. A mend is right where it brings the
    text nearer to the clean one.
    """
    import numpy as np

    from duologue.challenges.spoken.systems.asr_correction.corrector import apply

    distance = need("rapidfuzz.distance", "zh").Levenshtein.distance
    simulator = Simulator("validation", seed)
    rows: dict[str, list[tuple[float, ...]]] = {kind: [] for kind in KINDS}
    right: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for number, clean in enumerate(texts[:_LEARNED]):
        for noisy in (simulator.turn(clean, rng=Random(f"{seed} {number}")).text, clean):
            text, done = noisy, list[str]()
            for _ in range(_STEPS):
                far = distance(text, clean)
                found = _best_of_kinds(repairer, text, done)
                better = []
                for one in found:
                    nearer = far - distance(apply(text, one.mend), clean)
                    rows[one.mend.kind].append(one.features)
                    right[one.mend.kind].append(nearer > 0)
                    better.append((nearer, one.gain, one.mend))
                if not better or max(better)[0] <= 0:
                    break
                mend = max(better)[2]
                text = apply(text, mend)
                done.append(mend.kind)
    weights = {
        kind: _logistic(np.array(rows[kind]), np.array(right[kind], dtype=float))
        for kind in KINDS
        if sum(right[kind]) >= 5
    }
    return weights, _threshold(repairer, weights, texts, touched)


def _best_of_kinds(repairer: Repairer, text: str, done: Sequence[str]) -> list[Weighed]:
    """Return the mend of each kind that gains most."""
    best: dict[str, Weighed] = {}
    for one in repairer.weighed(text, done):
        kind = one.mend.kind
        if kind not in best or one.gain > best[kind].gain:
            best[kind] = one
    return list(best.values())


def _logistic(rows: np.ndarray, wanted: np.ndarray) -> tuple[float, ...]:
    """Return the weights of a logistic regression by Newton's method, with a small quadratic penalty."""
    import numpy as np

    weights = np.zeros(rows.shape[1])
    penalty = _RIDGE * np.eye(rows.shape[1])
    for _ in range(25):
        chance = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (chance - wanted) + penalty @ weights
        bend = (rows * (chance * (1 - chance))[:, None]).T @ rows + penalty
        step = np.linalg.solve(bend, slope)
        weights -= step
        if float(np.abs(step).max()) < 1e-6:
            break
    return tuple(round(float(weight), 4) for weight in weights)


def _threshold(
    repairer: Repairer, weights: dict[str, tuple[float, ...]], texts: Sequence[str], touched: float
) -> float:
    """Return the log odds above which a share `touched` of clean texts would be mended."""
    import msgspec

    from duologue.challenges.spoken.systems.asr_correction.corrector import Repairer as Again

    knowing = Again(msgspec.structs.replace(repairer.knowledge, weights=weights), repairer._names)
    odds = sorted(max(map(knowing.odds, knowing.weighed(text, ())), default=-math.inf) for text in texts)
    allowed = int(touched * len(odds))
    return max(_SURE, odds[-1 - allowed]) if odds else _SURE
