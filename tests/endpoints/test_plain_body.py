from __future__ import annotations

import pytest

from duologue.endpoints.plain_body import packing_of


@pytest.mark.parametrize(
    ("told", "packing"),
    [("", ""), (" Identity ", ""), ("gzip", "gzip"), ("gzip, gzip", "gzip, gzip"), ("x" * 99, "x" * 80)],
)
def test_a_packed_body_is_known_by_its_field(told: str, packing: str) -> None:
    assert packing_of({"Content-Encoding": told}) == packing
