"""Rows of the hybrid code network: a step per turn of the user, an action template and its entities per candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from duologue.challenges.restaurant.systems.hybrid_code.entity_tracker import FITS, EntityTracker
from duologue.challenges.restaurant.systems.hybrid_code.network import HybridRow
from duologue.challenges.restaurant.systems.trained_ranker.delex import VALUE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.challenges.restaurant.systems.trained_ranker.bags import BagTable
    from duologue.challenges.restaurant.systems.trained_ranker.delex import DelexUtterance, KbLexicon
    from duologue.core.records import Sample

OTHER = 0
"""Number of all action templates that no right answer of the training has."""


def hybrid_row(
    sample: Sample, lexicon: KbLexicon, table: BagTable, actions: Mapping[str, int], *, target: int = -1
) -> HybridRow:
    """Return a sample as numbers of bags in the table and of `actions`; `target` is the place of the right candidate.

    The bag of a step holds the user's words, the bot's action before them, and the context features after them.
    """
    tracker, steps, before = EntityTracker(lexicon), [], ""
    for turn in sample.history:
        said = tracker.observe(turn)
        if said is not None and turn.speaker == "system":
            before = action_of(said)
        elif said is not None and turn.speaker == "user":
            steps.append(table.number([*said.tokens, f"<after {before}>", *tracker.flags()]))
    offered = [lexicon.delexicalise(candidate.text) for candidate in sample.candidates]
    return HybridRow(
        steps=np.array(steps or [table.number(tracker.flags())], np.int32),
        actions=np.array([actions.get(action_of(said), OTHER) for said in offered], np.int32),
        fits=np.array([tracker.fit(said) for said in offered], np.float32).reshape(-1, len(FITS)),
        allowed=np.array([tracker.allowed(said) for said in offered], np.bool_),
        target=target,
    )


def action_of(said: DelexUtterance) -> str:
    """Return the action template of an utterance: its tokens without entities, values side by side as one.

    A call of six values has the template of one of five.
    """
    tokens = [*said.tokens[:1]]
    tokens += [one for last, one in zip(said.tokens, said.tokens[1:], strict=False) if one != VALUE or last != VALUE]
    return " ".join(tokens)
