from __future__ import annotations

import numpy as np
import pytest

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS
from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import FeedForward
from duologue.challenges.mobilecs.systems.extractor.found_parts import FoundCall, FoundPart, part_of
from duologue.challenges.mobilecs.systems.extractor.link_features import (
    MENTION_SIZE,
    VALUE_SIZE,
    mention_features,
    value_features,
)
from duologue.challenges.mobilecs.systems.extractor.linked_entity import LinkHypothesis, of_others, of_role
from duologue.challenges.mobilecs.systems.extractor.linker import decisions_of, link, steps_of
from duologue.challenges.mobilecs.systems.tagger.document import call_document
from duologue.core.records import Turn

TURNS = [
    Turn(speaker="system", text="彩铃五元"),
    Turn(speaker="user", text="副卡呢"),
    Turn(speaker="system", text="十元彩铃三元"),
]
DOCUMENT = call_document(TURNS)


def part(text: str, after: int, size: int) -> FoundPart:
    start = DOCUMENT.text.index(text, after)
    found = part_of(DOCUMENT, start, start + len(text), [0.0, *([-5.0] * (size - 1))])
    assert found is not None
    return found


def mention(text: str, after: int = 0) -> FoundPart:
    return part(text, after, len(ENTITY_TYPES))


def value(text: str) -> FoundPart:
    return part(text, 0, len(SERVICE_SLOTS))


CALL = FoundCall(
    [mention("彩铃"), mention("副卡"), mention("彩铃", 5)], [value("五元"), value("十元"), value("三元")], []
)
BARE = 15
"""Features of a mention by itself; the next one is whether the entity has its name."""
NEW = MENTION_SIZE - 8


def by_name(weight: float = 5.0) -> FeedForward:
    """Return scores by equal names, against a new entity that scores 1."""
    weights = np.zeros((MENTION_SIZE, 1), dtype=np.float32)
    weights[BARE], weights[NEW] = weight, 1.0
    return FeedForward(((weights, np.zeros(1, dtype=np.float32)),))


def by_last() -> FeedForward:
    """Return scores by which entity was spoken of last, mentions that follow included."""
    weights = np.zeros((VALUE_SIZE, 1), dtype=np.float32)
    weights[len(SERVICE_SLOTS) + 2 + 6] = 1.0
    return FeedForward(((weights, np.zeros(1, dtype=np.float32)),))


def test_parts_come_by_utterance_mentions_before_values() -> None:
    assert [step.part.text for step in steps_of(CALL)] == ["彩铃", "五元", "副卡", "彩铃", "十元", "三元"]


@pytest.mark.parametrize("beam", [1, 4])
def test_mentions_and_values_find_their_entities(beam: int) -> None:
    found = link(CALL, by_name(), by_last(), beam=beam, resolve=True)
    assert found.mentions == [0, 1, 0]
    assert found.values == [0, 0, 0]
    assert [entity.mentions for entity in found.entities] == [2, 1]
    assert [text for _, text in found.entities[0].slots] == ["五元", "十元", "三元"]


def test_without_coreference_each_mention_is_an_entity() -> None:
    found = link(CALL, by_name(), by_last(), beam=4, resolve=False)
    assert found.mentions == [0, 1, 2]
    assert found.values == [0, 2, 2]


def test_values_without_any_entity_are_nobodys() -> None:
    found = link(FoundCall([], CALL.values, []), by_name(), by_last(), beam=4, resolve=True)
    assert (found.entities, found.values) == ((), [-1, -1, -1])


def test_decisions_of_annotated_calls_say_who_is_right() -> None:
    made = decisions_of(CALL, ["a", "b", "a"], ["a", "b", "a"])
    assert [row.right.tolist() for row in made.mentions] == [[0, 1], [1, 0, 0]]
    assert [row.right.tolist() for row in made.values] == [[0, 1], [1, 0]]
    assert made.mentions[0].features.shape == (2, MENTION_SIZE)
    assert made.values[0].features.shape == (2, VALUE_SIZE)


def test_a_hypothesis_knows_who_spoke_of_what() -> None:
    first, second, _ = CALL.mentions
    state = (
        LinkHypothesis().linked(first, 0, -1.0, None).linked(CALL.values[0], 0, -0.5, 3).linked(second, 1, 0.0, None)
    )
    assert (state.score, state.chosen, state.last) == (-1.5, (0, 0, 1), 1)
    assert (of_role(state.by_role, "system"), of_others(state.by_role, "system")) == (0, 1)
    assert (of_role(state.valued, "system"), of_role(state.valued, "user")) == (0, -1)
    assert state.entities[0].slots == ((3, "五元"),)
    assert state.entities[0].agreement(second.kinds) > 0.9
    features = mention_features(CALL.mentions[2], state)
    assert features.shape == (3, MENTION_SIZE)
    assert features[:, BARE].tolist() == [1, 0, 0]
    assert value_features(CALL.values[2], 0, state, [(CALL.mentions[2], 0)]).shape == (2, VALUE_SIZE)


def test_signs_that_few_names_have_tell_services_apart() -> None:
    (alike, other), (opposed, _) = (
        mention_features(mention(name, after), LinkHypothesis().linked(mention("彩铃"), 0, 0.0, None))[:, BARE + 4 :]
        for name, after in (("彩铃", 5), ("副卡", 0))
    )
    assert alike[:5].tolist() == [1, 1, 0, 0, 0]
    assert opposed[:5].tolist() == [0, 0, 1, 0, 0]
    assert not other[:5].any()
