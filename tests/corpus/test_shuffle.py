from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.core.errors import StorageError
from duologue.corpus import shuffle as module
from duologue.corpus.shuffle import first, shuffle, write_places

if TYPE_CHECKING:
    from pathlib import Path

SMALL = settings(max_examples=30)


def shuffled(n: int, seed: int = 99) -> list[int]:
    items = list(range(n))
    shuffle(items, random.Random(seed))
    return items


def test_the_order_is_that_of_the_official_tools() -> None:
    rng = random.Random(99)
    ten, six = list(range(10)), list(range(6))
    shuffle(ten, rng)
    shuffle(six, rng)
    assert ten == [0, 3, 2, 5, 6, 9, 7, 8, 1, 4]
    assert six == [4, 0, 3, 1, 2, 5]


@SMALL
@given(st.integers(0, 150), st.integers(1, 200), st.integers(1, 40), st.integers(1, 60), st.integers(0, 5))
def test_places_on_disk_are_those_of_the_list_however_it_is_cut(
    tmp_path: Path, n: int, batch: int, drawn: int, swept: int, seed: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_DRAWN", drawn)
        patch.setattr(module, "_SWEPT", swept)
        kind = write_places(tmp_path / "places", n, random.Random(seed), batch=batch)
    found = np.fromfile(tmp_path / "places", kind)
    assert [int(found[item]) for item in shuffled(n, seed)] == list(range(n))


@SMALL
@given(st.integers(0, 150), st.integers(0, 170), st.integers(1, 40))
def test_the_first_items_are_found_without_the_others(n: int, wanted: int, drawn: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_DRAWN", drawn)
        assert first(n, wanted, random.Random(99)) == shuffled(n)[:wanted]


def test_the_stream_of_the_caller_is_not_moved(tmp_path: Path) -> None:
    rng = random.Random(1)
    write_places(tmp_path / "places", 30, rng)
    assert rng.random() == random.Random(1).random()


def test_a_disk_that_refuses_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        write_places(tmp_path / "no folder" / "places", 3, random.Random(1))
