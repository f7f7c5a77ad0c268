from __future__ import annotations

import math

import msgspec
import pytest
import torch

from duologue.challenges.spoken.systems.pipeline.entity_tagger import (
    EntityDictionary,
    NgramIdf,
    mentioned_entities,
    tagger_row,
    tagger_size,
)
from duologue.challenges.spoken.systems.pipeline.network.tagger import LabelledSpan, Tagger
from duologue.challenges.spoken.systems.pipeline.utterances import LabelledUtterance
from duologue.core.typed import convert
from duologue.models.vocabulary import CopyVocabulary

NAMES = ["雾港（2011年小说）", "雾港（2015年电影）", "青石岛", "甲"]
WORDS = CopyVocabulary(list("青石岛雾港你知道吗"))
LINES = [LabelledUtterance("你知道青石岛吗", ((3, 6),))] * 3 + [LabelledUtterance("雾港呢", ())]


class Marker(Tagger):
    """A tagger that marks the same characters in every utterance."""

    def __init__(self, start: int, end: int) -> None:
        super().__init__(tagger_size(WORDS, 8, 1))
        self.place = (start, end)

    def emissions(self, tokens: torch.Tensor) -> torch.Tensor:
        scores = torch.zeros(*tokens.shape, 3)
        scores[:, :, 0] = 1.0
        start, end = self.place
        scores[:, start:end] = torch.tensor([0.0, 0.0, 9.0])
        scores[:, start : start + 1] = torch.tensor([0.0, 9.0, 0.0])
        return scores


def test_the_last_of_the_names_that_share_a_form_wins() -> None:
    dictionary = EntityDictionary(NAMES)
    assert dictionary.entity("雾港") == "雾港（2015年电影）"
    assert dictionary.entity("雾港（2011年小说）") == "雾港（2011年小说）"
    assert dictionary.entity("《青石岛》") == "青石岛"
    assert dictionary.entity("灯塔") is None


def test_names_are_found_the_longest_first() -> None:
    assert EntityDictionary([*NAMES, "青石岛灯塔"]).names_in("去青石岛灯塔和青石岛，甲也去") == ["青石岛灯塔", "青石岛"]


def test_rarity_counts_utterances() -> None:
    idf_table = NgramIdf.of(LINES)
    assert idf_table.idf("青石岛") == pytest.approx(math.log(4 / 4))
    assert idf_table.idf("雾港") == pytest.approx(math.log(4))


def test_the_entity_tagged_last_comes_first() -> None:
    texts = ["青石岛好吗", "雾港去", ""]
    found = mentioned_entities(texts, Marker(0, 3), WORDS, EntityDictionary(NAMES), NgramIdf.of(LINES))
    assert found == ["青石岛"]
    found = mentioned_entities(
        ["雾港", "青石岛", "雾港"], Marker(0, 2), WORDS, EntityDictionary(NAMES), NgramIdf.of(LINES)
    )
    assert found == ["雾港（2015年电影）"]


def test_without_tagged_names_the_rarest_of_the_dictionary_is_taken() -> None:
    texts = ["青石岛和雾港，你知道吗", "嗯"]
    assert mentioned_entities(texts, Marker(9, 9), WORDS, EntityDictionary(NAMES), NgramIdf.of(LINES)) == [
        "雾港（2015年电影）"
    ]
    assert mentioned_entities(["你好"], Marker(9, 9), WORDS, EntityDictionary(NAMES), NgramIdf.of(LINES)) == []


def test_an_utterance_is_tagged_where_its_names_are() -> None:
    assert tagger_row(LINES[0], WORDS).spans == [LabelledSpan(3, 6, 0)]


def test_numbers_of_utterances_that_cannot_be_are_refused() -> None:
    for told in ({"utterances": -1, "counts": {}}, {"utterances": 1, "counts": {"雾港": -1}}):
        with pytest.raises(msgspec.ValidationError, match="Expected `int` >= 0"):
            convert(told, NgramIdf)
    assert NgramIdf(utterances=0, counts={}).idf("雾港") == 0.0
