"""What replies claim that nothing they were given bears out: known objects and numbers, matched as they are written.

A check for conversations without a reference (the project's own definition; no released script has one). It finds
facts of other dialogues' knowledge that turn up where they do not belong, and numbers and dates from nowhere. It does
not see a wrong use of given facts, nor names that no knowledge base at hand holds.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from duologue.challenges.proactive.knowledge import squeezed
from duologue.challenges.proactive.schema import DOMAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duologue.core.records import Dialogue, Fact, Goal

_SHORTEST = 2
"""Characters of the shortest object that is looked for."""
_OPINIONS = frozenset({"评论", "描述", "时光网 短评", "标签", "描述 标签", "口碑"})
"""Predicates whose objects are remarks in everyday words."""
_SHORTEST_OPINION = 10
"""Characters from which on a remark is a quotation and no turn of phrase."""
_LONGEST = 40
"""Words of the longest object that is looked for."""
_ORDINARY = 2
"""Dialogues in which people say an object without having it: from so many on it may be an ordinary word."""
_ORDINARY_SHARE = 1 / 3
"""And the share of such dialogues among all in which they say it."""

_BLOOD = "血型"
"""The predicate of the blood group."""

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(年|月|日|号|岁|届|万|亿|公斤|千克|kg|斤|厘米|cm|米|分钟|分|后|%)?")
_SAME_UNIT = {"公斤": "kg", "千克": "kg", "厘米": "cm", "号": "日"}

Number = tuple[str, str]
"""A number without needless zeros, and its unit; the unit may be empty."""


class Ground:
    """What a reply may say: the facts and topics given, and the words heard."""

    def __init__(self, goal: Goal | None, knowledge: Iterable[Fact], heard: Iterable[str] = ()) -> None:
        facts = [*knowledge, *(goal.relations if goal is not None else ())]
        cells = [cell for fact in facts for cell in (fact.subject, fact.relation, str(fact.object))]
        cells += goal.topics if goal is not None else ()
        cells += [f"{fact.object}型" for fact in facts if fact.relation == _BLOOD]  # "AB" is also written "AB型"
        self._text = ""
        self._numbers: set[Number] = set()
        for text in (*cells, *heard):
            self.hear(text)

    def hear(self, text: str) -> None:
        """Take words in: what the user has said may be said again."""
        plain = _plain(text)
        self._text += f"\n{plain}"
        self._numbers.update(numbers(text))

    def bears(self, thing: str) -> bool:
        """Tell whether an object, without white space, is in what is given, whole or as a part."""
        return thing in self._text

    def bears_number(self, number: Number) -> bool:
        """Tell whether a number is given; where both have a unit, the units must agree."""
        digits, unit = number
        return any(digits == one and (not unit or not other or unit == other) for one, other in self._numbers)


class Claims:
    """Objects of all knowledge at hand, without those that people use as ordinary words.

    `dialogues` bring their knowledge, and where they hold turns of people, what people say without knowledge: an object
    said in at least two dialogues that lack it, which are a third of those that say it, is an ordinary word
    (`英雄`, hero, is a film title as well).
    """

    def __init__(self, dialogues: Iterable[Dialogue]) -> None:
        held = list(dialogues)
        self._objects = {thing for one in held for thing in _objects(one)}
        having: Counter[str] = Counter()
        lacking: Counter[str] = Counter()
        for one in held:
            ground = Ground(one.goal, one.knowledge, (turn.text for turn in one.turns if turn.speaker == "user"))
            said = {thing for turn in one.turns if turn.speaker == "system" for thing in self._found(turn.text)}
            for thing in said:
                (having if ground.bears(thing) else lacking)[thing] += 1
        self._objects -= {
            thing
            for thing, count in lacking.items()
            if count >= _ORDINARY and count >= _ORDINARY_SHARE * (count + having[thing])
        }

    def __len__(self) -> int:
        """Return the number of objects that are looked for."""
        return len(self._objects)

    def unfounded(self, text: str, ground: Ground) -> tuple[str, ...]:
        """Return the objects and numbers in a reply that its ground does not bear out, in the order of the text."""
        things = [thing for thing in self._found(text) if not ground.bears(thing)]
        wrong = [digits + unit for digits, unit in numbers(text) if not ground.bears_number((digits, unit))]
        return tuple(dict.fromkeys((*things, *wrong)))

    def _found(self, text: str) -> Iterator[str]:
        """Yield known objects that a text names from word end to word end."""
        words = _plain(text, apart=True).split()
        for start in range(len(words)):
            thing = ""
            for word in words[start : start + _LONGEST]:
                thing += word
                if thing in self._objects:
                    yield thing


def numbers(text: str) -> list[Number]:
    """Return the numbers in a text with their units, written alike.

    >>> numbers("2008年 3月 , 3181.0万 , 54 公斤")
    [('2008', '年'), ('3', '月'), ('3181', '万'), ('54', 'kg')]
    """
    return [(_short(digits), _SAME_UNIT.get(unit, unit)) for digits, unit in _NUMBER.findall(_plain(text))]


def _short(digits: str) -> str:
    whole, _, rest = digits.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")


def _plain(text: str, *, apart: bool = False) -> str:
    """Return a text with full-width digits and letters made plain, in lower case, its words kept `apart` or not."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return plain if apart else squeezed(plain)


def _objects(dialogue: Dialogue) -> Iterator[str]:
    """Yield what the knowledge and the goal of a dialogue name, without white space."""
    goal = dialogue.goal
    if goal is not None:
        yield from (thing for thing in map(_plain, goal.topics) if len(thing) >= _SHORTEST)
    for fact in (*dialogue.knowledge, *(goal.relations if goal is not None else ())):
        thing = _plain(str(fact.object))
        shortest = _SHORTEST_OPINION if fact.relation in _OPINIONS else _SHORTEST
        if fact.relation != DOMAIN and len(thing) >= shortest and not _NUMBER.fullmatch(thing):
            yield thing
