from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.systems import holdout
from duologue.core.errors import UsageError
from duologue.core.records import Answer, Example, Goal, Sample

if TYPE_CHECKING:
    from pathlib import Path


def example(number: int, topics: tuple[str, ...]) -> Example:
    sample = Sample(id=f"{number}#00", dialogue_id=f"{number}", goal=Goal(topics=topics))
    return Example(sample=sample, references=(Answer(text="好"),))


def many(count: int) -> list[Example]:
    """Return one example per dialogue; every third pair comes back the other way round."""
    pairs = [(f"甲{number}", f"乙{number}") for number in range(count)]
    return [example(at, pair) for at, pair in enumerate([*pairs, *(pair[::-1] for pair in pairs[::3])])]


def pairs_of(examples: list[Example]) -> set[holdout.Pair]:
    return {holdout.pair_of(one.sample) for one in examples}


topic = st.sampled_from("甲乙丙丁戊己")


@given(st.lists(st.tuples(topic, topic), min_size=2, max_size=30), st.floats(0.01, 0.9), st.integers(0, 9))
def test_no_pair_of_topics_is_on_both_sides_and_nothing_is_lost(
    topics: list[tuple[str, str]], share: float, seed: int
) -> None:
    examples = [example(at, pair) for at, pair in enumerate(topics)]
    if len(pairs_of(examples)) < 2:
        with pytest.raises(UsageError, match="cannot be split"):
            holdout.split(examples, share, seed)
        return
    train, kept = holdout.split(examples, share, seed)
    assert train
    assert kept
    assert not pairs_of(train) & pairs_of(kept)
    assert sorted([*train, *kept], key=lambda one: int(one.sample.dialogue_id)) == examples


def test_the_share_is_met_and_the_seed_alone_decides() -> None:
    examples = many(300)
    train, kept = holdout.split(examples, 0.1, 1)
    assert 40 <= len(kept) <= 41
    assert holdout.split(examples, 0.1, 1) == (train, kept)
    assert pairs_of(holdout.split(examples[::-1], 0.1, 1)[1]) == pairs_of(kept)
    assert pairs_of(holdout.split(examples, 0.1, 2)[1]) != pairs_of(kept)


def test_a_larger_share_keeps_what_a_smaller_one_held_out() -> None:
    examples = many(60)
    assert pairs_of(holdout.split(examples, 0.1, 1)[1]) < pairs_of(holdout.split(examples, 0.3, 1)[1])


def test_a_part_of_a_number_of_dialogues_has_exactly_as_many() -> None:
    examples = many(90)
    rest, part = holdout.carve(examples, 31, 1)
    assert len({one.sample.dialogue_id for one in part}) == 31
    assert not pairs_of(rest) & pairs_of(part)
    assert len(rest) + len(part) == len(examples)


@pytest.mark.parametrize("dialogues", [12, 13])
def test_all_or_more_dialogues_than_there_are_cannot_be_put_aside(dialogues: int) -> None:
    with pytest.raises(UsageError, match=f"{dialogues} of 12"):
        holdout.carve(many(9), dialogues, 1)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 2.0])
def test_a_share_outside_zero_and_one_is_refused(share: float) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        holdout.split(many(4), share, 1)


def test_a_sample_without_two_topics_is_refused_by_its_name() -> None:
    bare = example(7, ("甲", "乙"))
    bare = msgspec.structs.replace(bare, sample=msgspec.structs.replace(bare.sample, goal=None))
    with pytest.raises(UsageError, match="7#00"):
        holdout.split([*many(3), bare], 0.5, 1)


@pytest.mark.slow
@pytest.mark.real_data(twin="test_a_part_of_a_number_of_dialogues_has_exactly_as_many")
def test_five_hundred_of_the_visible_sessions_can_be_put_aside(real_data: Path) -> None:
    examples = files.load(real_data / "proactive" / "duconv_dev_visible.jsonl.gz")
    rest, part = holdout.carve(examples, 500, 1)
    assert len({one.sample.dialogue_id for one in part}) == 500
    assert len({one.sample.dialogue_id for one in rest}) == 1000
    assert not pairs_of(rest) & pairs_of(part)
