from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.core.thoughts import pieces_without_thoughts, without_thoughts
from tests.growth import LINEAR, growth

PARTS = st.sampled_from(["<think>", "</think>", "<thi", "</", "nk>", "a", " ", "\n", "<"])


def joined(pieces: list[str]) -> str:
    """Return what is left of a text in pieces."""
    told = list[str]()
    for piece in pieces_without_thoughts(pieces, told.clear):
        assert piece
        told.append(piece)
    return "".join(told)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<think>a</think>b<think>c</think>d", "d"),
        ("hm</think>\n\nyes", "yes"),
        ("\n<think>never ends", ""),
        ("<think>a</think>\n<think>b", ""),
        ("I write <think> here", "I write <think> here"),
        (" no thoughts\n", " no thoughts\n"),
        ("<thin", "<thin"),
        ("", ""),
    ],
)
def test_thoughts_are_no_words(text: str, words: str) -> None:
    assert without_thoughts(text) == words
    for size in (1, 3, 7, 50):
        assert joined([text[place : place + size] for place in range(0, len(text), size)]) == words


@given(pieces=st.lists(st.lists(PARTS, max_size=4).map("".join), max_size=9))
def test_pieces_and_the_whole_have_the_same_words(pieces: list[str]) -> None:
    assert joined(pieces) == without_thoughts("".join(pieces))


def test_words_come_as_soon_as_they_are_certain_and_thoughts_never() -> None:
    pieces = iter(["<think>a", "b</th", "ink> ", "one", " <", "b> two"])
    taken = list[int]()
    told = pieces_without_thoughts(pieces, lambda: taken.append(1))
    assert next(told) == "one"
    assert list(pieces) == [" <", "b> two"]
    assert not taken


def test_what_turns_out_to_be_thoughts_is_taken_back() -> None:
    told = list[str]()
    for piece in pieces_without_thoughts(["let me ", "see</think>", "yes"], lambda: told.append("BACK")):
        told.append(piece)
    assert told == ["let me ", "BACK", "yes"]


@pytest.mark.parametrize("sign", ["a", "<", " ", "<think>", "</think>"])
def test_the_time_grows_with_the_text(sign: str) -> None:
    assert growth(lambda n: ["<think>", *[sign] * n], joined, 4000) < LINEAR
    assert growth(lambda n: [sign] * n, joined, 4000) < LINEAR
