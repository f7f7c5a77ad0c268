from __future__ import annotations

import pytest

from duologue.challenges.spoken.scoring.options import ScoringOptions
from duologue.challenges.spoken.scoring.selection import count_triples

ONE = {"name": "园", "attrname": "门票", "attrvalue": "十元"}


def counted(gold: list[dict[str, str]], said: list[dict[str, str]] | None, **options: str) -> dict[str, float]:
    counts = count_triples([gold], [said], ScoringOptions(**options))
    return {name: float(values[0]) for name, values in counts.items()}


@pytest.mark.parametrize(
    ("empty", "kept", "score"), [("one", 1.0, 1.0), ("zero", 1.0, 0.0), ("skip", 0.0, 0.0), ("gold_only", 0.0, 0.0)]
)
def test_samples_without_triples_count_as_the_option_says(empty: str, kept: float, score: float) -> None:
    numbers = counted([], [], empty=empty)
    assert (numbers["kept"], numbers["f1"]) == (kept, score)
    missing = counted([], None, empty=empty)
    assert (missing["kept"], missing["f1"]) == (kept, 0.0)


def test_only_gold_only_leaves_out_what_was_said_without_need() -> None:
    for empty in ("one", "zero", "skip"):
        assert counted([], [ONE], empty=empty)["kept"] == 1
    assert not any(counted([], [ONE], empty="gold_only").values())


def test_many_samples_are_counted_as_each_by_itself() -> None:
    golds, said = [[ONE], [], [], [ONE]], [[ONE], None, [], None]
    together = count_triples(golds, said, ScoringOptions())
    for place, pair in enumerate(zip(golds, said, strict=True)):
        assert {name: values[place] for name, values in together.items()} == counted(*pair)
    assert together["f1"].tolist() == [1, 0, 1, 0]


def test_repeated_triples_are_dropped_on_both_sides_or_counted() -> None:
    assert counted([ONE, ONE], [ONE])["f1"] == 1
    assert counted([ONE, ONE], [ONE], duplicates="count")["recall"] == 0.5
    assert counted([ONE], [ONE, ONE, ONE], duplicates="count")["recall"] == 3
