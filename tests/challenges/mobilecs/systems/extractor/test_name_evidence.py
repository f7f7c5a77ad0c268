from __future__ import annotations

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES
from duologue.challenges.mobilecs.systems.extractor.name_evidence import (
    BUCKETS,
    PLANS,
    NameEvidence,
    grams,
    typed_names,
)

COUNT = len(ENTITY_TYPES)


def evidence(name: str, kind: int, weight: float = 2.0) -> NameEvidence:
    """Return evidence by which the n-grams of a name speak for a type."""
    weights = np.zeros((BUCKETS, COUNT), dtype=np.float32)
    weights[grams(name), kind] = weight
    return NameEvidence(weights, np.zeros(COUNT, dtype=np.float32))


def test_amounts_are_all_alike() -> None:
    assert np.array_equal(grams("十块钱的彩铃"), grams("五元的彩铃"))
    assert not np.array_equal(grams("彩铃"), grams("五元的彩铃"))


def test_names_that_share_n_grams_share_what_they_tell() -> None:
    told = evidence("心享彩铃", 7)
    assert told.of(["乐聊彩铃"]).argmax() == 7
    assert np.isclose(told.of(["乐聊彩铃"])[[0, 1]], told.of(["乐聊彩铃"])[2]).all()
    mean = told.of(["乐聊彩铃", "短号"])
    assert np.allclose(mean, (told.of(["乐聊彩铃"]) + told.of(["短号"])) / 2)


def test_names_without_signs_of_their_own_tell_nothing() -> None:
    told = evidence("这个流量包", 7)
    assert not told.of(["这个流量包", "十块钱的"]).any()
    assert not told.of([]).any()
    assert np.array_equal(told.of(["这个流量包", "彩铃"]), told.of(["彩铃"]))


def test_plans_have_the_same_names() -> None:
    told = evidence("心享卡", PLANS[0]).of(["心享卡"])
    assert (told[list(PLANS)] == told.max()).all()
    rows = typed_names([("心享卡", kind) for kind in PLANS])
    assert [(row.group, row.weight > 2) for row in rows] == [(PLANS[0], True)]


def test_names_said_once_are_not_learned() -> None:
    rows = typed_names([("彩铃", 0), ("五元的彩铃", 0), ("十元的彩铃", 0), ("流量包", 5), ("流量包", 5)])
    assert [(row.group, round(row.weight, 2)) for row in rows] == [(0, 1.69)]
    assert np.array_equal(rows[0].grams, grams("五元的彩铃"))
