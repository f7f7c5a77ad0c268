"""The card of a customer: what they want to hear, and what they know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.knowledge.goal import goal_of
from duologue.challenges.mobilecs.live.ui_text import phrase
from duologue.challenges.mobilecs.schema.english import bilingual
from duologue.challenges.mobilecs.schema.ontology import CONSULT, USER
from duologue.challenges.mobilecs.simulator.requests import requests_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.challenges.mobilecs.simulator.requests import Request


class GoalCard:
    """The official goal and knowledge base of a call, as its customer reads them in a language."""

    def __init__(self, goal: Mapping[str, Any], base: Mapping[str, Mapping[str, str]], lang: str) -> None:
        self._goal, self._base, self._lang = goal, base, lang
        self.requests = [one for one in requests_of(goal, base) if one.values]
        """What can be asked for and answered."""

    def lines(self) -> list[str]:
        """Return what the customer wants to hear and what they know, a line each."""
        lines = []
        for number, one in enumerate(self.requests, start=1):
            lines.append(phrase(self._lang, "wanted", number=number, what=self.named(one)))
            known = self._known(one.owner)
            if known:
                lines.append(phrase(self._lang, "known", known=known))
        return lines or [phrase(self._lang, "no-goal")]

    def named(self, request: Request) -> str:
        """Return what a request asks for: the service by a name that the goal has, then the slot."""
        if request.owner in {USER, CONSULT}:
            return bilingual(request.slot)
        named = self._goal[request.owner].get("name") or self._base[request.owner].get("name", "")
        return f"{named.split(',')[0] or request.owner} {bilingual(request.slot)}"

    def _known(self, owner: str) -> str:
        """Return what the goal says of a service beside what is asked for: its type and the values told."""
        items = goal_of({owner: self._goal[owner]})
        if items is None or owner == CONSULT:
            return ""
        (item,) = items.items
        kind = [bilingual(item.kind)] if item.kind and item.kind.strip() else []
        told = [f"{bilingual(slot)} {value}" for slot, value in item.known.items() if slot != "name"]
        return ", ".join(kind + told)
