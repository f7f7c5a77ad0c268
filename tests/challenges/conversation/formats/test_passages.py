from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.conversation.formats.passages import LONGEST, parts, read_passages
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]


def read(path: Path) -> list[tuple[str, object]]:
    return [(fact.subject, fact.object) for fact in read_passages(path)]


def test_paragraphs_are_passages_whatever_their_lines(write: Write) -> None:
    path = write("\ufeffBags may weigh\n23 kg .\n\n \n\nSeats are free .\n")
    assert read(path) == [("", "Bags may weigh 23 kg ."), ("", "Seats are free .")]
    packed = write(gzip.compress(path.read_bytes()), "file.txt.gz")
    assert read(packed) == read(path)


def test_lines_of_json_say_what_they_are_about(write: Write) -> None:
    path = write('\n{"about": "how heavy\\n are bags ?", "text": "23 kg ."}\n\n{"text": "seats  are free ."}\n')
    assert read(path) == [("how heavy are bags ?", "23 kg ."), ("", "seats are free .")]


def test_long_texts_are_cut_where_sentences_end() -> None:
    sentence = " ".join(["word"] * 24 + ["end."])
    assert parts(" ".join([sentence] * 5)) == [f"{sentence} {sentence}"] * 2 + [sentence]
    endless = " ".join(["word"] * (LONGEST + 1))
    assert parts(f"Short. {endless}") == ["Short.", endless]
    assert parts(" \n ") == []


def test_all_problems_of_a_file_are_told_with_their_lines(write: Write) -> None:
    rows = ('{"text": "good ."}', "{", '{"answer": "x"}', '{"about": "x"}', '{"text": 3}', '{"text": " "}', "[]")
    path = write("\n".join(rows))
    with pytest.raises(FormatError) as caught:
        read_passages(path)
    told = [(one.place, one.rule) for one in caught.value.problems]
    assert told == [("line 2", "passage-json"), *((f"line {number}", "passage-fields") for number in range(3, 8))]
    message = str(caught.value)
    for part in (
        "unknown field 'answer'",
        "no field 'text'",
        "field 'text' is 3",
        "field 'text' is empty",
        "a list of 0",
    ):
        assert part in message
    assert all('"about"' in one.advice for one in caught.value.problems)


@pytest.mark.parametrize("text", ["", " \n\n\t\n"])
def test_a_file_without_passages_is_refused(write: Write, text: str) -> None:
    with pytest.raises(FormatError, match="no passage"):
        read_passages(write(text))


def test_bytes_that_are_no_text_are_refused_with_their_line(write: Write) -> None:
    with pytest.raises(FormatError, match="line 2"):
        read_passages(write(b"good .\n\xff\xfe\n"))
