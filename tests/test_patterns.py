"""Time grows about as the text for every regular expression that reads text from anywhere."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.conversation.collector.importers.dialogues import _names_the_last
from duologue.challenges.mobilecs.schema.intents import bracketed, without_brackets
from duologue.challenges.proactive.simulator.user import _ends_in_question
from duologue.challenges.spoken.systems.template_nlg import context, surface_forms, templates

_SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "patterns.py"
_SPEC = importlib.util.spec_from_file_location("patterns_of_the_package", _SCRIPT)
assert _SPEC is not None
assert _SPEC.loader is not None
patterns: Any = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = patterns
_SPEC.loader.exec_module(patterns)

SIZES, LEAST = (1 << 9, 1 << 11), 0.004
KNOWN = {
    "challenges.conversation.extraction.subtitles.cleaner",  # two rules of the official cleaning, of one subtitle line
    "challenges.conversation.extraction.twitter.rules",  # a rule of the official cleaning, of one tweet
}
"""Modules whose patterns are official to the letter, and what they are used on."""


@pytest.mark.parametrize("pattern", [r'([\w-]+)="[^"]*"', r"\s+$", r"x(a*)a*$", r"\((.*?)\)"])
def test_a_slow_pattern_is_found(pattern: str) -> None:
    assert patterns.attack(patterns.Found("x", re.compile(pattern), anchored=False), SIZES, LEAST).exponent > 1.5


@pytest.mark.parametrize("pattern", [r"\d+", r"(?<!\s)\s++$", r"[a-z]+x?", r"a|b|[c-e]*+"])
def test_a_linear_pattern_is_none_of_them(pattern: str) -> None:
    assert patterns.attack(patterns.Found("x", re.compile(pattern), anchored=False), SIZES, LEAST).exponent < 1.5


@pytest.mark.slow  # some 200 patterns, each with hundreds of texts
def test_no_pattern_of_the_package_is_worse_than_about_linear() -> None:
    found = patterns.patterns()
    assert len(found) > 150
    slow = [one for one in found if one.place not in KNOWN and patterns.attack(one, SIZES, LEAST).exponent > 1.5]
    again = [one for one in slow if patterns.attack(one).exponent > 1.5]  # what only a busy machine makes slow
    assert [(one.place, one.pattern.pattern) for one in again] == []


SAME = [
    (r"\((.*?)\)", without_brackets, lambda old, text: old.sub("", text), "(()a)\n好,"),
    (r"\((.*?)\)", bracketed, lambda old, text: old.findall(text), "(()a)\n好,"),
    (r"\s*[、，,/；;|]\s*", surface_forms._SEPARATORS.split, lambda old, text: old.split(text), ", 、a\n"),
    (
        r"\s*[（(【\[][^（）()【】\[\]]*[）)】\]]\s*",
        lambda text: surface_forms._BRACKETS.sub("", text),
        lambda old, text: old.sub("", text),
        "（() )a \t",
    ),
    (
        r"[吗呢么嘛]\s*[。，.]?\s*$",
        lambda text: bool(context.QUESTION.search(text)),
        lambda old, text: bool(old.search(text)),
        "吗呢 。.\na",
    ),
    (
        r"\s*(?:[、，,；;/]|和|与|及|以及|还有|跟|\s)?\s*",
        lambda text: bool(templates._JOINT.fullmatch(text)),
        lambda old, text: bool(old.fullmatch(text)),
        " \t,和以及还有a",
    ),
    (
        r"[?？]\W*$|(?:吗|呢|谁|什么)\W*$",
        _ends_in_question,
        lambda old, text: bool(old.search(text)),
        "吗谁什么a_?？\n.，",
    ),
    (
        r".*(last|final).*(agent|message|response|utterance).*|.*agent.*(last|final).*",
        _names_the_last,
        lambda old, text: bool(old.fullmatch(text)),
        ("last", "final", "agent", "message", "x", "fin", "al"),
    ),
]


@pytest.mark.parametrize(("old", "new", "apply", "alphabet"), SAME, ids=range(len(SAME)))
@given(data=st.data())
def test_what_was_made_linear_finds_what_it_found(
    old: str, new: Any, apply: Any, alphabet: Any, data: st.DataObject
) -> None:
    text = "".join(data.draw(st.lists(st.sampled_from(alphabet), max_size=9)))
    assert new(text) == apply(re.compile(old), text)
