"""Candidate generation for the retrieval baseline: delexicalised replies of other sessions, refilled for the sample.

Specification, section 5.1, from the construction that the authors published later, with two differences. No candidate
comes from a session with the sample's own goal and knowledge: the released rules would give a training sample its own
reply as a negative. Other sessions about the same pair of topics stay in, as in the original; in the official
development data 4 % of the pairs have more than one session. And topics are replaced longest first in both pools, so
that a topic inside the other's name does not split it.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.proactive.knowledge import topics_of
from duologue.challenges.proactive.schema import DOMAIN

if TYPE_CHECKING:
    import random
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from duologue.core.records import Example, Sample

TOPICS = ("topic_a", "topic_b")
"""Slots of topics A and B; the slot of an attribute is `<topic slot>_<predicate without spaces>`."""

_NESTED = re.compile("topic_[ab]_topic_[ab]")
_UNWRITABLE = re.compile("[\n\r\t]")
"""Characters that a reply in a prediction file cannot contain."""


class PooledReply(NamedTuple):
    """One delexicalised agent utterance of the pool."""

    session: str
    """`session_of` of its session."""
    key: str
    """Domains of A and B and index of the turn, such as `电影_明星_4`; empty if a domain is unknown."""
    slotted: str
    """Text with slots for objects and topics; empty if slots are nested."""
    plain: str
    """Text with slots for topics only."""


class CandidatePool:
    """Pool of delexicalised utterances that candidates are generated from."""

    def __init__(self, entries: Sequence[PooledReply], slots: Iterable[str]) -> None:
        self.entries = tuple(entries)
        self.slots = tuple(sorted({*TOPICS, *slots}, key=lambda slot: (-len(slot), slot)))
        """All slots of entries, longest first, so that none is taken for a prefix of another."""
        self._slot = re.compile("|".join(map(re.escape, self.slots)))
        self._of_key: dict[str, list[PooledReply]] = {}
        for entry in self.entries:
            self._of_key.setdefault(entry.key, []).append(entry)

    @classmethod
    def of(cls, examples: Sequence[Example]) -> CandidatePool:
        """Return the pool of all agent turns, references and histories, of training examples.

        Raises `UsageError` for an example without two topics.
        """
        sessions: dict[bytes, tuple[Sample, dict[int, str]]] = {}
        for one in examples:
            name = msgspec.json.encode([one.sample.dialogue_id, session_of(one.sample)])
            _, said = sessions.setdefault(name, (one.sample, {}))
            said.update((at, turn.text) for at, turn in enumerate(one.sample.history) if turn.speaker == "system")
            if one.references and one.references[0].text is not None:
                said[len(one.sample.history)] = one.references[0].text
        entries: list[PooledReply] = []
        slots: dict[str, None] = {}
        for sample, said in sessions.values():
            slots.update(dict.fromkeys(slot for slot, _ in _attributes(sample)))
            entries += _entries(sample, dict(sorted(said.items())))
        return cls(entries, slots)

    def candidates(
        self,
        sample: Sample,
        count: int,
        rng: random.Random,
        *,
        unlike: Collection[str] = (),
        own: bool = False,
    ) -> list[str]:
        """Return at most `count` distinct replies for a sample in random order.

        Three sources in turn, each shuffled by `rng`: entries of the sample's key with objects and topics filled, the
        same with topics only, all entries with topics only. A slot gets a random object of the sample for its
        predicate; entries without such an object are skipped. `unlike` are texts to exclude, such as the reference;
        entries of the sample's own session are excluded too unless `own`. Raises `UsageError` for a sample without two
        topics.
        """
        left_out, key, values = "" if own else session_of(sample), key_of(sample), _values(sample)
        found: dict[str, None] = {}
        same = self._of_key.get(key, [])
        for source, slotted in ((same, True), (same, False), (self.entries, False)):
            for entry in _in_random_order(source, rng):
                if len(found) >= count:
                    return list(found)
                if entry.session == left_out:
                    continue
                text = self._filled(entry.slotted if slotted else entry.plain, values, rng)
                if text and text not in unlike and not _UNWRITABLE.search(text):
                    found.setdefault(text)
        return list(found)

    def _filled(self, text: str, values: Mapping[str, Sequence[str]], rng: random.Random) -> str:
        """Return a text with its slots filled, each with one value throughout; empty if a slot has no value."""
        chosen = {}
        for slot in dict.fromkeys(self._slot.findall(text)):
            if slot not in values:
                return ""
            chosen[slot] = rng.choice(values[slot])
        return self._slot.sub(lambda found: chosen[found[0]], text)


def session_of(sample: Sample) -> str:
    """Return a hash of goal and knowledge, which identifies the session of a sample by content."""
    return hashlib.sha256(msgspec.json.encode([sample.goal, sample.knowledge])).hexdigest()[:16]


def key_of(sample: Sample) -> str:
    """Return the key of the next utterance: domains and index of the turn; empty if a domain is unknown."""
    domains = _domains(sample)
    return f"{domains}_{len(sample.history)}" if domains else ""


def _domains(sample: Sample) -> str:
    """Return `domain A`_`domain B`; the last domain of a topic counts, names are compared without spaces."""
    domains: dict[str, str] = {}
    for slot, value in _attributes(sample):
        topic, _, predicate = slot.rpartition("_")
        if predicate == DOMAIN and topic in TOPICS:
            domains[topic] = value
    return "_".join(domains[topic] for topic in TOPICS) if len(domains) == 2 else ""


def _attributes(sample: Sample) -> Iterator[tuple[str, str]]:
    """Yield slot and object of each triple about one of the topics, names compared without spaces."""
    first, second = (topic.replace(" ", "") for topic in topics_of(sample))
    for fact in sample.knowledge:
        subject = fact.subject.replace(" ", "")
        if subject in {first, second}:
            topic = TOPICS[0] if subject == first else TOPICS[1]
            yield f"{topic}_{fact.relation.replace(' ', '')}", str(fact.object)


def _values(sample: Sample) -> dict[str, list[str]]:
    """Return slot -> values of a sample."""
    values = {slot: [topic] for slot, topic in zip(TOPICS, topics_of(sample), strict=True)}
    for slot, value in _attributes(sample):
        if value:
            values.setdefault(slot, []).append(value)
    return values


def _entries(sample: Sample, said: Mapping[int, str]) -> Iterator[PooledReply]:
    """Yield the entries of one session; `said` are its agent turns by index.

    All turns share one list of objects, as by an aliasing bug in the original. It matters if a short object of one
    turn, such as the word "导演", occurs in the slot of a longer object of another turn.
    """
    topics = list(zip(TOPICS, topics_of(sample), strict=True))
    names = {topic for _, topic in topics}
    shared = [*topics]
    for slot, value in _attributes(sample):
        if value and value not in names and any(value in text for text in said.values()):
            shared.append((slot, value))
    session, domains = session_of(sample), _domains(sample)
    for at, text in said.items():
        if text:
            slotted = _replaced(text, shared)
            yield PooledReply(
                session=session,
                key=f"{domains}_{at}" if domains else "",
                slotted="" if _NESTED.search(slotted) else slotted,
                plain=_replaced(text, topics),
            )


def _replaced(text: str, slots: Iterable[tuple[str, str]]) -> str:
    """Replace objects by slots, the longest object first, ties by order."""
    for slot, value in sorted(slots, key=lambda pair: -len(pair[1])):
        text = text.replace(value, slot) if value else text
    return text


def _in_random_order(entries: Sequence[PooledReply], rng: random.Random) -> Iterator[PooledReply]:
    """Yield entries shuffled by `rng`, lazily: a partial Fisher-Yates shuffle."""
    moved: dict[int, int] = {}  # indices that hold another entry than their own
    for place in range(len(entries)):
        other = rng.randrange(place, len(entries))
        yield entries[moved.get(other, other)]
        moved[other] = moved.pop(place, place)
