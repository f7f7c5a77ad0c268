from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from duologue.core.escapes import excerpt, in_json, last_part, one_line, printable

ANY = st.text(st.characters(codec=None), max_size=40)
OBEYED = {*map(chr, range(0x20)), "\x7f", *map(chr, range(0x80, 0xA0)), *"\u2028\u2029\u202a\u202e\u2066\u2069\ud800"}


@given(ANY)
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    assert not set(one_line(text)) & (OBEYED - {"\t"})
    assert not set(printable(text)) & (OBEYED - {"\t", "\n"})
    one_line(text).encode("utf-8")


@given(ANY)
def test_json_stays_the_same_json(text: str) -> None:
    made = in_json(json.dumps({text: [text]}, ensure_ascii=False))
    assert json.loads(made) == {text: [text]}
    assert not set(made) & OBEYED


def test_what_is_spelled_out_and_what_is_left_alone() -> None:
    assert one_line("a\x1b[2J\x9b\u202e\r\n\ud800") == r"a\x1b[2J\x9b\u202e\r\n\ud800"
    plain = "naïve 你好，👩‍👩‍👧 \tשלום \u200f \\x1b"
    assert (one_line(plain), printable(plain + "\n")) == (plain, plain + "\n")


def test_what_a_bot_says_reaches_a_message_in_print_and_short() -> None:
    assert excerpt(b"\x1b[31mred\x07\n") == r"\x1b[31mred\x07"
    assert excerpt(b"\xff") == r"\\xff"
    assert len(excerpt(b"x" * (4 << 20))) == 203


@given(ANY)
def test_the_last_part_of_a_name_is_a_name_that_file_systems_take(name: str) -> None:
    found = last_part(name * 40)
    assert len(found.encode()) <= 200
    assert not set(found) & {"/", *OBEYED} - {"\t"}


def test_of_a_long_name_the_end_is_kept() -> None:
    assert last_part("/a/b\\" + "餐" * 100 + ".json.gz").endswith("餐餐.json.gz")
    assert (last_part("a/.."), last_part("")) == ("..", "")


def test_of_a_name_two_hundred_bytes_are_kept_and_of_what_was_said_two_hundred_signs_are_told() -> None:
    assert last_part("a" * 300) == "a" * 200
    assert excerpt(b"x" * 200) == "x" * 200
    assert excerpt(b"x" * 201) == "x" * 200 + "..."
    assert excerpt("\U0001f600".encode() * 200) == "\U0001f600" * 200
    assert excerpt("\U0001f600".encode() * 201) == "\U0001f600" * 200 + "..."
