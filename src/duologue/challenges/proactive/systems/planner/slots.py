"""Slots of templates: what a reply takes from the goal and the knowledge, by name instead of by value.

`{A}` and `{B}` are the topics, `{a.PREDICATE}` and `{b.PREDICATE}` objects of facts about them. Of a long object its
clauses are values of their own (`{b.评论#0}` the first, `{b.评论#1}` a later one), of a date the year
(`{a.上映时间@y}`): people quote in parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.schema import DOMAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.core.records import Sample

Words = tuple[str, ...]

TOPICS = ("{A}", "{B}")
PUNCTUATION = frozenset("，。？！?!,.、；;：:…“”\"'（）()《》<>~～-—·")
_MIN_CLAUSE = 3  # words; shorter clauses are found in any text


class Value(NamedTuple):
    """A value that a slot can take."""

    slot: str
    words: Words


def is_slot(word: str) -> bool:
    """Tell whether a word of a template is a slot."""
    return len(word) > 2 and word[0] == "{" and word[-1] == "}"


def plain(slot: str) -> str:
    """Return a slot without the mark of a part: `{b.评论#1}` gives `{b.评论}`."""
    return slot.split("#", 1)[0].split("@", 1)[0].rstrip("}") + "}"


def values_of(sample: Sample) -> tuple[Value, ...]:
    """Return all values of a sample's goal and knowledge, topics first, each slot and value once."""
    if sample.goal is None or len(sample.goal.topics) != 2:
        return ()
    topics = sample.goal.topics
    found = [Value(slot, tuple(name.split())) for slot, name in zip(TOPICS, topics, strict=True)]
    for fact in dict.fromkeys((*sample.knowledge, *sample.goal.relations)):
        side = {topics[0]: "a", topics[1]: "b"}.get(fact.subject)
        if side is None or fact.relation == DOMAIN or fact.object in topics:
            continue
        found += _parts(f"{side}.{fact.relation.replace(' ', '')}", tuple(str(fact.object).split()))
    return tuple(value for value in dict.fromkeys(found) if value.words)


def _parts(name: str, words: Words) -> list[Value]:
    parts = [Value(f"{{{name}}}", words)]
    clauses = _clauses(words)
    if len(clauses) > 1 or (clauses and clauses[0] != words):
        parts += [
            Value(f"{{{name}#{min(place, 1)}}}", clause)
            for place, clause in enumerate(clauses)
            if len(clause) >= _MIN_CLAUSE
        ]
    if len(words) == 2 and words[0].endswith("年"):
        parts.append(Value(f"{{{name}@y}}", words[:1]))
    return parts


def _clauses(words: Words) -> list[Words]:
    clauses: list[list[str]] = [[]]
    for word in words:
        if word in PUNCTUATION:
            clauses.append([])
        else:
            clauses[-1].append(word)
    return [tuple(clause) for clause in clauses if clause]


class Slotter:
    """Turns texts of one sample into templates, the longest value first at each place."""

    def __init__(self, values: Iterable[Value]) -> None:
        self._starting: dict[str, list[Value]] = {}
        for value in values:
            self._starting.setdefault(value.words[0], []).append(value)
        for found in self._starting.values():
            found.sort(key=lambda value: (-len(value.words), -sum(map(len, value.words)), value.slot))

    def __call__(self, words: Sequence[str]) -> Words:
        """Return the words with values replaced by their slots."""
        made: list[str] = []
        place = 0
        while place < len(words):
            for slot, value in self._starting.get(words[place], ()):
                if tuple(words[place : place + len(value)]) == value:
                    made.append(slot)
                    place += len(value)
                    break
            else:
                made.append(words[place])
                place += 1
        return tuple(made)


class Filling(NamedTuple):
    """A template with its slots filled."""

    words: Words
    used: tuple[Value, ...]
    """Which value each slot got, in the order of the template."""


class Filler:
    """Fills templates with the values of one sample; what was not said yet comes first."""

    def __init__(self, values: Iterable[Value], said: str) -> None:
        """Take the values and the history without white space."""
        self._options: dict[str, list[Value]] = {}
        for value in values:
            self._options.setdefault(value.slot, []).append(value)
        for options in self._options.values():
            options.sort(key=lambda value: "".join(value.words) in said)

    @property
    def slots(self) -> list[str]:
        """The slots that can be filled."""
        return list(self._options)

    def __call__(self, template: Words) -> list[Filling]:
        """Return the template filled in one way, or in two where a fact's slot has several values.

        A slot that stands twice gets its next value the second time. Raises `KeyError` for a slot without values.
        """
        slots = dict.fromkeys(word for word in template if is_slot(word))
        several = any(slot not in TOPICS and len(self._options[slot]) > 1 for slot in slots)
        return [self._filled(template, turn) for turn in range(2 if several else 1)]

    def _filled(self, template: Words, turn: int) -> Filling:
        words: list[str] = []
        used: list[Value] = []
        seen: dict[str, int] = {}
        for word in template:
            if not is_slot(word):
                words.append(word)
                continue
            options = self._options[word]
            value = options[(turn + seen.get(word, 0)) % len(options)]
            seen[word] = seen.get(word, 0) + 1
            words += value.words
            used.append(value)
        return Filling(tuple(words), tuple(used))
