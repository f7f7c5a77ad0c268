"""The user's intents with arguments, from the probabilities of a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema.intents import CONFIRM, USER_LABELS, WITH_ARGUMENTS
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.core.records import Act

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe


def user_acts(
    view: CallView, labels: NDArray[np.float32], asked: NDArray[np.float32], recipe: AgentRecipe
) -> tuple[Act, ...]:
    """Return the acts of the user's last utterance.

    Arguments belong to the first label that may have some, in the order in which the official preprocessing looks for
    one; where none is likely, they bring the most likely.
    """
    chosen = {
        label for label, share in zip(USER_LABELS, labels.tolist(), strict=True) if share >= recipe.intent_threshold
    }
    arguments = tuple(
        dict.fromkeys(
            piece.argument
            for piece, share in zip(view.pieces, asked.tolist(), strict=True)
            if share >= recipe.argument_threshold and not (piece.is_entity and piece.slot == NAME)
        )
    )
    if arguments and not chosen & {*WITH_ARGUMENTS}:
        chosen.add(max(WITH_ARGUMENTS, key=lambda label: (labels[USER_LABELS.index(label)], label == CONFIRM)))
    if not chosen:
        chosen.add(USER_LABELS[int(labels.argmax())])
    bearer = next((label for label in WITH_ARGUMENTS if label in chosen), None)
    return tuple(
        Act(speaker="user", name=label, args=arguments if label == bearer else ())
        for label in USER_LABELS
        if label in chosen
    )
