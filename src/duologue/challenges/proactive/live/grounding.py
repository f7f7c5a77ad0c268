"""Grounding check: known objects and numbers in a reply that its knowledge and history do not support.

For conversations without a reference (the project's own definition; no released script has one). It finds objects of
other dialogues' knowledge, and numbers and dates, that are not given; matching is by substring. It does not find a
wrong use of given facts, nor names outside all knowledge at hand.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from duologue.challenges.proactive.knowledge import facts_of, without_spaces
from duologue.challenges.proactive.schema import DOMAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duologue.core.records import Dialogue, Fact, Goal

_SHORTEST = 2
"""Minimum length of an object, in characters."""
_OPINIONS = frozenset({"评论", "描述", "时光网 短评", "标签", "描述 标签", "口碑"})
"""Predicates whose objects are opinions in everyday words."""
_SHORTEST_OPINION = 10
"""Minimum length of an opinion that counts as a quotation, in characters."""
_LONGEST = 40
"""Maximum length of an object, in words."""
_ORDINARY = 2
"""Minimum number of dialogues in which people say an object without having it, for it to be an ordinary word."""
_ORDINARY_SHARE = 1 / 3
"""Minimum fraction of such dialogues among all in which people say it."""

_BLOOD = "血型"
"""The predicate of the blood group."""

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(年|月|日|号|岁|届|万|亿|公斤|千克|kg|斤|厘米|cm|米|分钟|分|后|%)?")
_SAME_UNIT = {"公斤": "kg", "千克": "kg", "厘米": "cm", "号": "日"}

Number = tuple[str, str]
"""A normalised number and its unit, which may be empty."""


class Evidence:
    """What a reply may state: the given facts and topics, and the user's utterances so far."""

    def __init__(self, goal: Goal | None, knowledge: Iterable[Fact], user_texts: Iterable[str] = ()) -> None:
        facts = facts_of(goal, knowledge)
        cells = [cell for fact in facts for cell in (fact.subject, fact.relation, str(fact.object))]
        cells += goal.topics if goal is not None else ()
        cells += [f"{fact.object}型" for fact in facts if fact.relation == _BLOOD]  # "AB" is also written "AB型"
        self._text = ""
        self._numbers: set[Number] = set()
        for text in (*cells, *user_texts):
            self.add(text)

    def add(self, text: str) -> None:
        """Add an utterance of the user."""
        plain = _plain(text)
        self._text += f"\n{plain}"
        self._numbers.update(numbers(text))

    def supports(self, thing: str) -> bool:
        """Whether the evidence contains an object (without white space) as a substring."""
        return thing in self._text

    def supports_number(self, number: Number) -> bool:
        """Whether the evidence contains a number; if both have a unit, the units must agree."""
        digits, unit = number
        return any(digits == one and (not unit or not other or unit == other) for one, other in self._numbers)


class GroundingChecker:
    """Finds unsupported objects and numbers; knows the objects of all knowledge at hand, except ordinary words.

    `dialogues` give their knowledge and their utterances: an object said in at least two dialogues whose knowledge
    lacks it, if these are a third of all that say it, is an ordinary word (`英雄`, hero, is also a film title).
    """

    def __init__(self, dialogues: Iterable[Dialogue]) -> None:
        held = list(dialogues)
        self._objects = {thing for one in held for thing in _objects(one)}
        having: Counter[str] = Counter()
        lacking: Counter[str] = Counter()
        for one in held:
            evidence = Evidence(one.goal, one.knowledge, (turn.text for turn in one.turns if turn.speaker == "user"))
            said = {thing for turn in one.turns if turn.speaker == "system" for thing in self._found(turn.text)}
            for thing in said:
                (having if evidence.supports(thing) else lacking)[thing] += 1
        self._objects -= {
            thing
            for thing, count in lacking.items()
            if count >= _ORDINARY and count >= _ORDINARY_SHARE * (count + having[thing])
        }

    def __len__(self) -> int:
        """Return the number of known objects."""
        return len(self._objects)

    def unsupported(self, text: str, evidence: Evidence) -> tuple[str, ...]:
        """Return the objects of a reply that the evidence does not support, in text order, then such numbers."""
        things = [thing for thing in self._found(text) if not evidence.supports(thing)]
        wrong = [digits + unit for digits, unit in numbers(text) if not evidence.supports_number((digits, unit))]
        return tuple(dict.fromkeys((*things, *wrong)))

    def _found(self, text: str) -> Iterator[str]:
        """Yield the known objects that a text contains as whole words."""
        words = _plain(text, segmented=True).split()
        for start in range(len(words)):
            thing = ""
            for word in words[start : start + _LONGEST]:
                thing += word
                if thing in self._objects:
                    yield thing


def numbers(text: str) -> list[Number]:
    """Return the normalised numbers of a text with their units.

    >>> numbers("2008年 3月 , 3181.0万 , 54 公斤")
    [('2008', '年'), ('3', '月'), ('3181', '万'), ('54', 'kg')]
    """
    return [(_short(digits), _SAME_UNIT.get(unit, unit)) for digits, unit in _NUMBER.findall(_plain(text))]


def _short(digits: str) -> str:
    whole, _, rest = digits.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")


def _plain(text: str, *, segmented: bool = False) -> str:
    """Normalise width and case of a text; remove white space unless `segmented`."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return plain if segmented else without_spaces(plain)


def _objects(dialogue: Dialogue) -> Iterator[str]:
    """Yield the normalised objects of the knowledge and the goal of a dialogue."""
    goal = dialogue.goal
    if goal is not None:
        yield from (thing for thing in map(_plain, goal.topics) if len(thing) >= _SHORTEST)
    for fact in facts_of(goal, dialogue.knowledge):
        thing = _plain(str(fact.object))
        shortest = _SHORTEST_OPINION if fact.relation in _OPINIONS else _SHORTEST
        if fact.relation != DOMAIN and len(thing) >= shortest and not _NUMBER.fullmatch(thing):
            yield thing
