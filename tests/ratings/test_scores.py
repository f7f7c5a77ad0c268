from __future__ import annotations

import numpy as np
import pytest

from duologue.core.errors import UsageError
from duologue.ratings.judgement import Rating
from duologue.ratings.protocol import RatingProtocol, find_protocol
from duologue.ratings.scores import final_score, rate_systems
from duologue.ratings.table import RatingTable

SPOKEN, MOBILECS, CONVERSATION = (find_protocol(name) for name in ("spoken", "mobilecs", "conversation"))


def drawn(
    quality: dict[str, float], protocol: RatingProtocol = SPOKEN, items: int = 40, raters: int = 4
) -> RatingTable:
    rng = np.random.default_rng(1)
    rows = []
    for system, mean in quality.items():
        for scale in protocol.criterion:
            said = np.clip(np.round(rng.normal(mean, 0.6, (items, raters))), scale.low, scale.high)
            rows += [
                Rating(f"i{i:02}", system, f"r{r}", scale.name, float(said[i, r]))
                for i in range(items)
                for r in range(raters)
            ]
    return RatingTable.of(rows, [one.name for one in protocol.criterion])


def test_means_sums_tests_and_tiers() -> None:
    table = drawn({"weak": 0.5, "good": 1.5, "alike": 1.48})
    found = rate_systems(table, SPOKEN)
    assert found.both_ways
    assert {one.system for one in found.systems[:2]} == {"good", "alike"}
    assert [one.standing.tier for one in found.systems if one.standing] == [1, 1, 2]
    assert [one.rank for one in found.systems] == [1, 2, 3]
    first = found.systems[0]
    assert first.total is not None
    means = [one.value for one in first.criteria if one is not None]
    assert first.total.value == pytest.approx(sum(means)) == pytest.approx(first.final or 0.0)
    mine = (table.system == table.systems.index(first.system)) & (table.criterion == 0)
    assert means[0] == pytest.approx(table.value[mine].mean())
    assert (first.items, first.raters, len(found.tests)) == (40, 4, 3)
    for one in found.tests:
        assert (one.better is not None) == ("weak" in {one.a, one.b})


def test_a_system_that_lacks_a_criterion_is_listed_and_not_ranked() -> None:
    table = drawn({"a": 1.0, "b": 1.2})
    kept = ~((table.system == 1) & (table.criterion == 2))
    table = table._replace(
        **{name: getattr(table, name)[kept] for name in ("item", "system", "rater", "criterion", "value")}
    )
    found = rate_systems(table, SPOKEN)
    last = found.systems[-1]
    assert (last.system, last.total, last.rank, last.standing) == ("b", None, None, None)
    assert last.criteria[2] is None
    assert found.tests == ()


def test_the_human_reference_is_shown_and_not_ranked() -> None:
    found = rate_systems(drawn({"reference": 4.5, "a": 3.0, "b": 2.5}, CONVERSATION), CONVERSATION)
    assert [(one.system, one.rank) for one in found.systems] == [("a", 1), ("b", 2), ("reference", None)]
    assert found.systems[-1].total is not None
    assert {one.a for one in found.tests} | {one.b for one in found.tests} == {"a", "b"}


def test_the_final_rank_follows_each_rule() -> None:
    table = drawn({"people-like-it": 4.0, "machines-like-it": 3.5}, MOBILECS)
    alone = rate_systems(table, MOBILECS)
    mixed = rate_systems(table, MOBILECS, {"people-like-it": 0.5, "machines-like-it": 3.5})
    assert alone.systems[0].system == "people-like-it"
    assert mixed.systems[0].system == "machines-like-it"
    assert mixed.systems[0].standing is not None
    assert mixed.systems[0].standing.tier == 2  # the tiers are those of people
    assert final_score(MOBILECS, 15.0, 5.0) == 1.0
    assert final_score(MOBILECS, 3.0, 0.0) == 0.0
    assert final_score(SPOKEN, 4.5, 99.0) == 4.5
    equal = drawn({"a": 1.0})
    twice = RatingTable.of(
        [
            Rating(equal.items[i], system, equal.raters[r], equal.criteria[c], value)
            for i, r, c, value in zip(equal.item, equal.rater, equal.criterion, equal.value, strict=True)
            for system in ("x", "y")
        ],
        equal.criteria,
    )
    assert [one.rank for one in rate_systems(twice, SPOKEN).systems] == [1, 1]
    parted = rate_systems(twice, SPOKEN, {"x": 1.0, "y": 2.0}).systems
    assert [(one.system, one.rank) for one in parted] == [("y", 1), ("x", 2)]


@pytest.mark.parametrize(
    ("automatic", "told"),
    [({"z": 1.0}, "of 'z', which nobody rated"), ({"a": 1.0}, "'b' has none"), ({"a": 1.0, "b": 9.0}, "greatest is 5")],
)
def test_wrong_automatic_scores(automatic: dict[str, float], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        rate_systems(drawn({"a": 3.0, "b": 3.0}, MOBILECS), MOBILECS, automatic)
