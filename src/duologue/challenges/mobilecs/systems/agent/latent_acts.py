"""What a turn without intents is inferred to be from its reply: staff acts, told pieces, and what the user wants.

The joint probability of a label set, a told piece (or none) and the reply is p(piece | context) p(labels | context,
piece) p(reply | labels); the first two come from the turn network, the last from `reply_model`. The pieces that a
reply can have told are few, so the posterior is exact: a table of pieces by label sets. Each intent of the user and
each wanted piece has two values, so theirs are exact, too: p(intent | context) p(reply | intent), and p(wanted |
context) p(told | wanted). Pieces of text are not independent, as the model of replies takes them to be; so its
likelihoods count with an exponent that fits held-out turns best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.mobilecs.schema.intents import ASK, QUERY, USER_LABELS
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.challenges.mobilecs.systems.agent.network import label_shares
from duologue.challenges.mobilecs.systems.agent.reply_model import reply_model, reply_terms
from duologue.challenges.mobilecs.systems.agent.turn_encoder import told_summary
from duologue.core.sums import added
from duologue.metrics.softmax import softmax

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.network import TurnNetwork, TurnProbabilities
    from duologue.challenges.mobilecs.systems.agent.reply_model import ReplyModel
    from duologue.challenges.mobilecs.systems.agent.staff_templates import AnsweredTurn

    Floats = NDArray[np.float32]

_MISSED = 0.02
"""Probability that a reply has a piece's value in its words without telling it."""
_WEIGHTS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 1.0)
"""Exponents that are tried."""


class LabelledTurn(NamedTuple):
    """A turn with what is known, or thought, of it, as probabilities."""

    turn: AnsweredTurn
    user_labels: Floats
    """(u,)."""
    labels: Floats
    """(k,): of the sets of staff labels."""
    wanted: Floats
    """(c,)."""


class ReplyLikelihoods(NamedTuple):
    """How likely replies are for what they answer and do."""

    of_staff: ReplyModel
    """Under each set of staff labels."""
    of_user: ReplyModel
    """Under each intent of the user: not having it, then having it."""
    told: tuple[float, float]
    """Probability that a piece that is open is told though it is not wanted, and because it is."""
    wanted: float
    """Probability that an open piece is wanted by a user who asks something."""


class TurnEvidence(NamedTuple):
    """What speaks for each explanation of a turn."""

    read: TurnProbabilities
    """What the networks make of the context alone."""
    ways: list[tuple[int, ...]]
    """Pieces that the reply may have told: j ways."""
    joint: Floats
    """Log probability (j, k) of each with each label set, without the reply's words."""
    staff: Floats
    """Log likelihood (k,) of these."""
    user: Floats
    """Log likelihood (2, u) of the words without and with each intent of the user."""
    wanted: Floats
    """Posterior (c,) of each piece being wanted."""


class ReplyWeights(NamedTuple):
    """Exponents of the likelihoods of a reply's words."""

    staff: float
    user: float


class TurnPosterior(NamedTuple):
    """What a turn without intents is inferred to be."""

    user_labels: Floats
    """Posterior (u,) of each intent of the user."""
    labels: Floats
    """Posterior (k,) of the label sets."""
    told: Floats
    """Posterior (c,) of each piece being told."""
    wanted: Floats
    """Posterior (c,) of each piece being wanted."""


def reply_likelihoods(turns: Sequence[LabelledTurn], label_sets: int) -> ReplyLikelihoods:
    """Return the likelihoods, counted in turns."""
    staff, user = [], []
    told, pieces = np.full(2, 0.5), np.full(2, 1.0)
    asking = np.array([0.5, 10.0])
    for one in turns:
        terms = reply_terms(one.turn.view, one.turn.reply)
        staff.append((terms, one.labels))
        user.append((terms, np.concatenate([1 - one.user_labels, one.user_labels])))
        eligible = open_pieces(one.turn.view)
        said = np.array([number in one.turn.truth.told for number in eligible], dtype=np.float32)
        wanted = one.wanted[eligible]
        for place, shares in enumerate((1 - wanted, wanted)):
            told[place] += float(shares @ said)
            pieces[place] += float(shares.sum())
        asking += asks(one.user_labels) * np.array([float(wanted.sum()), len(eligible)])
    unasked, asked = (told / pieces).tolist()
    intents = reply_model(user, 2 * len(USER_LABELS))
    return ReplyLikelihoods(reply_model(staff, label_sets), intents, (unasked, asked), float(asking[0] / asking[1]))


def open_pieces(view: CallView) -> list[int]:
    """Return the pieces that could be news to the user: no names, and nothing that was said or told."""
    known = view.said_now.union(*view.told_before)
    return [n for n, one in enumerate(view.pieces) if one.slot != NAME and n not in known]


def asks(user_labels: Floats) -> float:
    """Return the probability that the user asks something, given that of each intent (u,)."""
    return float(max(user_labels[USER_LABELS.index(QUERY)], user_labels[USER_LABELS.index(ASK)]))


def evidence(
    networks: Sequence[TurnNetwork], read: TurnProbabilities, likely: ReplyLikelihoods, turn: AnsweredTurn
) -> TurnEvidence:
    """Return what speaks for each explanation of a turn, given what the networks read and the reply."""
    view = turn.view
    spoken = view.spoken(turn.reply)
    certain = {one.pieces[0] for one in spoken if len(one.pieces) == 1}
    doubtful = sorted({number for one in spoken if len(one.pieces) > 1 for number in one.pieces} - certain)
    ways = [(*sorted(certain), one) for one in doubtful] + [tuple(sorted(certain))]
    shares = label_shares(networks, read.states, np.stack([told_summary(view, way) for way in ways]))  # (j, k)
    chances = [float(read.told[one]) for one in doubtful] + [_MISSED if doubtful else 1.0]
    joint = np.log(np.maximum(chances, 1e-6))[:, None] + np.log(shares + 1e-6)
    terms = reply_terms(view, turn.reply)
    return TurnEvidence(
        read=read,
        ways=ways,
        joint=joint.astype(np.float32),
        staff=likely.of_staff.log_likelihood(terms),
        user=likely.of_user.log_likelihood(terms).reshape(2, -1),
        wanted=_wanted(turn, read, likely),
    )


def _wanted(turn: AnsweredTurn, read: TurnProbabilities, likely: ReplyLikelihoods) -> Floats:
    """Return the posterior (c,) of each piece being wanted; one that is no news is not."""
    found = np.zeros(len(turn.view.pieces), dtype=np.float32)
    eligible = open_pieces(turn.view)
    said = np.array([number in turn.truth.told for number in eligible], dtype=np.bool_)
    prior = np.maximum(read.wanted[eligible], asks(read.user_labels) * likely.wanted)
    unasked, asked = (np.where(said, share, 1 - share) for share in likely.told)
    found[eligible] = asked * prior / (asked * prior + unasked * (1 - prior) + 1e-9)
    return found


def posterior(found: TurnEvidence, weights: ReplyWeights) -> TurnPosterior:
    """Return the exact posterior of a turn."""
    table = softmax(found.joint + weights.staff * found.staff[None], axis=None)
    told = np.zeros(len(found.wanted), dtype=np.float32)
    for way, share in zip(found.ways, table.sum(1).tolist(), strict=True):
        told[list(way)] += share
    user = np.exp(-np.logaddexp(0, -_log_odds(found, weights.user)))
    return TurnPosterior(user.astype(np.float32), table.sum(0), np.minimum(told, 1), found.wanted)


def fitting_weights(
    found: Sequence[TurnEvidence], user_labels: Sequence[Floats], label_sets: Sequence[int]
) -> ReplyWeights:
    """Return the exponents under which held-out turns, with the user's intents (u,) and sets, are most probable."""
    known = [(one, number) for one, number in zip(found, label_sets, strict=True) if number >= 0]

    def of_staff(weight: float) -> float:
        tried = ReplyWeights(weight, 0.0)
        return added(float(np.log(posterior(one, tried).labels[number] + 1e-9)) for one, number in known)

    def of_user(weight: float) -> float:
        each = (
            -np.logaddexp(0, np.where(labels > 0, -1, 1) * _log_odds(one, weight)).sum()
            for one, labels in zip(found, user_labels, strict=True)
        )
        return added(each)

    return ReplyWeights(max(_WEIGHTS, key=of_staff), max(_WEIGHTS, key=of_user))


def _log_odds(found: TurnEvidence, weight: float) -> Floats:
    """Return the log odds (u,) of the user's intents."""
    shares = np.clip(found.read.user_labels, 1e-6, 1 - 1e-6)
    odds: Floats = np.log(shares) - np.log1p(-shares) + weight * (found.user[1] - found.user[0])
    return odds
