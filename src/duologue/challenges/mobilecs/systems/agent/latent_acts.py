"""Staff acts and told pieces of turns without intents, as latent variables.

The joint probability of a label set, a told piece (or none) and the reply is p(piece | context) p(labels | context,
piece) p(reply | labels, piece); both networks' factors come from the turn network, the last from `reply_model`. The
pieces that a reply can have told are few, so the posterior is exact: a table of pieces by label sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.mobilecs.systems.agent.network import label_shares, probabilities
from duologue.challenges.mobilecs.systems.agent.reply_model import reply_terms
from duologue.challenges.mobilecs.systems.agent.turn_encoder import told_summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.network import TurnNetwork, TurnProbabilities
    from duologue.challenges.mobilecs.systems.agent.reply_model import ReplyModel
    from duologue.challenges.mobilecs.systems.agent.turn_encoder import TurnEncoder

    Floats = NDArray[np.float32]

_MISSED = 0.02
"""Probability that a reply has a piece's value in its words without telling it."""


class TurnPosterior(NamedTuple):
    """What a turn without intents is inferred to be."""

    read: TurnProbabilities
    """What the networks make of the context alone."""
    log_labels: Floats
    """Log posterior (k,) of the label sets."""
    told: Floats
    """Posterior (c,) of each piece being told."""


def posterior(
    networks: Sequence[TurnNetwork], encoder: TurnEncoder, replies: ReplyModel, view: CallView, reply: str
) -> TurnPosterior:
    """Return the exact posterior of a turn's label set and told pieces, given its reply."""
    read = probabilities(networks, encoder.row(view))
    spoken = view.spoken(reply)
    certain = {one.pieces[0] for one in spoken if len(one.pieces) == 1}
    doubtful = sorted({number for one in spoken if len(one.pieces) > 1 for number in one.pieces} - certain)
    ways = [(*sorted(certain), one) for one in doubtful] + [tuple(sorted(certain))]
    shares = label_shares(networks, read.states, np.stack([told_summary(view, way) for way in ways]))  # (j, k)
    chances = [float(read.told[one]) for one in doubtful] + [_MISSED if doubtful else 1.0]
    joint = np.log(np.maximum(chances, 1e-6))[:, None] + np.log(shares + 1e-6)
    joint = joint + replies.log_likelihood(reply_terms(view, reply))[None]
    joint -= joint.max()
    table = np.exp(joint)
    table /= table.sum()
    told = np.zeros(len(view.pieces), dtype=np.float32)
    told[sorted(certain)] = 1
    told[doubtful] = table.sum(1)[:-1]
    return TurnPosterior(read, np.log(table.sum(0) + 1e-9).astype(np.float32), told)
