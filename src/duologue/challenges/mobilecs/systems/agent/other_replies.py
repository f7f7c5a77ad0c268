"""Training calls as if somebody else had served them: earlier replies that tell other things than people did.

An agent goes on from its own replies, and users ask what they ask in the record of the call, told or not. A network
that has only seen people's replies takes what was told for what nobody asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema.ontology import CONSULT
from duologue.challenges.mobilecs.systems.agent.call_view import CallView

if TYPE_CHECKING:
    from duologue.core.rng import Rng

_SILENT = 0.4
"""Share of the other replies that tell nothing."""


def with_other_replies(view: CallView, share: float, rng: Rng) -> CallView:
    """Return a view in which a share of the earlier replies tells a piece drawn from the base, or nothing."""
    tellable = [piece for piece in view.pieces if piece.owner != CONSULT]
    if not tellable:
        return view
    staff = []
    for reply in view.staff:
        if rng.happens(share):
            staff.append("" if rng.happens(_SILENT) else rng.choice(rng.choice(tellable).values))
        else:
            staff.append(reply)
    return CallView(list(zip(view.users, staff, strict=True)), view.last, view.base)
