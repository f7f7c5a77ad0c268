from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.growth import LINEAR, growth

from duologue.challenges.conversation.formats.dialogue_lines import OUTPUT
from duologue.challenges.conversation.formats.files import load, read_submission
from duologue.challenges.conversation.scoring.checker import RULES, VARIANTS, check, examine, numbers_of
from duologue.core.errors import UsageError
from duologue.core.lines import Lines
from duologue.core.records import Answer, Example, Sample, Submission, Turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]

GOOD = "U: a\nS: b\nU: c\nS_REF: d e\nS_HYP: f\n\nU: g\nS_REF: h\nS_HYP: i\n\n"
REFERENCES = "d e\nh\n"
BEHIND = "a 'U:' line stands behind the 'S_HYP:' line of its dialogue"
DATA = "U: a\nS: b\nU: c\nS: d e\n\nU: g\nS: h\n\n"

BROKEN: dict[str, tuple[str | bytes, str | None]] = {
    "gzip-damaged": (b"\x1f\x8bxx", None),
    "not-utf8": (b"S_HYP: \xff", None),
    "byte-order-mark": ("\ufeff" + GOOD, None),
    "foreign-file": ('{"1": "S_HY"}', None),
    "file-empty": ("\n \n", None),
    "no-hypotheses": ("U: a\nS: b\n\n", None),
    "speaker-unknown": (GOOD.replace("S: b", "X: b"), None),
    "marker-repeated": (GOOD.replace("S_HYP: f", "S_HYP: f S_HYP: k"), None),
    "hypothesis-missing": (GOOD.replace("S_HYP: f\n", ""), None),
    "hypothesis-repeated": (GOOD.replace("S_HYP: f", "S_HYP: f\nS_HYP: k"), None),
    "hypothesis-not-last": (GOOD.replace("S_REF: d e\nS_HYP: f", "S_HYP: f\nS_REF: d e"), None),
    "reference-missing": (GOOD.replace("S_REF: h\n", ""), None),
    "references-uneven": (GOOD.replace("S_REF: h", "S_REF: h\nS_REF: k"), None),
    "reference-empty": (GOOD.replace("S_REF: h", "S_REF:"), None),
    "reference-differs": (GOOD.replace("S_REF: h", "S_REF: k"), REFERENCES),
    "context-differs": (GOOD.replace("U: g", "U: z"), DATA),
    "reply-empty": (GOOD.replace("S_HYP: i", "S_HYP:"), None),
    "reply-missing": ("f\n", REFERENCES),
    "reply-extra": ("f\ni\nk\n", REFERENCES),
    "too-many-problems": ("\n" * 1500 + "a", None),
}
"""Per rule a file that breaks it alone, and the gold beside it."""

WARNINGS = {
    "byte-order-mark",
    "marker-repeated",
    "references-uneven",
    "reference-differs",
    "reply-empty",
    "too-many-problems",
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_is_broken_alone(write: Write, rule: str) -> None:
    text, gold = BROKEN[rule]
    examples = None if gold is None else load(write(gold, "gold.txt"))
    problems = check(read_submission(write(text)), examples, "strict")
    assert {one.rule for one in problems} - ({"reply-empty"} if rule == "too-many-problems" else set()) == {rule}
    severity = next(one.severity for one in problems if one.rule == rule)
    assert severity == ("warning" if rule in WARNINGS else "error")
    assert all(one.message for one in problems)


def test_every_rule_has_a_broken_file() -> None:
    assert set(RULES) == {*BROKEN, "counts-differ", "unpacked-size"}


@pytest.mark.parametrize("gold", [None, REFERENCES, DATA])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_good_file_passes_every_variant(write: Write, gold: str | None, variant: str) -> None:
    examples = None if gold is None else load(write(gold, "gold.txt"))
    assert check(read_submission(write(GOOD)), examples, variant) == ()
    assert check(read_submission(write("f\ni\n")), examples, variant) == ()


@pytest.mark.parametrize("variant", ["official", "official-nltk-current"])
def test_official_refuses_what_its_program_cannot_pair(write: Write, variant: str) -> None:
    for text in (GOOD.replace("S_REF: h\n", ""), "U: a\nS: b\n\n", "\n", "S_REF: a\n"):
        assert [one.rule for one in check(read_submission(write(text)), None, variant)] == ["counts-differ"]
    assert [one.rule for one in check(read_submission(write(b"\xff")), None, variant)] == ["not-utf8"]
    assert [one.rule for one in check(read_submission(write("[1]")), None, variant)] == ["foreign-file"]
    two = GOOD.replace("S_HYP: f", "S_HYP: f\nS_HYP: k").replace("S_REF: h", "S_REF: h\nS_REF: k")
    assert check(read_submission(write(two)), None, variant) == ()  # pairs by order, wherever the lines stand


@pytest.mark.parametrize("variant", ["official", "official-nltk-current"])
def test_official_counts_the_references_that_are_given(write: Write, variant: str) -> None:
    examples = load(write(REFERENCES, "gold.txt"))
    twice = [*examples, *examples]  # two reference files
    for text in ("f\n", "f\ni\nk\n", GOOD + GOOD, "S_HYP: f\n"):
        assert [one.rule for one in check(read_submission(write(text)), twice, variant)] == ["counts-differ"]
    for text in ("f\n\n", GOOD, "S_HYP: f\n\nS_HYP: i\n"):
        assert check(read_submission(write(text)), twice, variant) == ()


def test_problems_name_their_lines_all_at_once(write: Write) -> None:
    text = "U: a\n S_HYP: b\n\nU: c\nS_REF: d\nS_HYP:\n\n"
    problems = check(read_submission(write(text)), None, "strict")
    assert [(one.rule, one.place) for one in problems] == [
        ("speaker-unknown", "line 2"),
        ("hypothesis-missing", "dialogue 1, line 1"),
        ("reference-missing", "dialogue 1, line 1"),
        ("reply-empty", "line 6"),
    ]
    assert "white space" in problems[0].advice


def test_many_missing_replies_are_told_in_one_message(write: Write) -> None:
    examples = load(write("x\n" * 3000, "gold.txt"))
    (problem,) = check(read_submission(write("a\n")), examples, "strict")
    assert (problem.rule, problem.message) == ("reply-missing", "the file has 1 replies, the data 3,000 samples")


def test_an_unknown_variant_is_refused(write: Write) -> None:
    with pytest.raises(UsageError, match="did you mean 'official'"):
        check(read_submission(write(GOOD)), None, "oficial")


@pytest.mark.parametrize(
    ("lines", "rules"),
    [
        ("U: a\nS_REF: b\nU: c\nS_HYP: d", ["hypothesis-not-last"]),
        ("U: a\nS_REF: b\nS: c\nS_HYP: d", ["hypothesis-not-last"]),
        ("U: a\nS_HYP: d\nS_REF: b", ["hypothesis-not-last"]),
        ("U: a\nS_REF: b\nS_REF: c\nS_HYP: d", []),
        ("S_REF: b\nS_HYP: d", []),
    ],
)
def test_what_stands_behind_a_reference_or_a_reply_is_told(write: Write, lines: str, rules: list[str]) -> None:
    assert [one.rule for one in check(read_submission(write(lines + "\n")), None, "strict")] == rules


def test_any_turn_that_is_not_that_of_the_data_is_told_once(write: Write) -> None:
    examples = load(write(DATA, "gold.txt"))
    for before, after in (
        ("U: a", "U: z"),
        ("S: b", "S: z"),
        ("U: c", "U: z"),
        ("S: b\n", ""),
        ("U: a", "U: q\nS: r\nU: a"),
    ):
        found = check(read_submission(write(GOOD.replace(before, after, 1))), examples, "strict")
        assert [(one.rule, one.place) for one in found] == [("context-differs", "dialogue 1, line 1")], before
    bare = "S_REF: d e\nS_HYP: f\n\nS_REF: h\nS_HYP: i\n"
    assert check(read_submission(write(bare)), examples, "strict") == ()


@pytest.mark.parametrize(("replies", "wanted", "told"), [(1, 21, 20), (1, 22, 1), (21, 1, 20), (22, 1, 1)])
def test_up_to_twenty_missing_or_extra_replies_are_told_one_by_one(
    write: Write, replies: int, wanted: int, told: int
) -> None:
    examples = load(write("x\n" * wanted, "gold.txt"))
    found = check(read_submission(write("a\n" * replies)), examples, "strict")
    assert len(found) == told
    assert {one.rule for one in found} == {"reply-missing" if wanted > replies else "reply-extra"}
    if told > 1:
        assert [one.place for one in found] == [f"line {number}" for number in range(2, 22)]


def test_no_reply_stands_at_place_0(write: Write) -> None:
    examples = [Example(sample=Sample(id="0", dialogue_id="0"), references=(Answer(text="x"),))]
    few, many = (check(read_submission(write("a\n" * replies)), examples, "strict") for replies in (2, 22))
    assert [(one.rule, one.place) for one in few] == [
        ("reply-missing", "line 0"),
        ("reply-extra", "line 1"),
        ("reply-extra", "line 2"),
    ]
    assert [one.rule for one in many] == ["reply-missing"]


def test_an_empty_reply_is_told_with_its_line(write: Write) -> None:
    found = check(read_submission(write("\na\n \n")), None, "strict")
    assert [(one.rule, one.severity, one.place) for one in found] == [
        ("reply-empty", "warning", "line 1"),
        ("reply-empty", "warning", "line 3"),
    ]


def test_a_dialogue_of_very_many_references_is_checked_in_the_time_of_one_pass() -> None:
    """Each of its lines once was held against all that are given."""

    def several(n: int) -> tuple[Submission, list[Example]]:
        texts = [f"word {number}" for number in range(n)]
        lines = ["U: a", *(f"S_REF: {text}" for text in texts), "S_HYP: b"]
        sample = Sample(id="1", dialogue_id="1", history=(Turn(speaker="user", text="a"),))
        example = Example(sample=sample, references=tuple(Answer(text=text) for text in texts))
        return Submission(rows=Lines("\n".join(lines).encode()), layout=OUTPUT), [example]

    assert examine(*several(3)) == ()
    assert growth(several, lambda given: examine(*given), 700) < LINEAR


@pytest.mark.parametrize(
    ("text", "gold", "message"),
    [
        (GOOD.replace("S_REF: h", "S_REF: h\nS_REF: k\nS_REF: l"), None, "dialogues have 1 to 3 references"),
        (
            GOOD.replace("S_HYP: f", "S_HYP: f\nS_HYP: k\nS_HYP: l"),
            None,
            "there are 3 'S_HYP:' lines, expected one",
        ),
        ("f\n", REFERENCES, "sample '2' has no reply; the file has 1"),
        ("f\ni\nk\n", REFERENCES, "there is no such sample; 2 are known"),
        (GOOD.replace("S_REF: d e\nS_HYP: f", "S_HYP: f\nU: x"), REFERENCES, BEHIND),
    ],
)
def test_a_message_has_the_numbers_of_the_file(write: Write, text: str, gold: str | None, message: str) -> None:
    examples = None if gold is None else load(write(gold, "gold.txt"))
    assert [one.message for one in check(read_submission(write(text)), examples, "strict")] == [message]


def test_samples_that_bear_no_numbers_are_those_of_the_lines_in_their_order(write: Write) -> None:
    examples = [
        Example(sample=Sample(id=name, dialogue_id=name), references=(Answer(text=name),)) for name in ("x", "1", "y")
    ]
    assert numbers_of(examples) == [1, 2, 3]
    assert numbers_of(examples[1:2]) == [1]
    for replies, told in ((2, [("reply-missing", "line 3")]), (3, []), (4, [("reply-extra", "line 4")])):
        found = check(read_submission(write("a\n" * replies)), examples, "strict")
        assert [(one.rule, one.place) for one in found] == told
    numbers = [Example(sample=Sample(id=name, dialogue_id=name)) for name in ("3", "1", "2")]
    assert numbers_of(numbers) == [3, 1, 2]


@pytest.mark.parametrize("text", ["u: a\ns_ref: b\ns_hyp: c\n\n", " U: a\n S_REF: b\n S_HYP: c\n\n"])
def test_marks_in_small_letters_or_indented_are_no_replies(tmp_path: Path, text: str) -> None:
    """Each line of such a file was a reply, and the file was accepted."""
    (tmp_path / "output.txt").write_text(text, encoding="utf-8")
    (found,) = check(read_submission(tmp_path / "output.txt"), None, "strict")
    assert (found.rule, found.severity, found.place) == ("no-hypotheses", "error", "line 2")
    assert found.advice == "write the marks in capitals, at the beginning of the line"
