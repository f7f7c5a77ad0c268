"""Slots: delexicalises replies to templates and fills templates with values of goal and knowledge.

`{A}` and `{B}` are the topics, `{a.PREDICATE}` and `{b.PREDICATE}` objects of facts about them. The clauses of a long
object are separate values (`{b.评论#0}` the first, `{b.评论#1}` a later one), and so is the year of a date
(`{a.上映时间@y}`), since people quote parts of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.knowledge import facts_of
from duologue.challenges.proactive.schema import DOMAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duologue.core.records import Sample

Tokens = tuple[str, ...]

TOPICS = ("{A}", "{B}")
PUNCTUATION = frozenset("，。？！?!,.、；;：:…“”\"'（）()《》<>~～-—·")
_MIN_CLAUSE = 3  # words; shorter clauses occur in any text


class SlotValue(NamedTuple):
    """A slot and a value for it, as words."""

    slot: str
    words: Tokens


def is_slot(word: str) -> bool:
    """Whether a word of a template is a slot."""
    return len(word) > 2 and word[0] == "{" and word[-1] == "}"


def base_slot(slot: str) -> str:
    """Return a slot without its part suffix: `{b.评论#1}` gives `{b.评论}`."""
    return slot.split("#", 1)[0].split("@", 1)[0].rstrip("}") + "}"


def values_of(sample: Sample) -> tuple[SlotValue, ...]:
    """Return the distinct slot values of a sample's goal and knowledge, topics first."""
    if sample.goal is None or len(sample.goal.topics) != 2:
        return ()
    topics = sample.goal.topics
    found = [SlotValue(slot, tuple(name.split())) for slot, name in zip(TOPICS, topics, strict=True)]
    for fact in dict.fromkeys(facts_of(sample.goal, sample.knowledge)):
        side = {topics[0]: "a", topics[1]: "b"}.get(fact.subject)
        if side is None or fact.relation == DOMAIN or fact.object in topics:
            continue
        found += _parts(f"{side}.{fact.relation.replace(' ', '')}", tuple(str(fact.object).split()))
    return tuple(value for value in dict.fromkeys(found) if value.words)


def _parts(name: str, words: Tokens) -> list[SlotValue]:
    parts = [SlotValue(f"{{{name}}}", words)]
    clauses = _clauses(words)
    if len(clauses) > 1 or (clauses and clauses[0] != words):
        parts += [
            SlotValue(f"{{{name}#{min(place, 1)}}}", clause)
            for place, clause in enumerate(clauses)
            if len(clause) >= _MIN_CLAUSE
        ]
    if len(words) == 2 and words[0].endswith("年"):
        parts.append(SlotValue(f"{{{name}@y}}", words[:1]))
    return parts


def _clauses(words: Tokens) -> list[Tokens]:
    clauses: list[list[str]] = [[]]
    for word in words:
        if word in PUNCTUATION:
            clauses.append([])
        else:
            clauses[-1].append(word)
    return [tuple(clause) for clause in clauses if clause]


class Slotter:
    """Delexicalises texts of one sample, longest match first."""

    def __init__(self, values: Iterable[SlotValue]) -> None:
        self._starting: dict[str, list[SlotValue]] = {}
        for value in values:
            self._starting.setdefault(value.words[0], []).append(value)
        for found in self._starting.values():
            found.sort(key=lambda value: (-len(value.words), -sum(map(len, value.words)), value.slot))

    def __call__(self, words: Sequence[str]) -> Tokens:
        """Return the words with values replaced by slots."""
        return tuple(one.slot if isinstance(one, SlotValue) else one for one in self.matched(words))

    def matched(self, words: Sequence[str]) -> Iterator[str | SlotValue]:
        """Yield the values found in the words, and the words between them."""
        place = 0
        while place < len(words):
            for one in self._starting.get(words[place], ()):
                if tuple(words[place : place + len(one.words)]) == one.words:
                    yield one
                    place += len(one.words)
                    break
            else:
                yield words[place]
                place += 1


class Filling(NamedTuple):
    """A template with its slots filled."""

    words: Tokens
    used: tuple[SlotValue, ...]
    """The value of each slot, in template order."""


class Filler:
    """Fills templates with the values of one sample; values not mentioned yet come first."""

    def __init__(self, values: Iterable[SlotValue], said: str) -> None:
        """Set the values and the history (without white space)."""
        self._options: dict[str, list[SlotValue]] = {}
        for value in values:
            self._options.setdefault(value.slot, []).append(value)
        for options in self._options.values():
            options.sort(key=lambda value: "".join(value.words) in said)

    @property
    def slots(self) -> list[str]:
        """Slots that can be filled."""
        return list(self._options)

    @property
    def options(self) -> Mapping[str, Sequence[SlotValue]]:
        """The values of each slot in the order in which they are used."""
        return self._options

    def __call__(self, template: Tokens) -> list[Filling]:
        """Return one filling of the template, or two if a fact slot has several values.

        A repeated slot gets its next value the second time. Raises `KeyError` for a slot without values.
        """
        slots = dict.fromkeys(word for word in template if is_slot(word))
        several = any(slot not in TOPICS and len(self._options[slot]) > 1 for slot in slots)
        return [self._filled(template, turn) for turn in range(2 if several else 1)]

    def _filled(self, template: Tokens, turn: int) -> Filling:
        words: list[str] = []
        used: list[SlotValue] = []
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
