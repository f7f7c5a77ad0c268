from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive import lines as module
from duologue.challenges.proactive.lines import Lines


@given(st.lists(st.sampled_from(["a", "好", "\n", "\r", "\r\n", "\u2028", "\x0b", "\x85", " "]), max_size=20))
def test_lines_end_where_text_mode_ends_them(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    expected = [line.removesuffix("\n") for line in io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")]
    assert list(Lines(data)) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PORTION", 2)
        assert list(Lines(data)) == expected


def test_bytes_that_are_no_text_are_refused_where_they_stand() -> None:
    with pytest.raises(UnicodeDecodeError):
        list(Lines(b"fine\n\xff\n"))


def test_portions_hold_whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PORTION", 4)
    assert list(Lines(b"ab\ncdef\ng\n").portions()) == [["ab", "cdef"], ["g"]]
