"""Bodies in pieces, cut anywhere."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.endpoints.chunks import DELTA, END, MESSAGE, NotJsonError, chunks_of

LINES = [
    ": a comment",
    "event: x",
    'data: {"a": "你好\u2028"}',
    "",
    "data:{",
    'data: "b":',
    "data: [2]}",
    "",
    "data:",
    "",
]
WANTED = [(DELTA, {"a": "你好\u2028"}), (DELTA, {"b": [2]}), (END, None)]


@given(st.sampled_from(["\n", "\r", "\r\n"]), st.lists(st.integers(0, 200)), st.sampled_from(["", "\ufeff"]))
def test_events_are_read_wherever_their_bytes_are_cut(end: str, cuts: list[int], mark: str) -> None:
    body = (mark + end.join([*LINES, "data: [DONE]", "", "no matter what"])).encode()
    places = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    pieces = [body[start:stop] for start, stop in pairwise(places)]
    assert list(chunks_of(pieces)) == WANTED


def test_events_without_an_empty_line_between_them_are_told_at_once() -> None:
    chunks = chunks_of(iter([b'data: {"a": 1}\ndata: {"a": 2}\n', b"data: {"]))
    assert [next(chunks), next(chunks)] == [(DELTA, {"a": 1}), (DELTA, {"a": 2})]
    with pytest.raises(NotJsonError) as told:
        next(chunks)
    assert told.value.data == b"{"


def test_a_body_that_is_no_stream_is_one_chunk() -> None:
    assert list(chunks_of([b'\n \n{\n "a"', b": 1\n}\n"])) == [(MESSAGE, {"a": 1})]
    assert list(chunks_of([])) == list(chunks_of([b" \n"])) == []
    for odd in (b"<html>", b"\xff", b'"\xff"', "您好".encode("gbk"), b"[" * 100_000, b'"\\ud8"', b'"\\ud800'):
        with pytest.raises(NotJsonError) as told:
            list(chunks_of([odd]))
        assert told.value.data == odd


@pytest.mark.parametrize("part", [MESSAGE, DELTA])
def test_what_is_no_character_is_read_as_the_sign_for_it(part: str) -> None:
    """An answer that stops amid a character is made again by the next try: it ended a run."""
    read = {
        b"\\ud83d": "\ufffd",
        b"\\uDE00": "\ufffd",
        b"\\ud83d\\ud83d\\ude00": "\ufffd😀",
        b"\\\\ud83d\\n": "\\ud83d\n",
    }
    head = b"data: " if part == DELTA else b""
    for written, said in read.items():
        body = head + b'{"a": "' + written + b'\\ud83d"}\n'
        assert list(chunks_of([body])) == [(part, {"a": said + "\ufffd"})]


def said(*words: str, end: str = "data: [DONE]\n\n") -> list[str]:
    r"""Return what chunks of a stream say whose words are written so in JSON."""
    body = "".join('data: {"choices": [{"delta": {"content": ' + one + "}}]}\n\n" for one in words) + end
    return [
        value["choices"][0]["delta"]["content"] for part, value in chunks_of([body.encode()]) if part != END
    ]  # fmt: skip


def test_a_character_that_two_chunks_share_is_read_whole() -> None:
    assert said(r'"a\ud83d"', r'"\ude00b"') == ["a", "😀b"]
    assert said(r'"\ud83d"', '""', "null", r'"\ude00\ud83d"', r'"\uDE01"') == ["", "", None, "😀", "😁"]
    for end in ("data: [DONE]\n\n", ""):
        assert said(r'"a\ud83d"', '"b"', end=end) == ["a", "\ufffdb"]
        assert said(r'"\ude00\ud83d"', r'"\ud83d"', r'"c\ud83d"', end=end) == ["\ufffd", "\ufffd", "\ufffdc", "\ufffd"]


def test_what_python_does_not_read_is_no_fault_of_a_half() -> None:
    deep = "[" * 900 + "]" * 900
    body = rf'data: {{"x": {deep}, "choices": [{{"delta": {{"content": "a\ud83d"}}}}]}}' + "\n\n"
    found = [value["choices"][0]["delta"]["content"] for _, value in chunks_of([body.encode()])]
    assert "".join(found) == "a\ufffd"


def test_time_grows_as_the_body() -> None:
    def seconds(count: int) -> float:
        begun = time.perf_counter()
        with pytest.raises(NotJsonError):
            list(chunks_of([b"data: {\n"] * count))
        return time.perf_counter() - begun

    assert min(seconds(40_000) for _ in range(3)) < 12 * min(seconds(10_000) for _ in range(3))
