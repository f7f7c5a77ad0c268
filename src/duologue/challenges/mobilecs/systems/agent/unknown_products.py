"""Products that a user names and the knowledge base does not have: what is told of another one would be wrong.

Such a name is found by the kind of product at its end (青竹套餐) or the amount before that (八十八元套餐), where it is
no wording of the training calls; by being a name of a product there; and else, before a question, by characters that no
training call has. What the base has a part of is known (青松 for 青松套餐), and so is what is pointed at (这个套餐).
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.mobilecs.schema.ontology import DATA_SERVICES, NOISE
from duologue.challenges.mobilecs.systems.agent.kb_pieces import NAME
from duologue.challenges.mobilecs.systems.agent.product_words import (
    ADVERBS,
    EDGES,
    KIND,
    KINDS,
    NUMBER,
    POINTERS,
    SHORTEST,
    WORDS,
    amount_before,
    is_name,
    own_part,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from duologue.challenges.mobilecs.systems.agent.call_view import CallView
    from duologue.challenges.mobilecs.systems.agent.staff_templates import AnsweredTurn

_SLOT_QUESTION = re.compile(
    "(?:一个月|每个?月|一年|月租|里面|里头|流量|通话)?(?:是|要|得|有|包含|送|(?:可以|能)[打用]?|收|扣)?"
    "(?:多少|多久|多长|怎么收|怎么算|怎么扣|几个)"
)
"""What a name without a kind stands before."""
_QUESTION = re.compile(f"{_SLOT_QUESTION.pattern}|(?:是|的话)?(?:呢|怎么样|怎么回事|什么意思)")
"""What follows a name that is asked about."""
_BREAK = re.compile(f"[{NOISE}]")
_BESIDE = frozenset("和跟与比")
_STRANGE = 6
"""Characters of the longest name without a kind."""
_REACH = 3
"""Turns after which a product that is not there is no longer meant where none is named."""
_COMMON, _MOSTLY = 2, 0.8
"""Training calls whose base has a name that is remembered, and share of the calls saying it that must have it."""


class UnknownProduct(NamedTuple):
    """A product that the user means and the base does not have."""

    others: frozenset[str]
    """Entities of the base that are certainly not meant."""
    known: frozenset[str]
    """Entities that are named beside it."""
    is_named: bool
    """Whether the last utterance has its name with the kind of product."""
    is_asked: bool
    """Whether a question follows its name."""


class _Spoken(NamedTuple):
    own: str
    """What tells it from other products of its kind."""
    start: int
    end: int
    kind: str = ""
    """At its end, if that tells that it is a product."""
    amount: str = ""
    """Before a name."""


class _Said(NamedTuple):
    """What an utterance says of products."""

    text: str
    missing: list[_Spoken]
    """Products that the base does not have."""
    known: set[str]
    """Entities that are named."""
    is_sure: bool = True

    @property
    def is_asked(self) -> bool:
        """Whether a question follows the name of a missing product that is surely one."""
        return self.is_sure and any(_QUESTION.match(self.text, one.end) for one in self.missing)

    @property
    def is_compared(self) -> bool:
        """Whether a missing product stands beside another one."""
        beside = {self.text[at : at + 1] for one in self.missing for at in (max(0, one.start - 1), one.end)}
        return not _BESIDE.isdisjoint(beside)


class ProductNames:
    """Tells names of products from wording."""

    def __init__(self, wording: Iterable[str], names: Sequence[str] = ()) -> None:
        """Take pieces of text that training calls have in common, and names of products there."""
        self._wording = frozenset(wording)
        self.names = tuple(names)
        known = {*filter(None, names), *map(plain, DATA_SERVICES)}
        longest_first = sorted(known, key=lambda one: (-len(one), one))
        self._names = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")

    def unknown(self, view: CallView) -> UnknownProduct | None:
        """Return what the user means now and the base does not have; `None` where it may have what is meant."""
        said = self._said(view, view.last)
        if said.missing:
            if said.known and not (said.is_asked or said.is_compared):
                return None
        elif said.known or not self._is_missing_since(view):
            return None
        names = {one.owner: one.names for one in view.pieces if one.is_entity}
        others = {owner for owner, each in names.items() if any(is_name(plain(name)) for name in each)}
        is_named = any(one.kind for one in said.missing)
        return UnknownProduct(frozenset(others - said.known), frozenset(said.known), is_named, said.is_asked)

    def _is_missing_since(self, view: CallView) -> bool:
        """Whether an earlier turn was about a product that is not there, and nothing since about another."""
        if any(view.pieces[number].is_entity for number in view.said_now):
            return False
        for user, told in list(zip(view.users[-_REACH:], view.told_before[-_REACH:], strict=True))[::-1]:
            if any(view.pieces[number].is_entity and view.pieces[number].slot == NAME for number in told):
                return False
            said = self._said(view, user)
            if said.missing or said.known:
                return not said.known
        return False

    def _said(self, view: CallView, utterance: str) -> _Said:
        held = _Held(view, utterance)
        missing = [one for one in self._named(held.text) if held.lacks(one, self._wording)]
        rest = held.text
        for one in missing:
            rest = f"{rest[: one.start]}{'#' * (one.end - one.start)}{rest[one.end :]}"
        named = [one for one in view.pieces if one.is_entity and one.slot == NAME]
        known = {one.owner for one in named if any(plain(name) in rest for name in one.names)}
        if missing or known:
            return _Said(held.text, missing, known)
        missing = [one for one in self._strange(held.text) if not held.has_part(one) and held.lacks(one, self._wording)]
        return _Said(held.text, missing, known, is_sure=not missing)

    def _named(self, text: str) -> Iterator[_Spoken]:
        """Yield the products that a text names by their kind, or by a name of the training calls."""
        last = 0
        for kind in KIND.finditer(text):
            start, end = kind.span()
            amount, at = amount_before(text, start), max(last, start - SHORTEST)
            if amount is not None:
                yield _Spoken(amount["number"], amount.start(), end, kind[0])
            elif self._is_own(text[at:start], kind[0]):
                before = amount_before(text, at)
                first, number = (before.start(), before["number"]) if before is not None else (at, "")
                yield _Spoken(text[at:start], first, end, kind[0], number)
            last = end
        for name in self._names.finditer(text):
            yield _Spoken(own_part(name[0]), *name.span())

    def _is_own(self, own: str, kind: str) -> bool:
        """Whether what stands before a kind of product is a part of a name, and no wording."""
        if len(own) < SHORTEST or not EDGES.isdisjoint(own) or own[-1] in ADVERBS or own in WORDS:
            return False
        return not KIND.search(own) and not NUMBER.search(own) and own + kind not in self._wording

    def _strange(self, text: str) -> Iterator[_Spoken]:
        """Yield names without a kind: what no training call says, before a question."""
        for question in _SLOT_QUESTION.finditer(text):
            end = start = question.start()
            while start > max(0, end - _STRANGE) and text[start - 1] not in EDGES:
                start -= 1
            own = text[start:end]
            pairs = [one + two for one, two in pairwise(f"#{own}#")]
            is_strange = any(self._wording.isdisjoint(beside) for beside in pairwise(pairs))
            if len(own) >= SHORTEST and is_strange and own[-SHORTEST:] not in WORDS and not KIND.search(own):
                yield _Spoken(own[-SHORTEST:], start, end)


def names_of(turns: Iterable[AnsweredTurn]) -> list[str]:
    """Return the names that are remembered of the products of training calls: those that are little else."""
    held: dict[str, set[str]] = {}
    said: dict[str, list[str]] = {}
    for turn in turns:
        said.setdefault(turn.dialogue, []).append(plain(turn.view.last))
        named = (name for one in turn.view.pieces if one.slot == NAME for name in one.names)
        held.setdefault(turn.dialogue, set()).update(map(plain, named))
    bases = Counter(name for names in held.values() for name in names if _is_remembered(name))
    common = {name for name, times in bases.items() if times >= _COMMON}
    longest = max(map(len, common), default=0)
    spoken_in, known_in = Counter[str](), Counter[str]()
    for dialogue, texts in said.items():
        for name in {one for text in texts for one in _substrings(text, longest) if one in common}:
            spoken_in[name] += 1
            known_in[name] += any(name in one for one in held[dialogue])
    return sorted(name for name in common if known_in[name] >= max(1, _MOSTLY * spoken_in[name]))


def _substrings(text: str, longest: int) -> Iterator[str]:
    for start in range(len(text)):
        for end in range(start + SHORTEST, min(len(text), start + longest) + 1):
            yield text[start:end]


def _is_remembered(name: str) -> bool:
    return is_name(name) and POINTERS.isdisjoint(name) and "的" not in name and not NUMBER.search(name)


class _Held:
    """What the base has of the products of an utterance."""

    def __init__(self, view: CallView, utterance: str) -> None:
        self.text, self._whole = plain(utterance), plain(_BREAK.sub("，", utterance))
        surfaces: dict[str, list[str]] = {}
        for one in view.pieces:
            if one.is_entity:
                surfaces.setdefault(one.owner, []).extend(map(plain, one.values))
        self._surfaces = list(surfaces.values())
        self._names = {plain(name) for one in view.pieces if one.is_entity for name in one.names}

    def lacks(self, one: _Spoken, wording: AbstractSet[str]) -> bool:
        """Whether no entity has what a product is called by; nor, before its name, an amount that contradicts it."""
        having = [each for each in self._surfaces if any(one.own in surface for surface in each)]
        if not having:
            if one.kind in self._names and one.own in wording:
                return False  # a name that is a kind of product, after other words
            return not self._is_in_name(one)
        if not one.amount or self.text[one.start : one.end] not in self._whole:
            return False
        amounts = [[number for surface in each for number in NUMBER.findall(surface)] for each in having]
        return all(
            each and not any(one.amount in number or number in one.amount for number in each) for each in amounts
        )

    def has_part(self, one: _Spoken) -> bool:
        """Whether an entity has two neighbouring characters of a product in a name or value."""
        pairs = {before + after for before, after in pairwise(self.text[one.start : one.end])}
        return any(pair in surface for each in self._surfaces for surface in each for pair in pairs)

    def _is_in_name(self, one: _Spoken) -> bool:
        """Whether the base has a name of more than a kind of product in the place of this one."""
        for name in self._names - set(KINDS):
            at = self.text.find(name, max(0, one.start - len(name) + 1)) if len(name) >= SHORTEST else -1
            if 0 <= at < one.end:
                return True
        return False
