"""Training of the agent on dialogues with and without intents: teachers, posteriors, then all of it together.

A round is one of expectation and maximisation: the networks of the last one and a model of replies give the posterior
of every turn without intents; turns that are trusted then teach new networks, and the model of replies is counted anew.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.mobilecs.schema.intents import USER_LABELS
from duologue.challenges.mobilecs.systems.agent.latent_acts import TurnPosterior, posterior
from duologue.challenges.mobilecs.systems.agent.network import probabilities
from duologue.challenges.mobilecs.systems.agent.reply_model import reply_model, reply_terms
from duologue.challenges.mobilecs.systems.agent.slot_cues import SlotCues
from duologue.challenges.mobilecs.systems.agent.trainer import (
    new_encoder,
    parted_turns,
    train_members,
    turn_vocabulary,
)
from duologue.challenges.mobilecs.systems.calibration import (
    Guess,
    balanced_levels,
    softened,
    temperature_of,
    trusted_share,
)
from duologue.core.progress import tracked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.network import TurnNetwork
    from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
    from duologue.challenges.mobilecs.systems.agent.reply_model import ReplyModel
    from duologue.challenges.mobilecs.systems.agent.staff_templates import AnsweredTurn
    from duologue.challenges.mobilecs.systems.agent.turn_encoder import TurnEncoder, TurnRow
    from duologue.core.protocols import Run

    Floats = NDArray[np.float32]


class SemiSupervisedParts(NamedTuple):
    """What was learned, and the turns whose replies give the wording."""

    encoder: TurnEncoder
    networks: list[TurnNetwork]
    turns: list[AnsweredTurn]


class _Inferred(NamedTuple):
    """A turn without intents with its posterior, calibrated."""

    turn: AnsweredTurn
    found: TurnPosterior
    user_labels: Floats
    """(u,)."""
    labels: Floats
    """(k,)."""


def train_semi_supervised(
    turns: Sequence[AnsweredTurn],
    held_out: Sequence[AnsweredTurn],
    bare: Sequence[AnsweredTurn],
    recipe: AgentRecipe,
    run: Run,
) -> SemiSupervisedParts:
    """Return the parts trained on turns with intents and on those without; held-out ones calibrate and choose.

    Interrupted, each training goes on from its last checkpoint. Raises `UsageError` where there is too little to learn
    from.
    """
    semi = recipe.semi_supervised
    learned, validation = parted_turns(turns, held_out, recipe.held_out, run.seed)
    vocabulary = turn_vocabulary([*learned, *bare] if semi.vocabulary else learned, recipe)
    encoder = new_encoder(vocabulary, SlotCues.of((one.view, one.truth.wanted) for one in learned), recipe)
    rows = [encoder.row(one.view, one.truth, counted=True) for one in learned]
    tests = [encoder.row(one.view, one.truth) for one in validation]
    sets = len(vocabulary.label_sets)
    known = [
        (reply_terms(one.view, one.reply), np.eye(sets, dtype=np.float32)[row.label_set])
        for one, row in zip(learned, rows, strict=True)
        if row.label_set >= 0 and one.reply
    ]
    replies = reply_model(known, sets)
    networks = train_members(encoder, rows, tests, recipe, run.part("teachers"))
    inferred: list[_Inferred] = []
    for number in range(semi.rounds):
        inferred = _inferred(networks, encoder, replies, bare, validation, tests, run)
        taught = [row for row in _rows(inferred, encoder, validation, networks, recipe) if semi.user_intents]
        wanted = semi.labelled_share * len(taught) / (1 - semi.labelled_share)
        copies = max(1, math.ceil(wanted / len(rows)))
        if taught:
            networks = train_members(encoder, rows * copies + taught, tests, recipe, run.part(f"round-{number}"))
        replies = reply_model(
            [*known, *((reply_terms(one.turn.view, one.turn.reply), one.labels) for one in inferred)], sets
        )
    wording = list(turns)
    for one in inferred if semi.staff_acts else ():
        best = int(one.labels.argmax())
        if one.labels[best] >= semi.sure:
            truth = one.turn.truth._replace(staff_labels=vocabulary.label_sets[best])
            wording.append(one.turn._replace(truth=truth))
    return SemiSupervisedParts(encoder, networks, wording)


def _inferred(
    networks: Sequence[TurnNetwork],
    encoder: TurnEncoder,
    replies: ReplyModel,
    bare: Sequence[AnsweredTurn],
    validation: Sequence[AnsweredTurn],
    tests: Sequence[TurnRow],
    run: Run,
) -> list[_Inferred]:
    """Return the posteriors of turns without intents, at the temperatures that fit held-out turns best."""
    checked = [posterior(networks, encoder, replies, one.view, one.reply) for one in validation]
    of_labels = temperature_of(
        np.stack([one.log_labels for one in checked]), np.array([row.label_set for row in tests])
    )
    of_user = temperature_of(
        np.concatenate([_two_sided(one.read.user_labels) for one in checked]),
        np.concatenate([row.user_labels for row in tests]).astype(np.int64),
    )
    found = []
    for turn in tracked(bare, run.progress, "inferring acts", every=100):
        one = posterior(networks, encoder, replies, turn.view, turn.reply)
        user = np.exp(softened(_two_sided(one.read.user_labels), of_user))[:, 1]
        labels = np.exp(softened(one.log_labels[None], of_labels))[0]
        found.append(_Inferred(turn, one, user, labels))
    return found


def _two_sided(shares: Floats) -> Floats:
    """Return the log probabilities (u, 2) of not having and of having each label."""
    safe = np.clip(shares, 1e-6, 1 - 1e-6)
    return np.stack([np.log1p(-safe), np.log(safe)], axis=1)


def _rows(
    inferred: Sequence[_Inferred],
    encoder: TurnEncoder,
    validation: Sequence[AnsweredTurn],
    networks: Sequence[TurnNetwork],
    recipe: AgentRecipe,
) -> list[TurnRow]:
    """Return the turns that are trusted as the networks learn them: probabilities in place of the truth."""
    semi = recipe.semi_supervised
    guesses = []
    for turn in validation:
        shares = probabilities(networks, encoder.row(turn.view)).user_labels
        best = int(shares.argmax())
        guesses.append(Guess(float(shares[best]), USER_LABELS[best] in turn.truth.user_labels))
    kept = trusted_share(guesses, semi.cost)
    intents = [
        (int(one.user_labels.argmax()) if semi.balanced else 0, float(one.user_labels.max())) for one in inferred
    ]
    levels = balanced_levels(intents, kept)
    rows = []
    for one, (kind, confidence) in zip(inferred, intents, strict=True):
        if confidence < levels.get(kind, math.inf):
            continue
        read, row = one.found.read, encoder.row(one.turn.view, one.turn.truth)
        row = row._replace(user_labels=one.user_labels, asked=read.asked, wanted=read.wanted, label_set=-1)
        if semi.staff_acts:
            likely = int(one.labels.argmax())
            row = row._replace(told=one.found.told, label_set=likely if one.labels[likely] >= semi.sure else -1)
        rows.append(row)
    return rows
