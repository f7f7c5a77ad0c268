"""The answer where the user means a product that is not there: it is not found, and which one is meant is asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from duologue.challenges.mobilecs.schema.intents import ASK, QUERY, USER_LABELS
from duologue.challenges.mobilecs.schema.ontology import CONSULT, USER
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.challenges.mobilecs.systems.agent.staff_policy import StaffAction, merits_of

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.network import TurnProbabilities
    from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe
    from duologue.challenges.mobilecs.systems.agent.unknown_products import UnknownProduct
    from duologue.core.records import Answer

_LABELS = ("通知", "询问")
_REPLIES = (
    "这边没有查到您说的这个业务，请问您问的是哪一个",
    "您说的这个我这边查不到，麻烦您再说一下业务的名称",
    "系统里面看不到您说的这个业务，您看是不是别的名称呢",
)
_BESIDE = "您说的另外一个这边没有查到，请问是哪一个"
_LISTS = re.compile("什么|哪些|哪几|啥")
_ASKS = 0.5
"""Probability of a question from which it is answered that the product is not found."""


def is_listing(view: CallView, read: TurnProbabilities, unknown: UnknownProduct) -> bool:
    """Whether the user asks which products of a type there are, rather than for one."""
    if unknown.is_asked or not _LISTS.search(view.last):
        return False
    types = [float(read.wanted[number]) for number, one in enumerate(view.pieces) if one.owner == CONSULT]
    slots = [float(read.wanted[number]) for number, one in enumerate(view.pieces) if one.is_entity and one.slot != NAME]
    return max(types, default=0.0) > max(slots, default=0.0)


def is_asked_for(view: CallView, read: TurnProbabilities, unknown: UnknownProduct, recipe: AgentRecipe) -> bool:
    """Whether the user wants to know something of the product: so the words say, or it would be told of others."""
    if unknown.is_asked:
        return True
    merits = merits_of(view, read, recipe.request_weight).tolist()
    of_others = max((merits[n] for n, one in enumerate(view.pieces) if one.owner in unknown.others), default=0.0)
    of_user = max((merits[n] for n, one in enumerate(view.pieces) if one.owner == USER), default=0.0)
    if of_others >= recipe.tell:
        return of_others >= of_user
    asks = max(float(read.user_labels[USER_LABELS.index(label)]) for label in (ASK, QUERY))
    return unknown.is_named and asks >= _ASKS and of_user < recipe.tell


def asking_back(view: CallView, action: StaffAction, unknown: UnknownProduct) -> StaffAction:
    """Return the action that asks which product is meant, and tells what is told of those that are named beside it."""
    return StaffAction(_LABELS, tuple(one for one in action.tells if view.pieces[one].owner in unknown.known))


def not_found(answer: Answer, view: CallView) -> Answer:
    """Return the answer that a product is not found, after what is told of others, each of which is called by name.

    Where nothing is, it is in words that the call has not had, if there are any left.
    """
    facts = answer.annotation.facts if answer.annotation is not None else ()
    if not facts:
        return replace(answer, text=view.unsaid(_REPLIES))
    told = answer.text or ""
    unnamed = "和".join(dict.fromkeys(one.subject for one in facts if one.subject not in told))
    return replace(answer, text="，".join(filter(None, (unnamed, told, _BESIDE))))
