"""The code of the hybrid code network: what was said of the entities, and what a candidate makes of it.

Written by hand, as Williams et al. 2017 (section 2) let a developer do it: the latest value that the user named in each
field, the restaurants listed and proposed with their ratings, and which candidates cannot be said yet. Values are found
as words of the knowledge base; which of two in one sentence is meant, the code does not know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.restaurant.knowledge.facts import parse_fact

if TYPE_CHECKING:
    from duologue.challenges.restaurant.systems.trained_ranker.delex import DelexUtterance, KbLexicon
    from duologue.core.records import Fact, Turn

FITS = (
    "all its values are the latest",
    "share of its values that are the latest",
    "its restaurant is rated highest of those not proposed",
    "its restaurant was named last",
    "its restaurant was proposed first",
    "its restaurant was proposed last but one",
    "its restaurant was proposed last",
    "its restaurant is listed",
)
"""Names of the numbers that `EntityTracker.fit` returns."""
_RATING = "rating"


class EntityTracker:
    """Entities of a dialogue, turn by turn."""

    def __init__(self, lexicon: KbLexicon) -> None:
        self._lexicon = lexicon
        self._latest: dict[int, int] = {}
        """The number of the latest value by field."""
        self._ratings: dict[str, float] = {}
        self._proposed: dict[str, None] = {}
        self._named: str | None = None

    def observe(self, turn: Turn) -> DelexUtterance | None:
        """Take a turn in and return it delexicalised, a fact line as `None`."""
        fact = parse_fact(turn.text) if turn.speaker == "api" else None
        if fact is not None:
            self._list(fact)
            return None
        said = self._lexicon.delexicalise(turn.text)
        if turn.speaker == "user":
            self._latest.update((value.field, value.pair) for value in said.values)
        elif turn.speaker == "system" and said.subject in self._ratings and said.item is None:
            self._proposed.setdefault(said.subject, None)
        self._named = said.subject or self._named
        return said

    def flags(self) -> list[str]:
        """Return the context features: the fields that have a value, and what there is of restaurants."""
        fields = [f"<has {self._lexicon.fields[field]}>" for field in sorted(self._latest)]
        there = {
            "<listed>": self._ratings,
            "<left>": self._left(),
            "<proposed>": self._proposed,
            "<proposed two>": len(self._proposed) > 1,
            "<named>": self._named,
        }
        return fields + [flag for flag, value in there.items() if value]

    def fit(self, said: DelexUtterance) -> tuple[float, ...]:
        """Return how a candidate fits, one number per entry of `FITS`."""
        hits = sum(self._latest.get(value.field) == value.pair for value in said.values)
        share = hits / len(said.values) if said.values else 0.0
        subject, left, proposed = said.subject, self._left(), list(self._proposed)
        if subject is None:
            return (float(share == 1), share, *[0.0] * (len(FITS) - 2))
        best = max(left, key=self._ratings.__getitem__, default=None)
        return (
            float(share == 1),
            share,
            float(subject == best),
            float(subject == self._named),
            float(proposed[:1] == [subject]),
            float(proposed[-2:-1] == [subject]),
            float(proposed[-1:] == [subject]),
            float(subject in self._ratings),
        )

    def allowed(self, said: DelexUtterance) -> bool:
        """Return whether a candidate can be said: its fields have values, its restaurant is one that was told of."""
        if any(value.field not in self._latest for value in said.values):
            return False
        return said.subject is None or said.subject in self._ratings or said.subject == self._named

    def _left(self) -> list[str]:
        return [subject for subject in self._ratings if subject not in self._proposed]

    def _list(self, fact: Fact) -> None:
        self._ratings.setdefault(fact.subject, float("-inf"))
        if fact.relation == _RATING:
            text = str(fact.object)
            self._ratings[fact.subject] = float(text) if text.isdecimal() and text.isascii() else float("-inf")
