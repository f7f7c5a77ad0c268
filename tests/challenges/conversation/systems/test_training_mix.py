from __future__ import annotations

from collections import Counter

import pytest

from duologue.challenges.conversation.formats.training_pairs import TrainingDialogue
from duologue.challenges.conversation.systems.training_mix import limited, upsampled


def talks_of_files(*sizes: int) -> list[TrainingDialogue]:
    return [
        TrainingDialogue(f"{file}:{number}", ()) for file, size in enumerate(sizes, start=1) for number in range(size)
    ]


def per_file(talks: list[TrainingDialogue]) -> list[int]:
    counts = Counter(talk.id.partition(":")[0] for talk in talks)
    return [counts[file] for file in sorted(counts)]


@pytest.mark.parametrize(
    ("sizes", "most", "kept"),
    [
        ((100, 5), 20, [15, 5]),
        ((100, 50, 5), 45, [20, 20, 5]),
        ((3, 4), 7, [3, 4]),
        ((9,), 4, [4]),
        ((9, 2), 0, [9, 2]),
    ],
)
def test_small_files_are_kept_whole_as_far_as_equal_parts_go(
    sizes: tuple[int, ...], most: int, kept: list[int]
) -> None:
    many = talks_of_files(*sizes)
    found = limited(many, most, 1)
    assert per_file(found) == kept
    assert found == [talk for talk in many if talk in found] == limited(many, most, 1)
    if len(found) < len(many):
        assert found != limited(many, most, 2)


@pytest.mark.parametrize(
    ("sizes", "times", "counts"),
    [
        ((100, 10), 6, [100, 60]),
        ((100, 40), 6, [100, 80]),
        ((100, 60), 6, [100, 60]),
        ((5,), 6, [5]),
        ((9, 3), 1, [9, 3]),
    ],
)
def test_small_files_come_again_until_they_are_as_large(sizes: tuple[int, ...], times: int, counts: list[int]) -> None:
    many = talks_of_files(*sizes)
    found = upsampled(many, times)
    assert per_file(found) == counts
    assert set(found) == set(many)


def test_talks_of_a_single_file_have_no_number_before_their_ids() -> None:
    many = [TrainingDialogue(str(number), ()) for number in range(9)]
    assert upsampled(many, 4) == limited(many, 0, 1) == many
    assert upsampled([], 4) == []
    assert len(limited(many, 3, 1)) == 3
