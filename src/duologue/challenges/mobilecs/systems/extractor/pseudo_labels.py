"""Labels that taggers give to unlabelled calls: what they are sure enough of, by calibration on held-out calls.

Spans that are not trusted, and characters that may lie in one, teach nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.mobilecs.systems.calibration import (
    Guess,
    balanced_levels,
    softened,
    temperature_of,
    trusted_share,
)
from duologue.challenges.mobilecs.systems.soft_labels.network import SoftDocument
from duologue.challenges.mobilecs.systems.tagger.label_layer import OUTSIDE, KindSpan, loose_spans
from duologue.challenges.mobilecs.systems.tagger.network import tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.extractor.semi_supervised_recipe import SemiSupervisedRecipe
    from duologue.challenges.mobilecs.systems.tagger.network import CharTagger, TaggedDocument

    Floats = NDArray[np.float32]


class _GuessedSpan(NamedTuple):
    span: KindSpan
    confidence: float


def pseudo_labelled(
    teachers: Sequence[CharTagger],
    documents: Sequence[NDArray[np.int32]],
    held_out: Sequence[TaggedDocument],
    recipe: SemiSupervisedRecipe,
) -> list[SoftDocument]:
    """Return unlabelled documents, given as features (n, f), with what the teachers say of their labels.

    Held-out documents tell which spans they are trusted in.
    """
    tests, unknown = (_mean_shares(teachers, some) for some in ([one.features for one in held_out], documents))
    layers: list[tuple[list[Floats], list[NDArray[np.bool_]]]] = []
    for layer in range(len(teachers[0].sizes)):
        gold = [one.labels[layer] for one in held_out]
        temperature = temperature_of(np.concatenate([one[layer] for one in tests]), np.concatenate(gold))
        checked = [_guesses(softened(one[layer], temperature)) for one in tests]
        share = trusted_share(
            (
                Guess(guess.confidence, guess.span in known)
                for guesses, labels in zip(checked, gold, strict=True)
                for known in [set(loose_spans(labels.tolist()))]
                for guess in guesses
            ),
            recipe.cost,
        )
        said = [softened(one[layer], temperature) for one in unknown]
        layers.append((said, _trusted(said, share, recipe)))
    return [
        SoftDocument(
            features,
            tuple(np.exp(said[place]).astype(np.float16) for said, _ in layers),
            np.stack([trusted[place] for _, trusted in layers]),
        )
        for place, features in enumerate(documents)
    ]


def _mean_shares(teachers: Sequence[CharTagger], documents: Sequence[NDArray[np.int32]]) -> list[tuple[Floats, ...]]:
    """Return the log of the mean probabilities of each layer (n, k) for each document."""
    said = [tag(one, documents) for one in teachers]
    return [
        tuple(
            np.log(np.mean([np.exp(layer) for layer in layers], axis=0) + np.float32(1e-9)).astype(np.float32)
            for layers in zip(*(one.layers for one in some), strict=True)
        )
        for some in zip(*said, strict=True)
    ]


def _guesses(log_shares: Floats) -> list[_GuessedSpan]:
    """Return the most probable spans of a layer (n, k), each as sure as its characters on average."""
    labels = _labels(log_shares)
    sure = log_shares[np.arange(len(labels)), labels]
    return [
        _GuessedSpan(span, float(np.exp(sure[span.start : span.end].mean()))) for span in loose_spans(labels.tolist())
    ]


def _labels(log_shares: Floats) -> NDArray[np.int64]:
    """Return the most probable label of each character; outside only where that is more probable than all others."""
    inside: NDArray[np.int64] = 1 + log_shares[:, 1:].argmax(1)
    return np.where(log_shares[:, OUTSIDE] >= np.log(0.5), OUTSIDE, inside)


def _trusted(layers: Sequence[Floats], share: float, recipe: SemiSupervisedRecipe) -> list[NDArray[np.bool_]]:
    """Return for each document which characters of a layer are trusted: those of trusted spans, and safely outside."""
    guessed = [_guesses(one) for one in layers]
    levels = balanced_levels(
        [(guess.span.kind if recipe.balanced else 0, guess.confidence) for some in guessed for guess in some], share
    )
    found = []
    for log_shares, guesses in zip(layers, guessed, strict=True):
        trusted = log_shares[:, OUTSIDE] >= np.log(max(recipe.outside, 0.5))
        for (start, end, kind), confidence in guesses:
            trusted[start:end] = confidence >= levels.get(kind if recipe.balanced else 0, np.inf)
        found.append(trusted)
    return found
