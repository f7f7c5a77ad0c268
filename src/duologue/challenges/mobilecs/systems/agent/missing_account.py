"""Questions about the user's own account that the knowledge base cannot answer: values of products are no answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from duologue.challenges.mobilecs.schema.ontology import BALANCES, USER, VOLUME
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.challenges.mobilecs.systems.agent.product_words import is_name, plain

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.kb_pieces import KbPiece
    from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction

_ACCOUNT = (
    (
        re.compile("(?:查|看)[^，]{0,6}(?:话费|余额)|(?:话费|余额|卡里)[^，]{0,4}(?:多少|还有|剩)|欠(?:了|费|着)?多少"),
        frozenset({*BALANCES, "账户余额", "账户余额（欠费）", "欠费"}),
    ),
    (re.compile("剩[^，]{0,4}流量|流量[^，]{0,4}剩"), frozenset({"流量余额", VOLUME})),
)
"""How the balance and the data left are asked for, and the user's slots that may answer."""
_SLOTS = frozenset[str]().union(*(slots for _, slots in _ACCOUNT))
REPLIES = ("您账户的这个情况我这边暂时查不到，您稍后可以再核对一下", "这个在您的账户里面我这边暂时看不到")
"""What is said instead."""


def is_missing(view: CallView, action: StaffAction) -> bool:
    """Whether an action tells something else for what the user asks of the account, of which the base has nothing.

    A product that is named is no account, and its name no answer that could be taken for one.
    """
    text = plain(view.last)
    asked = frozenset[str]().union(*(slots for question, slots in _ACCOUNT if question.search(text)))
    if not asked or any(_is_named(view.pieces[number]) for number in view.said_now):
        return False
    if any(one.owner == USER and one.slot in asked for one in view.pieces):
        return False
    told = [view.pieces[number] for number in action.tells]
    return any(one.slot != NAME if one.is_entity else one.slot in _SLOTS for one in told)


def _is_named(piece: KbPiece) -> bool:
    return piece.is_entity and piece.slot == NAME and any(is_name(plain(one)) for one in piece.names)
