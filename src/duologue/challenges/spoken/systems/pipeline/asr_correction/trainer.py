"""Training of the corrector: a language model from clean text, edit weights on simulated noise."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from duologue.challenges.spoken.noise.simulator import NoiseSimulator
from duologue.challenges.spoken.systems.logistic_regression import fit
from duologue.challenges.spoken.systems.pipeline.asr_correction.char_lm import START, CharLanguageModel
from duologue.challenges.spoken.systems.pipeline.asr_correction.corrector import (
    AsrCorrector,
    CorrectorModel,
    folded,
    without_title_marks,
)
from duologue.challenges.spoken.systems.pipeline.asr_correction.edits import EDIT_KINDS, is_han
from duologue.core.extras import need
from duologue.text.pronunciation import reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.challenges.spoken.systems.pipeline.asr_correction.corrector import ScoredEdit

_STEPS = 4
"""Edits made one after another on a training text."""
_MIN_ODDS = 2.2
"""Smallest log odds at which an edit may be made, nine to one: texts to come may differ from those held out."""
_TEXTS = 1000
"""Held-out texts on which the weights are fitted; the threshold uses all."""
_MIN_EXAMPLES = 5
"""Right edits of a kind from which its weights are fitted; with fewer the kind is never used."""
_NEWTON_STEPS = 25
_FALSE_ALARMS = 0.006
"""Share of clean utterances that the threshold lets be edited."""


def train_corrector(clean_texts: Iterable[str], graph_names: Iterable[str] = (), *, seed: int = 1) -> AsrCorrector:
    """Return a corrector trained on clean utterances: the language model on all, the edit weights on a held-out part.

    The same texts, names and seed give the same corrector. Needs the extra `zh`.
    """
    names = list(graph_names)
    texts = list(dict.fromkeys(without_title_marks(text) for text in clean_texts))
    held_out: list[str] = []
    kept: list[str] = []
    for text in texts:
        digest = hashlib.sha256(f"{seed} {text}".encode()).digest()
        (held_out if digest[0] < 256 // 8 else kept).append(text)
    weights, threshold = fit_edit_weights(AsrCorrector(_untuned(kept), names), held_out, seed, _FALSE_ALARMS)
    return AsrCorrector(msgspec.structs.replace(_untuned(texts), weights=weights, threshold=threshold), names)


def fit_edit_weights(
    corrector: AsrCorrector, texts: Sequence[str], seed: int, touched: float
) -> tuple[dict[str, tuple[float, ...]], float]:
    """Return the weights by kind of edit, and the threshold at which a share `touched` of clean texts is edited.

    Each text is read with noise, along the path of its best edits, and as it is. An edit is right where it lowers the
    Levenshtein distance to the clean text.
    """
    distance = need("rapidfuzz.distance", "zh").Levenshtein.distance
    simulator = NoiseSimulator("validation", seed)
    rows: dict[str, list[tuple[float, ...]]] = {kind: [] for kind in EDIT_KINDS}
    right: dict[str, list[bool]] = {kind: [] for kind in EDIT_KINDS}
    for number, clean in enumerate(texts[:_TEXTS]):
        for noisy in (simulator.turn(clean, rng=Random(f"{seed} {number}")).text, clean):
            text, done = noisy, list[str]()
            for _ in range(_STEPS):
                far = distance(text, clean)
                found = _best_of_kinds(corrector, text, done)
                better = []
                for one in found:
                    nearer = far - distance(one.edit.apply(text), clean)
                    rows[one.edit.kind].append(one.features)
                    right[one.edit.kind].append(nearer > 0)
                    better.append((nearer, one.gain, one.edit))
                if not better or max(better)[0] <= 0:
                    break
                edit = max(better)[2]
                text = edit.apply(text)
                done.append(edit.kind)
    weights: dict[str, tuple[float, ...]] = {}
    for kind in EDIT_KINDS:
        if sum(right[kind]) >= _MIN_EXAMPLES:
            fitted = fit(np.array(rows[kind]), np.array(right[kind], dtype=float), steps=_NEWTON_STEPS, tolerance=1e-6)
            weights[kind] = tuple(round(weight, 4) for weight in fitted.tolist())
    return weights, _threshold(corrector, weights, texts, touched)


def _best_of_kinds(corrector: AsrCorrector, text: str, done: Sequence[str]) -> list[ScoredEdit]:
    """Return the edit of each kind with the largest gain."""
    best: dict[str, ScoredEdit] = {}
    for one in corrector.scored_edits(text, done):
        kind = one.edit.kind
        if kind not in best or one.gain > best[kind].gain:
            best[kind] = one
    return list(best.values())


def _threshold(
    corrector: AsrCorrector, weights: dict[str, tuple[float, ...]], texts: Sequence[str], touched: float
) -> float:
    """Return the log odds above which a share `touched` of clean texts would be edited."""
    with_names = AsrCorrector(msgspec.structs.replace(corrector.knowledge, weights=weights), corrector._names)
    odds = sorted(max(map(with_names.odds, with_names.scored_edits(text, ())), default=-math.inf) for text in texts)
    allowed = int(touched * len(odds))
    return max(_MIN_ODDS, odds[-1 - allowed]) if odds else _MIN_ODDS


def _untuned(texts: Sequence[str]) -> CorrectorModel:
    """Return the language model and replacement candidates of clean texts, without edit weights."""
    seen = [folded(text) for text in texts]
    single: Counter[str] = Counter()
    double: Counter[str] = Counter()
    triple: Counter[str] = Counter()
    for text in seen:
        single.update(text)
        double.update(map("".join, zip(START + text, text, strict=False)))
        triple.update(map("".join, zip(START + text, text, text[1:], strict=False)))
    alone: dict[str, str] = {}
    for sign, n in single.most_common():
        if n >= 20 and is_han(sign):
            alone[reading(sign)] = alone.get(reading(sign), "") + sign
    pairs: dict[str, list[str]] = {}
    for two, n in double.most_common():
        if n >= 3 and is_han(two[0]) and is_han(two[1]):
            pairs.setdefault(f"{reading(two[0])} {reading(two[1])}", []).append(two)
    after: dict[str, str] = {}
    for gram, n in (*triple.most_common(), *double.most_common()):
        context = gram[:-1]
        if n >= 3 and len(after.get(context, "")) < 6:
            after[context] = after.get(context, "") + gram[-1]
    return CorrectorModel(model=CharLanguageModel.learn(seen), alone=alone, pairs=pairs, after=after)
