from __future__ import annotations

import gzip
import json
import math
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.proactive.scoring import official
from duologue.core.errors import FormatError
from duologue.core.lines import Lines

if TYPE_CHECKING:
    from pathlib import Path


def outcome(*lines: str) -> official.EvalPyOutcome:
    return official.evaluate([lines])


def printed(found: official.EvalPyOutcome) -> str:
    return "".join(f"{line}\n" for line in found.stdout)


def check_cases(folder: Path) -> int:
    """Demand that every figure of the cases of a folder comes out; return how many there are."""
    cases = sorted(folder.glob("*/expected.json"))
    for case in cases:
        expected = json.loads(case.read_text(encoding="utf-8"))
        found = official.evaluate(Lines((case.parent / "input.txt").read_bytes()).portions())
        assert printed(found) == expected["stdout"], case.parent.name
        if "error" in expected:
            assert found.refused is not None
            assert (found.refused.error, found.refused.where) == (expected["error"], expected["raised_in"])
        else:
            exact = {name: found.scores[name] for name in official.NAMES}
            assert exact == {name: expected["exact"][name.replace("-", "")] for name in official.NAMES}
            assert found.pairs == expected["exact"]["pairs"]
    return len(cases)


def test_cases_of_our_own_are_equal_to_the_last_digit(golden: Path) -> None:
    assert check_cases(golden / "scoring") == 2


@pytest.mark.real_data(twin="test_cases_of_our_own_are_equal_to_the_last_digit")
def test_the_golden_cases_are_equal_to_the_last_digit(real_data: Path) -> None:
    assert check_cases(real_data / "proactive" / "golden") == 8


@pytest.mark.real_data(twin="test_any_file_scores_as_the_specification_words_it")
def test_the_materialised_replies_of_the_golden_conversion_score_as_printed(real_data: Path) -> None:
    folder = real_data / "proactive" / "golden" / "conversion"
    found = official.evaluate(Lines((folder / "generated.eval.txt").read_bytes()).portions())
    assert printed(found) == (folder / "generated.eval.stdout").read_text(encoding="utf-8")


def test_a_file_is_scored_from_its_path_and_refused_where_it_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "eval.txt"
    path.write_bytes(gzip.compress(b"a b c\ta b c\n"))
    assert official.evaluate_file(path) == outcome("a b c\ta b c")
    path.write_bytes(b"a b c\ta b c\n\xff")
    with pytest.raises(FormatError, match="line 2, byte 12"):
        official.evaluate_file(path)


def test_an_empty_prediction_is_not_scored_at_all() -> None:
    kept = outcome("a b c\ta b c")
    assert outcome("a b c\ta b c", "\tx y z", "   \tx", "lonely", "") == kept
    assert kept.pairs == 1


def test_further_fields_are_ignored_and_a_double_space_is_a_word() -> None:
    assert outcome("a b c\ta b c\tx") == outcome("a b c\ta b c")
    assert outcome("a  b\ta b").scores["bleu-1"] == pytest.approx(2 / 3)
    assert outcome("a  b c\ta").scores["distinct-1"] == 1


def test_ideographic_spaces_inside_are_no_separators() -> None:
    assert outcome("a\u3000b c d\ta\u3000b c d").scores["distinct-2"] == 1
    assert outcome("\u3000a b c\u00a0\ta b c").scores["bleu-2"] == 1


def test_a_byte_order_mark_is_a_character_of_the_first_prediction() -> None:
    found = official.evaluate(Lines("\ufeffa b c\ta b c".encode()).portions())
    assert found.scores["f1"] == 2 * (3 / 4) * 1 / (3 / 4 + 1)


def test_joined_keys_make_bigrams_match_across_word_boundaries() -> None:
    found = outcome("ab c d\ta bc d")
    assert found.scores["bleu-1"] == pytest.approx(1 / 3)
    assert found.scores["bleu-2"] == pytest.approx(math.sqrt(1 / 3 * 1 / 2))
    assert outcome("ab c x", "a bc y") != found


@pytest.mark.parametrize(
    ("lines", "error", "where"),
    [
        ([], "ZeroDivisionError", "calc_f1"),
        (["\tx"], "ZeroDivisionError", "calc_f1"),
        (["a b c\tx y z"], "ZeroDivisionError", "calc_f1"),
        (["a\t\tb"], "ZeroDivisionError", "calc_f1"),
        (["a\ta"], "ZeroDivisionError", "calc_cover_rate"),
        (["a b\ta b"], "ZeroDivisionError", "calc_cover_rate"),
        (["ab c d\ta bc e"], "ValueError", "calc_bleu"),  # only the joined bigram matches
        (["ab cd e f\ta bcd e g", "x y z\tx"], None, None),
        (["a b cc\ta bc c"], None, None),
        (["ab c de\ta bcd e"], "ValueError", "calc_bleu"),  # only the joined trigram matches
        (["ab c de\ta bcd e", "z\tz"], "ValueError", "calc_bleu"),  # so it does where a word matches elsewhere
    ],
)
def test_what_the_program_dies_of_is_told_apart(lines: list[str], error: str | None, where: str | None) -> None:
    found = outcome(*lines)
    if error is None:
        assert found.refused is None
        assert len(found.stdout) == 5
    else:
        assert found.refused is not None
        assert found.refused.error.startswith(error)
        assert found.refused.where == where
        assert found.stdout == ()
        assert found.scores == {}


@pytest.mark.parametrize(("line", "words"), [("a\ta", 2), ("a b\ta b", 3)])
def test_how_many_words_no_prediction_has_is_said(line: str, words: int) -> None:
    found = outcome(line)
    assert found.refused is not None
    assert found.refused.why == f"no prediction has {words} words"


def plain(lines: list[str]) -> tuple[float, ...] | None:
    """Return the five figures of the specification, section 3, written down as it says them; None for an error."""
    pairs = []
    for line in lines:
        fields = line.strip().split("\t")
        if len(fields) >= 2:
            pairs.append((fields[0].strip().split(" "), fields[1].strip().split(" ")))
    try:
        hits = sum((Counter("".join(said)) & Counter("".join(wanted))).total() for said, wanted in pairs)
        p = hits / sum(len("".join(said)) for said, _ in pairs)
        r = hits / sum(len("".join(wanted)) for _, wanted in pairs)
        f1 = 2 * p * r / (p + r)
        said, wanted = (sum(len(pair[side]) for pair in pairs) for side in (0, 1))
        bp = math.exp(1 - wanted / said) if said < wanted else 1
        rates, different = [], []
        for n in (1, 2, 3):
            grams = [
                [["".join(words[at : at + n]) for at in range(len(words) - n + 1)] for words in pair] for pair in pairs
            ]
            total = sum(len(ours) for ours, _ in grams)
            rates.append(sum((Counter(ours) & Counter(theirs)).total() for ours, theirs in grams) / total)
            different.append(len({gram for ours, _ in grams for gram in ours}) / total)
        bleus = []
        for n in (1, 2, 3):
            logs = [math.log(rate) for rate in rates[:n]] if rates[n - 1] > 0 else None
            bleus.append(bp * math.exp(sum(logs) / n) if logs else 0.0)
    except (ZeroDivisionError, ValueError):
        return None
    return f1, bleus[0], bleus[1], different[0], different[1]


word = st.sampled_from(["a", "b", "ab", "ba", "", "好", "\u3000", "c"])
side = st.lists(word, max_size=6).map(" ".join)
line = st.lists(side, max_size=3).map("\t".join)


@given(st.lists(line, max_size=8))
def test_any_file_scores_as_the_specification_words_it(lines: list[str]) -> None:
    found = outcome(*lines)
    expected = plain(lines)
    if expected is None:
        assert found.refused is not None
    else:
        assert [found.scores[name] for name in official.NAMES] == pytest.approx(list(expected), abs=1e-12)


@given(st.lists(line, max_size=8), st.integers(0, 8))
def test_the_order_of_lines_and_the_size_of_portions_never_matter(lines: list[str], at: int) -> None:
    assert official.evaluate([lines[at:], lines[:at]]) == outcome(*lines)


@given(st.lists(st.lists(st.sampled_from(["a", "b", "ab", "好"]), min_size=3, max_size=6), min_size=1, max_size=6))
def test_the_references_as_predictions_score_the_most(replies: list[list[str]]) -> None:
    found = outcome(*(f"{' '.join(reply)}\t{' '.join(reply)}" for reply in replies))
    assert (found.scores["f1"], found.scores["bleu-1"], found.scores["bleu-2"]) == (1, 1, 1)


def test_whether_scores_will_be_printed_is_settled_by_the_first_lines_that_give_all_divisors() -> None:
    counter, settled = official.EvalPyCounter(), []
    for said, wanted in (("a b", "a b"), ("x y z", "v w"), ("b", "c")):
        counter.add([(said, wanted)])
        settled.append(counter.settled)
    assert settled == [False, True, True]


@pytest.mark.parametrize(
    ("said", "wanted", "settled"),
    [
        ("a b c", "a b c", True),
        ("x y z", "a b c", False),  # not a character is shared
        ("ab c d", "a bc e", False),  # two words written together are, and no word
        ("a x b", "a z b", False),  # words are, and no two in a row
        ("a b", "a b", False),  # no prediction has three words
    ],
)
def test_scores_are_settled_by_a_line_alone_where_it_gives_every_divisor(
    said: str, wanted: str, *, settled: bool
) -> None:
    counter = official.EvalPyCounter()
    counter.add([(said, wanted)])
    assert counter.settled == settled


def test_three_words_that_match_only_when_written_together_stop_the_program_too() -> None:
    counter = official.EvalPyCounter()
    counter.add([("a b cd", "ab c d")])
    outcome = counter.outcome()
    assert outcome.refused is not None
    assert "written together" in outcome.refused[2]
    counter.add([("x y z", "x v w")])  # one word matches, no two do
    refused = counter.outcome().refused
    assert refused is not None
    assert "written together" in refused[2]
    counter.add([("u v w", "u v z")])
    assert counter.outcome().refused is None
