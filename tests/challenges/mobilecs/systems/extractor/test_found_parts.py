from __future__ import annotations

import math

import numpy as np
import pytest

from duologue.challenges.mobilecs.systems.extractor.decision_levels import DecisionLevels, SpanLevel
from duologue.challenges.mobilecs.systems.extractor.found_parts import MAX_PARTS, found_call, part_in, part_of
from duologue.challenges.mobilecs.systems.extractor.training_rows import LAYERS
from duologue.challenges.mobilecs.systems.tagger.document import Document, call_document
from duologue.challenges.mobilecs.systems.tagger.network import TaggedText
from duologue.core.records import Span, Turn

TURNS = [Turn(speaker="system", text="彩铃Vip的"), Turn(speaker="user", text="彩铃Vip的好")]


def layers(document: Document, marked: list[tuple[int, int, int, float]]) -> TaggedText:
    """Return layers that give marked stretches of the first one a kind with a probability, and everything else none.

    The vector of each character is its place.
    """
    made = [np.full((len(document.text), layer.size), 1e-6, dtype=np.float32) for layer in LAYERS]
    for layer in made:
        layer[:, 0] = 1
    for start, end, kind, probability in marked:
        made[0][start:end, 0] = 1 - probability
        made[0][start, 1 + 2 * kind] = probability
        made[0][start + 1 : end, 2 + 2 * kind] = probability
    return TaggedText(
        np.arange(len(document.text), dtype=np.float32).reshape(-1, 1),
        tuple(np.log(layer / layer.sum(1, keepdims=True)) for layer in made),
    )


def altered(said: TaggedText, shares: np.ndarray) -> TaggedText:
    """Return what a tagger says with other probabilities in the first layer."""
    return said._replace(layers=(np.log(shares / shares.sum(1, keepdims=True)), *said.layers[1:]))


def test_a_span_is_found_from_its_level_on_and_knows_its_kind() -> None:
    document = call_document(TURNS)
    said = layers(document, [(0, 6, 2, 0.4)])
    assert found_call(document, said, DecisionLevels(mention=SpanLevel(level=0.5), repeated=1)).mentions == []
    (part,) = found_call(document, said, DecisionLevels(mention=SpanLevel(level=0.3), repeated=1)).mentions
    assert (part.span, part.kind, part.text, part.role) == (Span(turn=0, start=0, end=6), 2, "彩铃vip的", "system")
    assert math.fsum(map(math.exp, part.kinds)) == pytest.approx(1)


def test_beginning_a_span_anew_may_cost_more_than_going_on() -> None:
    document = call_document(TURNS)
    said = layers(document, [(0, 4, 0, 0.9)])
    shares = np.exp(said.layers[0])
    shares[2, 1], shares[2, 2] = 0.6, 0.3  # begins rather than goes on
    said = altered(said, shares)
    for begin, count in ((0.0, 2), (1.0, 1)):
        levels = DecisionLevels(mention=SpanLevel(begin=begin), repeated=1)
        assert len(found_call(document, said, levels).mentions) == count


def test_doubt_about_the_kind_is_no_doubt_about_the_span() -> None:
    document = call_document(TURNS)
    said = layers(document, [(0, 2, 1, 0.4)])
    shares = np.exp(said.layers[0])
    shares[0, 1 + 2 * 5] = shares[1, 2 + 2 * 5] = 0.35
    shares[:2, 0] = 0.25
    said = altered(said, shares)
    (part,) = found_call(document, said, DecisionLevels(repeated=1)).mentions
    assert (part.start, part.end, part.kind) == (0, 2, 1)


def test_a_name_found_once_is_looked_for_elsewhere() -> None:
    document = call_document(TURNS)
    said = layers(document, [(0, 6, 0, 0.9), (7, 13, 0, 0.2)])
    for level, count in ((0.15, 2), (0.3, 1), (1.0, 1)):
        assert len(found_call(document, said, DecisionLevels(repeated=level)).mentions) == count


def test_no_more_parts_are_found_than_can_be_linked() -> None:
    document = call_document([Turn(speaker="user", text="套餐 " * (MAX_PARTS + 40))])
    every = [(place, place + 2, 2, 0.9) for place in range(0, len(document.text) - 3, 3)]
    assert len(found_call(document, layers(document, every), DecisionLevels(repeated=1)).mentions) == MAX_PARTS
    some = layers(document, every[:3])
    assert len(found_call(document, some, DecisionLevels(repeated=0)).mentions) == MAX_PARTS


def test_what_crosses_utterances_is_no_part() -> None:
    document = call_document(TURNS)
    assert found_call(document, layers(document, [(4, 9, 0, 0.9)]), DecisionLevels(repeated=1)).mentions == []
    assert part_in(document, layers(document, []).layers[0], 4, 9) is None


def test_parts_know_their_numbers_and_whether_they_point() -> None:
    document = call_document([Turn(speaker="user", text="这个十八_块的")])
    part = part_of(document, 0, 7, [0.0])
    assert part is not None
    assert (part.text, part.numbers, part.pointing) == ("这个十八块的", frozenset({"十八"}), True)


def test_breaks_alone_are_no_part() -> None:
    document = call_document([Turn(speaker="system", text="彩铃 _ 的")])
    said = layers(document, [(2, 5, 0, 0.9), (0, 2, 0, 0.9)])
    (part,) = found_call(document, said, DecisionLevels(repeated=1)).mentions
    assert part.text == "彩铃"
    assert part_in(document, said.layers[0], 2, 5) is None


def test_mentions_know_the_words_around_them() -> None:
    document = call_document(TURNS)
    last = len(document.text) - 1
    found = found_call(document, layers(document, [(0, 4, 0, 0.9), (9, last, 0, 0.9)]), DecisionLevels(repeated=1))
    around = [part.context for part in found.mentions]
    assert [context.tolist() for context in around if context is not None] == [[0, 0, 3, 4], [8, 9, last - 1, last]]
