"""Training of the agent on dialogues with and without intents: pre-training, teachers, posteriors, then all together.

A round is one of expectation and maximisation: the networks of the last one and the likelihoods of replies give the
posterior of every turn without intents; turns that are trusted then teach new networks, and the likelihoods are
counted anew.
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from duologue.challenges.mobilecs.schema.intents import USER_LABELS
from duologue.challenges.mobilecs.systems.agent.latent_acts import (
    LabelledTurn,
    evidence,
    fitting_weights,
    posterior,
    reply_likelihoods,
)
from duologue.challenges.mobilecs.systems.agent.network import (
    BareRow,
    all_probabilities,
    bare_learner,
    learner,
    new_network,
)
from duologue.challenges.mobilecs.systems.agent.reply_model import reply_terms
from duologue.challenges.mobilecs.systems.agent.slot_cues import SlotCues
from duologue.challenges.mobilecs.systems.agent.trainer import new_encoder, parted_turns, size_of, turn_vocabulary
from duologue.challenges.mobilecs.systems.calibration import (
    Guess,
    balanced_levels,
    trusted_share,
)
from duologue.core.held_out import draw_order, split_by_group
from duologue.core.progress import tracked
from duologue.models.train import TrainConfig, train

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from duologue.challenges.mobilecs.systems.agent.latent_acts import ReplyLikelihoods, TurnPosterior
    from duologue.challenges.mobilecs.systems.agent.network import TurnNetwork
    from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
    from duologue.challenges.mobilecs.systems.agent.semi_supervised_recipe import LatentActsRecipe
    from duologue.challenges.mobilecs.systems.agent.staff_templates import AnsweredTurn
    from duologue.challenges.mobilecs.systems.agent.turn_encoder import TurnEncoder, TurnRow
    from duologue.core.protocols import Run

_WANTED = 0.4
"""Posterior probability from which a told piece counts for the cues of its slot."""
_APART = 0.05
"""Share of the bare dialogues that chooses the best weights of the pre-training."""


class SemiSupervisedParts(NamedTuple):
    """What was learned, and the turns whose replies give the wording."""

    encoder: TurnEncoder
    networks: list[TurnNetwork]
    turns: list[AnsweredTurn]


class _Turns(NamedTuple):
    """Turns with their rows."""

    turns: Sequence[AnsweredTurn]
    rows: list[TurnRow]


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
    slots = {piece.slot for one in bare for piece in one.view.pieces}
    vocabulary = msgspec.structs.replace(vocabulary, slots=sorted({*vocabulary.slots, *slots}))
    encoder = new_encoder(vocabulary, SlotCues.of((one.view, one.truth.wanted) for one in learned), recipe)
    known = _Turns(learned, [encoder.row(one.view, one.truth, counted=True) for one in learned])
    tests = _Turns(validation, [encoder.row(one.view, one.truth) for one in validation])
    read = tracked(bare, run.progress, "reading turns", every=100)
    unknown = _Turns(bare, [_unknown(encoder.row(one.view, one.truth)) for one in read])
    begun = _begun(encoder, unknown, recipe, run)
    networks = _trained(begun, known.rows, [], tests.rows, recipe, run.part("teachers"))
    certain, sets = _certain(known, len(vocabulary.label_sets)), len(vocabulary.label_sets)
    likely = reply_likelihoods(certain, sets)
    inferred: list[LabelledTurn] = []
    for number in range(semi.rounds):
        found = _posteriors(networks, likely, unknown, tests, run)
        inferred = [
            LabelledTurn(turn, one.user_labels, one.labels, one.wanted) for turn, one in zip(bare, found, strict=True)
        ]
        trusted = _trusted(found, tests, networks, recipe)
        if semi.cues:
            encoder, known, tests, unknown = _recued(encoder, recipe, known, tests, unknown, inferred)
        taught = [
            _taught(row, one, semi, is_trusted=is_trusted)
            for row, one, is_trusted in zip(unknown.rows, found, trusted, strict=True)
        ]
        networks = _trained(begun, known.rows, taught, tests.rows, recipe, run.part(f"round-{number}"))
        likely = reply_likelihoods([*certain, *inferred], sets)
    wording = list(turns)
    for one in inferred if semi.staff_acts else ():
        truth = one.turn.truth._replace(staff_labels=vocabulary.label_sets[int(one.labels.argmax())])
        wording.append(one.turn._replace(truth=truth))
    return SemiSupervisedParts(encoder, networks, wording)


def _unknown(row: TurnRow) -> TurnRow:
    """Return the row of a turn of which nothing is known but what its reply tells."""
    user, asked, wanted = (np.full_like(one, np.nan) for one in (row.user_labels, row.asked, row.wanted))
    return row._replace(user_labels=user, asked=asked, wanted=wanted, label_set=-1)


def _begun(encoder: TurnEncoder, bare: _Turns, recipe: AgentRecipe, run: Run) -> list[TurnNetwork]:
    """Return the networks of the ensemble as pre-training leaves them."""
    semi = recipe.semi_supervised
    members = [
        new_network(size_of(encoder.vocabulary, recipe), run.seed * 1000 + number) for number in range(recipe.members)
    ]
    if not semi.pre_training:
        return members
    each = [reply_terms(one.view, one.reply) for one in bare.turns]
    counts = Counter(term for terms in each for term in terms)
    chosen = sorted(counts, key=lambda one: (-counts[one], one))[: semi.reply_terms]
    numbers = {term: number for number, term in enumerate(chosen)}
    rows = [
        (turn.dialogue, BareRow(row, np.array([numbers[one] for one in terms if one in numbers], dtype=np.int32)))
        for turn, row, terms in zip(bare.turns, bare.rows, each, strict=True)
    ]
    names = draw_order((name for name, _ in rows), run.seed)
    apart = set(names[: max(1, round(_APART * len(names)))])
    taught, judged = split_by_group(rows, lambda one: one[0], apart)
    config = TrainConfig.of(recipe, choose="loss", epochs=semi.pre_training, batch=semi.batch)
    for number, network in enumerate(members):
        task = bare_learner(network, len(chosen), run.seed * 1000 + number)
        part = run.part(f"pre-training-{number}", run.seed * 1000 + number)
        train(task, [row for _, row in taught], [row for _, row in judged], config, part)
    return members


def _trained(
    begun: Sequence[TurnNetwork],
    rows: Sequence[TurnRow],
    taught: Sequence[TurnRow],
    tests: Sequence[TurnRow],
    recipe: AgentRecipe,
    run: Run,
) -> list[TurnNetwork]:
    """Return the networks of the ensemble, trained on from where they began: on taught turns, then on labelled ones."""
    semi = recipe.semi_supervised
    first = TrainConfig.of(recipe, choose="loss", epochs=semi.epochs, batch=semi.batch)
    then = TrainConfig.of(recipe, choose="loss")
    networks = []
    for member, start in enumerate(begun):
        network = copy.deepcopy(start)
        part = run.part(f"turns-{member}", run.seed * 1000 + member)
        if taught:
            train(learner(network), taught, tests, first, part.part("taught"))
        train(learner(network), rows, tests, then, part)
        networks.append(network.eval())
    return networks


def _certain(known: _Turns, label_sets: int) -> list[LabelledTurn]:
    """Return the labelled turns with a reply and a set of staff labels that is told apart."""
    sets = np.eye(label_sets, dtype=np.float32)
    return [
        LabelledTurn(one, row.user_labels, sets[row.label_set], row.wanted)
        for one, row in zip(known.turns, known.rows, strict=True)
        if row.label_set >= 0 and one.reply
    ]


def _posteriors(
    networks: Sequence[TurnNetwork], likely: ReplyLikelihoods, bare: _Turns, tests: _Turns, run: Run
) -> list[TurnPosterior]:
    """Return the posteriors of turns without intents; replies count as much as fits held-out turns best."""
    judged, found = (
        [
            evidence(networks, read, likely, turn)
            for turn, read in zip(part.turns, all_probabilities(networks, part.rows), strict=True)
        ]
        for part in (tests, bare)
    )
    weights = fitting_weights(judged, [row.user_labels for row in tests.rows], [row.label_set for row in tests.rows])
    return [posterior(one, weights) for one in tracked(found, run.progress, "inferring acts", every=100)]


def _trusted(
    found: Sequence[TurnPosterior], tests: _Turns, networks: Sequence[TurnNetwork], recipe: AgentRecipe
) -> list[bool]:
    """Return of which turns the user's intents are trusted."""
    semi = recipe.semi_supervised
    guesses = []
    for turn, read in zip(tests.turns, all_probabilities(networks, tests.rows), strict=True):
        best = int(read.user_labels.argmax())
        guesses.append(Guess(float(read.user_labels[best]), USER_LABELS[best] in turn.truth.user_labels))
    intents = [(int(one.user_labels.argmax()) if semi.balanced else 0, float(one.user_labels.max())) for one in found]
    levels = balanced_levels(intents, trusted_share(guesses, semi.cost))
    return [confidence >= levels.get(kind, math.inf) for kind, confidence in intents]


def _recued(
    encoder: TurnEncoder,
    recipe: AgentRecipe,
    known: _Turns,
    tests: _Turns,
    bare: _Turns,
    inferred: Sequence[LabelledTurn],
) -> tuple[TurnEncoder, _Turns, _Turns, _Turns]:
    """Return the encoder with cues counted in turns without intents, too, and all rows with them."""
    wanted = [set(np.flatnonzero(one.wanted >= _WANTED).tolist()) & one.turn.truth.told for one in inferred]
    counted = [
        *((one.view, one.truth.wanted) for one in known.turns),
        *((one.turn.view, own) for one, own in zip(inferred, wanted, strict=True)),
    ]
    encoder = new_encoder(encoder.vocabulary, SlotCues.of(counted), recipe)

    def of(part: _Turns, own: Sequence[Collection[int] | None]) -> _Turns:
        rows = [
            encoder.recued(row, turn.view, pieces) for turn, row, pieces in zip(part.turns, part.rows, own, strict=True)
        ]
        return _Turns(part.turns, rows)

    return (
        encoder,
        of(known, [one.truth.wanted for one in known.turns]),
        of(tests, [None for _ in tests.turns]),
        of(bare, wanted),
    )


def _taught(row: TurnRow, found: TurnPosterior, semi: LatentActsRecipe, *, is_trusted: bool) -> TurnRow:
    """Return a turn as the networks learn it: probabilities in place of the truth, where they are trusted."""
    if semi.user_intents and is_trusted:
        row = row._replace(user_labels=found.user_labels)
    if not semi.staff_acts:
        return row
    likely = int(found.labels.argmax())
    label_set = likely if found.labels[likely] >= semi.sure else -1
    return row._replace(wanted=found.wanted, label_set=label_set)
