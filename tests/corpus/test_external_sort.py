from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.full_disk import files_up_to

from duologue.core.errors import NoSpaceError, StorageError
from duologue.corpus.external_sort import ExternalSorter
from duologue.corpus.tables import PackedTexts

if TYPE_CHECKING:
    from pathlib import Path


def texts(words: list[str]) -> PackedTexts:
    data = [word.encode() for word in words]
    return PackedTexts.of(b"".join(data), np.array([len(word) for word in data], np.int64))


@settings(max_examples=20)
@given(
    st.lists(st.text(st.sampled_from("abé"), max_size=9), max_size=60),
    st.integers(1, 600),
    st.integers(1, 30),
    st.randoms(use_true_random=False),
)
def test_texts_come_in_the_order_of_their_keys_whatever_a_run_holds(
    tmp_path: Path, words: list[str], run: int, portion: int, rng: object
) -> None:
    keys = [3 * number for number in range(len(words))]
    rng.shuffle(keys)  # type: ignore[attr-defined]  # a random.Random
    high = 3 * len(words)
    with ExternalSorter(tmp_path / "work", run=run) as sorter:
        for start in range(0, len(words), portion):
            part = slice(start, start + portion)
            sorter.add(np.array(keys[part]), texts(words[part]))
        ordered = [word for _, word in sorted(zip(keys, words, strict=True))]
        middle = len(words) // 2
        assert b"".join(sorter.sorted(0, 3 * middle)).decode() == "".join(ordered[:middle])
        assert b"".join(sorter.sorted(3 * middle, high)).decode() == "".join(ordered[middle:])
        assert b"".join(sorter.sorted(0, high)).decode() == "".join(ordered)
    assert list((tmp_path / "work").iterdir()) == []


def test_pieces_stay_small(tmp_path: Path) -> None:
    words = ["x" * 50] * 400
    with ExternalSorter(tmp_path, run=1000) as sorter:
        sorter.add(np.arange(400)[::-1].copy(), texts(words))
        assert max(len(piece) for piece in sorter.sorted(0, 400)) < 2000


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="cannot write to"), ExternalSorter(tmp_path / "file"):
        pass


@pytest.mark.parametrize("count", [10, 5_000])
def test_a_full_disk_is_told_with_its_folder_and_leaves_nothing(count: int, tmp_path: Path) -> None:
    """What the buffers held was refused while they were read, or once more when they were closed: of no file."""
    with files_up_to(50), pytest.raises(NoSpaceError, match=r"cannot write to .*work"):
        sort(tmp_path / "work", count)
    assert list((tmp_path / "work").iterdir()) == []


def sort(folder: Path, count: int) -> None:
    with ExternalSorter(folder, run=1_000_000) as sorter:
        sorter.add(np.arange(count), texts([f"word{number}" for number in range(count)]))
        list(sorter.sorted(0, count))
