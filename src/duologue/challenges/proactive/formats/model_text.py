"""Official conversions: session -> samples -> model text and topics; generated text -> replies with topic names.

Specification, sections 2.1 to 2.3; output is byte-identical to that of the organisers' converters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.proactive.schema import DOMAIN, FILM

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Row = dict[str, Any]

NO_RESPONSE = "null"
"""Placeholder in model text for an unknown reply."""
TRIPLE_END = "\x01"
"""Separates the triples in the third field of model text."""


class ModelText(NamedTuple):
    """One sample as input of the generation baseline."""

    line: str
    """`source TAB reply TAB triples`."""
    topics: dict[str, str]
    """Slot -> topic, topic A first; empty if topics are not generalised."""


def samples_of(session: Row) -> Iterator[Row]:
    """Yield the samples of a session: one per agent turn, without the turns after it."""
    said = session["conversation"]
    for at in range(0, len(said), 2):
        yield {
            "goal": session["goal"],
            "knowledge": session["knowledge"],
            "history": said[:at],
            "response": said[at],
        }


def model_text(sample: Row, *, generalise: bool = True) -> ModelText:
    """Return a sample as model text. Raises `KeyError` with a topic whose domain is not in the knowledge."""
    topics = topics_of(sample)
    line = plain_line(sample)
    return ModelText(generalised(line, topics) if generalise else line, topics)


def plain_line(sample: Row) -> str:
    """Return the model text line of a sample without generalising topics."""
    goal = " ".join(" ".join(triple) for triple in sample["goal"])
    triples = [" ".join(triple) for triple in sample["knowledge"]]
    source = f"{goal} {' '.join(triples)} : {' '.join(sample['history'])}"
    return "\t".join([source, sample.get("response", NO_RESPONSE), TRIPLE_END.join(triples)])


def topics_of(sample: Row) -> dict[str, str]:
    """Return slot -> topic of a sample. Raises `KeyError` with a topic whose domain is not in the knowledge.

    If a topic has several domains, the last one counts. If both topics are equal, the second has no domain, as in the
    original.
    """
    first, second = sample["goal"][0][1:]
    domains: dict[str, str] = {}
    for subject, predicate, value in sample["knowledge"]:
        if predicate == DOMAIN:
            if subject == first:
                domains["a"] = value
            elif subject == second:
                domains["b"] = value
    topics = {}
    for letter, topic in (("a", first), ("b", second)):
        if letter not in domains:
            raise KeyError(topic)
        topics[f"{'video' if domains[letter] == FILM else 'person'}_topic_{letter}"] = topic
    return topics


def generalised(text: str, topics: Mapping[str, str]) -> str:
    """Replace topics by their slots (delexicalise), the longest topic first, inside longer words too."""
    for slot, topic in _longest_first(topics):
        text = text.replace(topic, slot)
    return text


def materialised(text: str, topics: Mapping[str, str]) -> str:
    """Replace slots by their topics (lexicalise); other slots stay.

    >>> materialised("person_topic_b video_topic_b", {"person_topic_a": "A", "video_topic_b": "B"})
    'person_topic_b B'
    """
    for slot, topic in _longest_first(topics):
        text = text.replace(slot, topic)
    return text


def _longest_first(topics: Mapping[str, str]) -> list[tuple[str, str]]:
    return sorted(topics.items(), key=lambda item: -len(item[1]))  # stable: topic A first among equal lengths
