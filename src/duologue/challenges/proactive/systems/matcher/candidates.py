"""Candidate replies: what agents said in other sessions, with the sample's own topics and facts in their places.

Specification, section 5.1, from the construction that the authors published later. Two things are ours. No candidate
comes from a session with the sample's own goal and knowledge: the released rules would offer a training sample its own
reply as a wrong one. Other sessions about the same pair of topics stay in, as in the original; in the official
development part 4 % of the pairs have more than one session. And topics are replaced longest first in both banks, so
that a topic inside the other's name does not tear it apart.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.proactive.schema import DOMAIN
from duologue.challenges.proactive.systems.holdout import pair_of

if TYPE_CHECKING:
    import random
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from duologue.core.records import Example, Sample

TOPICS = ("topic_a", "topic_b")
"""The slots of topics A and B; an attribute's slot goes on with `_` and its predicate without spaces."""

_NESTED = re.compile("topic_[ab]_topic_[ab]")
_UNWRITABLE = re.compile("[\n\r\t]")
"""What a reply cannot hold: it is one line, and a TAB ends it."""


class Entry(NamedTuple):
    """One agent utterance of the bank."""

    session: str
    """The `session_of` its session."""
    key: str
    """Domains of A and B and the place in the conversation, such as `电影_明星_4`; empty where a domain is unknown."""
    slotted: str
    """With slots for objects and topics; empty where a slot came to stand inside another."""
    plain: str
    """With slots for topics alone."""


class Bank:
    """Utterances with slots, and candidates made of them."""

    def __init__(self, entries: Sequence[Entry], slots: Iterable[str]) -> None:
        self.entries = tuple(entries)
        self.slots = tuple(sorted({*TOPICS, *slots}, key=lambda slot: (-len(slot), slot)))
        """All slots that entries may hold, longest first, so that none is taken for the beginning of another."""
        self._slot = re.compile("|".join(map(re.escape, self.slots)))
        self._of_key: dict[str, list[Entry]] = {}
        for entry in self.entries:
            self._of_key.setdefault(entry.key, []).append(entry)

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Bank:
        """Return the bank of training examples: all agent turns of their sessions, replies and histories alike.

        Raises `UsageError` for an example without two topics.
        """
        sessions: dict[bytes, tuple[Sample, dict[int, str]]] = {}
        for one in examples:
            name = msgspec.json.encode([one.sample.dialogue_id, session_of(one.sample)])
            _, said = sessions.setdefault(name, (one.sample, {}))
            said.update((at, turn.text) for at, turn in enumerate(one.sample.history) if turn.speaker == "system")
            if one.references and one.references[0].text is not None:
                said[len(one.sample.history)] = one.references[0].text
        entries: list[Entry] = []
        slots: dict[str, None] = {}
        for sample, said in sessions.values():
            slots.update(dict.fromkeys(slot for slot, _ in _attributes(sample)))
            entries += _entries(sample, dict(sorted(said.items())))
        return cls(entries, slots)

    def candidates(
        self,
        sample: Sample,
        count: int,
        chance: random.Random,
        *,
        unlike: Collection[str] = (),
        own: bool = False,
    ) -> list[str]:
        """Return at most `count` different replies for a sample, in the order in which they were drawn.

        Three sources in turn, each in an order drawn by `chance`: entries of the sample's key with objects and topics
        filled in, the same with topics alone, all entries with topics alone. A slot gets one of the sample's objects
        for its predicate, drawn by `chance`; without such an object the entry is passed over. `unlike` are texts to
        leave out, such as the reply itself; entries of the sample's own session are left out too unless `own`. Raises
        `UsageError` for a sample without two topics.
        """
        left_out, key, values = "" if own else session_of(sample), key_of(sample), _values(sample)
        found: dict[str, None] = {}
        same = self._of_key.get(key, [])
        for source, slotted in ((same, True), (same, False), (self.entries, False)):
            for entry in _shuffled(source, chance):
                if len(found) >= count:
                    return list(found)
                if entry.session == left_out:
                    continue
                text = self._filled(entry.slotted if slotted else entry.plain, values, chance)
                if text and text not in unlike and not _UNWRITABLE.search(text):
                    found.setdefault(text)
        return list(found)

    def _filled(self, text: str, values: Mapping[str, Sequence[str]], chance: random.Random) -> str:
        """Return a text with its slots filled, empty where one has no value; a slot has one value in the whole text."""
        chosen = {}
        for slot in dict.fromkeys(self._slot.findall(text)):
            if slot not in values:
                return ""
            chosen[slot] = chance.choice(values[slot])
        return self._slot.sub(lambda found: chosen[found[0]], text)


def session_of(sample: Sample) -> str:
    """Return what tells a sample's session from others by its content: a hash of goal and knowledge."""
    return hashlib.sha256(msgspec.json.encode([sample.goal, sample.knowledge])).hexdigest()[:16]


def key_of(sample: Sample) -> str:
    """Return the key of the utterance asked for: domains and utterances before; empty where a domain is unknown."""
    domains = _domains(sample)
    return f"{domains}_{len(sample.history)}" if domains else ""


def _domains(sample: Sample) -> str:
    """Return `domain A`_`domain B`: of several of one topic the later counts, names are compared without spaces."""
    domains: dict[str, str] = {}
    for slot, value in _attributes(sample):
        topic, _, predicate = slot.rpartition("_")
        if predicate == DOMAIN and topic in TOPICS:
            domains[topic] = value
    return "_".join(domains[topic] for topic in TOPICS) if len(domains) == 2 else ""


def _attributes(sample: Sample) -> Iterator[tuple[str, str]]:
    """Yield slot and object of each triple about one of the topics, names compared without spaces."""
    pair_of(sample)  # says so where there are no two topics
    assert sample.goal is not None
    first, second = (topic.replace(" ", "") for topic in sample.goal.topics)
    for fact in sample.knowledge:
        subject = fact.subject.replace(" ", "")
        if subject in {first, second}:
            topic = TOPICS[0] if subject == first else TOPICS[1]
            yield f"{topic}_{fact.relation.replace(' ', '')}", str(fact.object)


def _values(sample: Sample) -> dict[str, list[str]]:
    """Return what a sample offers per slot."""
    assert sample.goal is not None
    values = {slot: [topic] for slot, topic in zip(TOPICS, sample.goal.topics, strict=True)}
    for slot, value in _attributes(sample):
        if value:
            values.setdefault(slot, []).append(value)
    return values


def _entries(sample: Sample, said: Mapping[int, str]) -> Iterator[Entry]:
    """Yield the entries of one session; `said` are its agent turns by their place.

    One list of objects serves all turns, as through an aliasing slip in the original. It matters where a short object
    of one turn, such as the word "导演", occurs in the slot that a longer object of another turn has got there.
    """
    assert sample.goal is not None
    topics = list(zip(TOPICS, sample.goal.topics, strict=True))
    names = set(sample.goal.topics)
    shared = [*topics]
    for slot, value in _attributes(sample):
        if value and value not in names and any(value in text for text in said.values()):
            shared.append((slot, value))
    session, domains = session_of(sample), _domains(sample)
    for at, text in said.items():
        if text:
            slotted = _replaced(text, shared)
            yield Entry(
                session=session,
                key=f"{domains}_{at}" if domains else "",
                slotted="" if _NESTED.search(slotted) else slotted,
                plain=_replaced(text, topics),
            )


def _replaced(text: str, slots: Iterable[tuple[str, str]]) -> str:
    """Return a text with slots in the place of objects, the longest object first, of equal ones the first."""
    for slot, value in sorted(slots, key=lambda pair: -len(pair[1])):
        text = text.replace(value, slot) if value else text
    return text


def _shuffled(entries: Sequence[Entry], chance: random.Random) -> Iterator[Entry]:
    """Yield entries in an order drawn by `chance`; of long lists no more is drawn than is asked for."""
    moved: dict[int, int] = {}  # places of a Fisher-Yates shuffle that hold another than their own
    for place in range(len(entries)):
        other = chance.randrange(place, len(entries))
        yield entries[moved.get(other, other)]
        moved[other] = moved.pop(place, place)
