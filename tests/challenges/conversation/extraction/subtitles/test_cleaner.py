from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.growth import LINEAR, growth

from duologue.challenges.conversation.extraction.subtitles.cleaner import (
    RULES,
    Cleaned,
    clean,
    clean_lines,
    packed,
    sentences,
)
from duologue.challenges.conversation.extraction.subtitles.xml_scanner import parse, scan

if TYPE_CHECKING:
    from pathlib import Path

BITS = (
    " ", " ", "'", " ' ", "n", "s", "t", "em ", "mr", "mrs", "st", ".", " .", "-", "\u2013", "\u2014", "- ", " -", "%",
    "% %", "#", "''", "`", "(", ")", "[", "]", "{", "}", "<", ">", "<!--", "-->", ":", "A", "_", "İ", "a", "Σ", '"',
    "\\'", "\xa0", "\t", "\u2003", "\u3000", "\x85", "\u2028", "bout", "?", "!", "...", "é", "😀",
)  # fmt: skip
RAW = st.lists(st.sampled_from(BITS), max_size=14).map("".join)


def unpacked(cleaned: Cleaned) -> list[tuple[str, int]]:
    """The sentences with their numbers of words."""
    ends = cleaned.lengths.cumsum().tolist()
    texts = [cleaned.text[end - length : end].decode() for end, length in zip(ends, cleaned.lengths, strict=True)]
    return list(zip(texts, cleaned.tokens.tolist(), strict=True))


def counted(found: list[str]) -> list[tuple[str, int]]:
    return [(sentence, len(sentence.split())) for sentence in found]


@settings(max_examples=100)
@given(st.lists(RAW, max_size=8))
def test_all_lines_at_once_are_cleaned_as_rule_by_rule(raw: list[str]) -> None:
    assert unpacked(clean_lines("".join(text + "\n" for text in raw))) == counted(sentences(raw))


@settings(max_examples=200)
@given(st.lists(st.sampled_from((*"<{([>})] a\n-", "<!--", "-->")), max_size=20).map("".join))
def test_asides_are_those_of_their_expression(raw: str) -> None:
    assert RULES[0].apply(raw) == re.sub(r"<!--.*?-->|<[^>]*>|\{[^}]*\}|\([^)]*\)|\[[^\]]*\]", " ", raw)


@pytest.mark.slow
@pytest.mark.parametrize("raw", ["(", "<!--", "<", "{[", "-", " ", "' ", ": "], ids=repr)
def test_a_line_without_end_is_cleaned_in_the_time_of_one_pass(raw: str) -> None:
    def work(lines: list[str]) -> None:
        assert unpacked(clean_lines("".join(f"{line}\n" for line in lines))) == counted(sentences(lines))

    assert growth(lambda size: [" it 's", raw * size + "x", "late"], work, 10_000) < LINEAR


def test_very_many_lines_that_end_with_a_colon_are_glued_in_one_pass() -> None:
    def work(raw: list[str]) -> None:
        assert sentences(raw)[0].endswith("b")

    assert growth(lambda size: [" a :", " "] * size + [" b"], work, 10_000) < LINEAR


@settings(max_examples=30)
@given(st.lists(RAW, max_size=8))
def test_sentences_that_are_clean_are_packed_as_they_are(raw: list[str]) -> None:
    found = sentences(raw)
    assert unpacked(packed(found)) == counted(found)


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        (" ( a [ b ) c ]", "c ]"),
        (" <i> Hi </i> <!-- > --> there", "hi there"),
        (" it \\' s a", "it 's a"),
        (" tell ' em now", "tell 'em now"),
        (" ca n ' t", "ca n' t"),
        (" Mr . X and mrs . Y and ms .", "mr. x and mrs. y and ms."),
        (" time: no", "no"),
        (" : no", "no"),
        (" two words : no", "two words : no"),
        (" a- -b - - c --", "a -b c"),
        (" % % % a", "% a"),
        (" '' `` ( ) \" #", ""),
        (" İSTANBUL", "istanbul"),
        (" ...", "..."),
        (" ;", ""),
    ],
)
def test_each_rule_has_a_case(raw: str, wanted: str) -> None:
    assert clean(raw) == wanted
    assert [text for text, _ in unpacked(clean_lines(raw + "\n"))] == ([wanted] if wanted else [])


def test_every_rule_says_what_it_is_for() -> None:
    assert [rule.name for rule in RULES] == [
        "asides", "escapes", "right", "left", "titles", "speaker", "marks", "dotted", "spaces", "rest",
    ]  # fmt: skip
    assert all(len(rule.why) > 20 for rule in RULES)


def test_a_text_that_ends_with_a_colon_is_glued_and_lost_at_the_end() -> None:
    raw = [" He said :", " now :\xa0", "", " go .", " And :"]
    assert sentences(raw) == ["he said : now : go ."]
    assert unpacked(clean_lines("".join(text + "\n" for text in raw))) == counted(sentences(raw))


def test_the_golden_cases_come_out_both_ways(golden: Path) -> None:
    lines = (golden / "opensubs_cases.jsonl").read_text("utf-8").splitlines()
    for case in map(json.loads, lines):
        wanted = case["expected"]
        if isinstance(wanted, dict):  # the official tool crashes on an empty `w`: it is read as empty
            wanted = [["hi", 1], ["", 0]]
        expected = [tuple(row) for row in wanted[:-1]]
        data = case["xml"].encode()
        assert counted(sentences(parse(data))) == expected, case["rule"]
        raw = scan(data)
        if raw is not None:
            assert unpacked(clean_lines(raw)) == expected, case["rule"]
    assert len(lines) == 27
