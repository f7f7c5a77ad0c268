from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.restaurant.formats.file_names import FileName, parse_file_name


def test_a_test_file_tells_subtask_set_and_fields() -> None:
    found = parse_file_name("some/tst4/dialog-task5FULL-kb2_atmosphere_restrictions-distr0.5-tst1000.json.gz")
    assert found == FileName(subtask=5, kb=2, restrictions=True, split="tst", n=1000)
    assert found.part == "tst4"
    assert found.fields == ("cuisine", "location", "number", "price", "atmosphere", "restrictions")


def test_a_part_of_a_training_file_is_of_the_training_set() -> None:
    found = parse_file_name("dialog-task1API-kb1_atmosphere-distr0.5-trn10000.part9000-9999.json")
    assert found is not None
    assert (found.part, found.n, found.fields[-1], found.answers) == ("train", 10000, "atmosphere", False)


@pytest.mark.parametrize(
    "name",
    [
        "extendedkb1.txt",
        "",
        "dialog-task6FULL-kb1_atmosphere-distr0.5-tst1000.json",
        "dialog-task1FULL-kb1_atmosphere-distr0.5-tst1000.json",
        "dialog-task1API-kb3_atmosphere-distr0.5-tst1000.json",
        "dialog-task1API-kb1_atmosphere-distr0.5-dev1000.json",
        "dialog-task1API-kb1_atmosphere-distr0.5-tst1000.json/other.json",
    ],
)
def test_other_names_say_nothing(name: str) -> None:
    assert parse_file_name(name) is None


@given(
    st.builds(
        FileName,
        subtask=st.integers(1, 5),
        kb=st.sampled_from([1, 2]),
        restrictions=st.booleans(),
        split=st.sampled_from(["trn", "tst"]),
        n=st.integers(1, 10**8),
        answers=st.booleans(),
    )
)
def test_a_name_that_is_spelled_is_understood_again(name: FileName) -> None:
    assert parse_file_name(str(name)) == name
    assert parse_file_name(f"folder\\{name}.gz") == name
