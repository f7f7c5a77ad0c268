from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.conversation.extraction.twitter import cleaner as module
from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.challenges.conversation.extraction.twitter.rules import Speech, preprocess
from duologue.challenges.conversation.extraction.twitter.tokenizer import GENERATIONS
from duologue.core.errors import UsageError

PIECES = (
    "@shop ", "@jo_99", "Jo", "’", "“", "(1/2)", "1/2", " ", " ", "  ", "\n", "\t", "\xa0", "\x1c", "&amp;",
    "&#32;", "&nbsp;", "800", "555 0199", "+1", "(800)", "1234567", "A123 456", "-", "–", "~", "^", "*", ".", "...",
    ". .", ",", "!", "!!!!", "?", ":", ":)", "8P", "<3", "</3", "don't", "ok.thanks", "a@b.com", "https://t.co/Ab1",
    "https://a.b/", "http://x", "http://a.bbbbb.c", "www.a.com", "soooo", "word", "jenny", "thanks", " thx", "KIM", "é",
    "e\u0301", "½", "👍🏽", "🇺🇸", "\u200d", "<URL>", "<b>", "<numbers>", "<USER>", "#tag",
)  # fmt: skip
SPEECHES = (Speech(), Speech("S", "jo_99", "Jo"), Speech("S"))
CLEANERS = {generation: Cleaner(generation) for generation in GENERATIONS}


@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_fast_way_gives_what_the_rules_give(generation: str) -> None:
    chance = Random(1)
    for _ in range(800):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 12)))
        speech = chance.choice(SPEECHES)
        assert CLEANERS[generation].clean(text, speech) == preprocess(text, speech, generation), text


@settings(max_examples=40)
@given(st.text(max_size=40), st.sampled_from(SPEECHES), st.sampled_from(GENERATIONS))
def test_so_it_does_for_any_text(text: str, speech: Speech, generation: str) -> None:
    assert CLEANERS[generation].clean(text, speech) == preprocess(text, speech, generation)


def test_words_that_no_longer_fit_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 3)
    small = Cleaner()
    for text in ("a b c d", "d c b a", "a b c d e f g"):
        assert small.clean(text) == text
    assert len(small._words) <= 3


def test_an_unknown_generation_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="no tokenizer 'x'"):
        Cleaner("x")


@pytest.mark.slow
@pytest.mark.real_data(twin="test_the_fast_way_gives_what_the_rules_give")
def test_real_and_mutated_lines_come_out_the_same(real_data: Path) -> None:
    script = Path(__file__).resolve().parents[5] / "benchmarks" / "preprocess.py"
    command = [sys.executable, str(script), str(real_data / "conversation"), "--lines", "20000"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.count("lines, 0 differ") == 2, done.stdout + done.stderr
