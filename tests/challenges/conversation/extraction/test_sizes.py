from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.conversation.extraction import sizes
from duologue.challenges.conversation.extraction.sizes import Sizes
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_dialogues_are_the_empty_lines(write: Callable[..., Path]) -> None:
    assert sizes.count(write("U: a b\nS: c\n\nU: d\n\n\nS: e")) == Sizes(3, 4, 5)


def test_the_printed_lines_are_the_official_ones(golden: Path) -> None:
    golden = golden / "opensubs_end_to_end"
    counts = [sizes.count(golden / f"expected_{part}.txt") for part in ("train", "dev")]
    assert sizes.printed(*counts) == (golden / "expected_check.txt").read_text()


def test_the_organisers_own_sizes_differ_by_nothing() -> None:
    lines = sizes.printed(sizes.TRAIN, sizes.DEV)
    assert lines.count("(0.00 % difference") == 6
    assert "n_words: 40073702 (0.00 % difference from reference: 40073702)\n" in lines


def test_nothing_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="is it dialogue text"):
        sizes.printed(Sizes(0, 1, 1), sizes.DEV)
