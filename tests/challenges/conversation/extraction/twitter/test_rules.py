from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.growth import LINEAR, growth

from duologue.challenges.conversation.extraction.twitter import rules
from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.challenges.conversation.extraction.twitter.rules import (
    AFTER,
    BEFORE,
    EXAMPLE,
    TOKEN,
    Speech,
    TweetRule,
    preprocess,
)
from duologue.challenges.conversation.extraction.twitter.tokenizer import CHALLENGE, CURRENT

BY_NAME = {rule.name: rule for rule in (*BEFORE, *TOKEN, *AFTER)}
JOHN = Speech("S", "JohnD_99", "John")


@pytest.mark.parametrize("rule", BY_NAME.values(), ids=lambda rule: rule.name)
def test_each_rule_does_what_its_example_says_and_leaves_its_own_result_alone(rule: TweetRule) -> None:
    assert rule.apply(rule.before, EXAMPLE) == rule.after != rule.before
    assert rule.apply(rule.after, EXAMPLE) == rule.after
    assert rule.why


def test_the_rules_stand_in_the_official_order() -> None:
    assert [rule.name for rule in BEFORE] == [
        "apostrophe", "double quotes", "leading handles", "part marks", "long numbers", "names",
    ]  # fmt: skip
    assert [rule.name for rule in TOKEN] == [
        "e-mail", "address", "number mark", "user mark", "contraction", "missing space",
    ]  # fmt: skip
    assert [rule.name for rule in AFTER] == ["signature", "last word"]


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("apostrophe", "‘a’", "‘a'"),
        ("leading handles", "@a: b", "@a: b"),
        ("leading handles", " @a b", " @a b"),
        ("leading handles", "@a\nb", "@a\nb"),
        ("leading handles", "@a", "@a"),
        ("leading handles", "@a.@b;@c,@d e", "e"),
        ("part marks", "a (1/2)[2/2] b", "a    b"),
        ("part marks", "1/2 2/2", " 2/2"),
        ("part marks", "1/2 price, 1/2, 5/6 1/6 x1/2", " price, 1/2, 5/6 1/6 x1/2"),
        ("part marks", "a 2/3\n", "a \n"),
        ("long numbers", "a 123456 b 1234567", "a 123456 b <NUMBERS>"),
        ("long numbers", "1234567 x1234567 AB1234567", "1234567 x1234567 AB<NUMBERS>"),
        ("long numbers", "I paid 250 300 400 for 3", "I paid <NUMBERS> for 3"),
        (
            "long numbers",
            "in 2015-2017 or (800) 555-0199 or +44 20 7946 0958",
            "in <NUMBERS> or <NUMBERS> or <NUMBERS>",
        ),
        ("e-mail", "a+b@c.com", "a+b@c.com"),
        ("e-mail", "a@b.c-d.com", "<E-MAIL>"),
        ("address", "HTTPS://x.co", "HTTPS://x.co"),
        ("address", "www.x.co/a", "www.x.co/a"),
        ("contraction", "rock'n'roll", "rock'n'roll"),
        ("contraction", "naïve's", "naïve's"),
        ("missing space", "a.b.c", "a.b.c"),
        ("missing space", "1.a", "1.a"),
    ],
)
def test_a_rule_goes_so_far_and_no_farther(name: str, text: str, wanted: str) -> None:
    assert BY_NAME[name].apply(text, Speech()) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("see @JohnD_992, cc @johnd_99", "see <USER>2, cc @johnd_99"),
        ("John John, Johnny", "<USER> John, Johnny"),
        ("john and (John)", "john and (<USER>)"),
    ],
)
def test_names_of_the_customer_are_taken_literally_and_by_case(text: str, wanted: str) -> None:
    assert rules.replace_names(text, JOHN) == wanted
    assert rules.replace_names(text, JOHN._replace(speaker="U")) == text


def test_a_name_with_signs_of_a_pattern_is_a_literal() -> None:
    assert rules.replace_names("a.c abc", Speech("S", "", "a.c")) == "<USER> abc"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("we are sorry . ^ th", "we are sorry . "),
        ("dm us . ^ ab <URL>", "dm us . <URL>"),
        ("dm us - kim .", "dm us ."),
        ("look into it ^ a b", "look into it "),
        ("look into it ^ maryann bee", "look into it ^ maryann bee"),
        ("try to check-in", "try to check"),
        ("we can help ^ t1", "we can help ^ t1"),
        ("here to help , cheers", "here to help ,"),
        ("your number . thanks ", "your number . thanks "),
        ("your number . thank you", "your number . thank you"),
        ("wait ... jenny", "wait ... jenny"),
        ("jenny", "jenny"),
        ("! jenny", "! jenny"),
    ],
)
def test_only_replies_lose_signature_and_last_word(text: str, wanted: str) -> None:
    def after(speech: Speech) -> str:
        made = text
        for rule in AFTER:
            made = rule.apply(made, speech)
        return made

    assert after(Speech("S")) == wanted
    assert after(Speech("U")) == text


def test_the_golden_cases_come_out_both_ways_with_both_tokenizers(golden: Path) -> None:
    lines = (golden / "twitter_preprocess.jsonl").read_text("utf-8").splitlines()
    for case in map(json.loads, lines):
        speech = Speech(case["speaker"], case["user_screen_name"], case["user_first_name"] or "")
        wanted = {CHALLENGE: case["expected"], CURRENT: case.get("expected_nltk_3.10", case["expected"])}
        for generation, expected in wanted.items():
            assert preprocess(case["text"], speech, generation) == expected, case["rule"]
            assert Cleaner(generation).clean(case["text"], speech) == expected, case["rule"]
    assert len(lines) == 95


def test_each_rule_is_told_in_the_documentation_in_its_order() -> None:
    page = (Path(__file__).resolve().parents[5] / "docs" / "challenges" / "conversation.md").read_text("utf-8")
    places = [
        page.index(f"| {rule.name} | {rule.why} | `{rule.before}` → `{rule.after}` |") for rule in BY_NAME.values()
    ]
    assert places == sorted(places)


RUN = st.lists(st.sampled_from(("1- ", "12", "345", "-", " ", "6 7", "123-")), max_size=60).map("".join)
LONG_RUN = st.sampled_from(("1- ", "2 -", "9" * 5, "345 1- ", "12 ")).map(lambda one: one * 30)


@settings(max_examples=300)
@given(st.lists(RUN | LONG_RUN | st.sampled_from(("(", ")", "+", "A", "b", " ", "(12)")), max_size=8).map("".join))
def test_long_numbers_are_those_of_the_pattern_however_long_their_runs(text: str) -> None:
    assert rules.replace_long_numbers(text) == rules.LONG_NUMBER.sub("<NUMBERS>", text)


def test_a_run_of_digits_without_end_is_gone_through_once() -> None:
    """The pattern goes through the rest of it at each of its digits."""
    assert growth("1- ".__mul__, rules.replace_long_numbers, 2_000) < LINEAR


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(["-", "–", "^", "~", " ", "   ", "a", "abc d", "<URL>", ".", "\n", "1"])).map("".join))
def test_a_signature_is_that_of_the_official_pattern(text: str) -> None:
    assert rules.without_signature(text) == rules.SIGNATURE.sub(r"\1", text)


@pytest.mark.parametrize(("first", "more"), [("", "- "), ("-", " "), ("-abc", " ")])
def test_signs_of_a_signature_without_end_are_gone_through_once(first: str, more: str) -> None:
    assert growth(lambda n: first + more * n + "1", rules.without_signature, 700) < LINEAR
