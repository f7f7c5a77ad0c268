from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.challenges.conversation.formats.files import load, read_submission
from duologue.challenges.conversation.scoring.items import answers_in, contents_of, merge, stream_of
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Answer, Example, Sample, Scoring, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.scoring.items import ScoredItems
    from duologue.core.records import Submission

    Write = Callable[..., Path]

STRICT, COCO = Scoring(variant="strict"), Scoring(variant="coco")
OFFICIAL_PART = Scoring(variant="official", partial=True)
TURNS = (Turn(speaker="user", text="a"), Turn(speaker="system", text="b"))


def example(name: str, *references: str) -> Example:
    return Example(sample=Sample(id=name, dialogue_id=name), references=tuple(Answer(text=text) for text in references))


def items_of(examples: Sequence[Example], submission: Submission, how: Scoring) -> ScoredItems:
    return stream_of(examples, submission, how).whole()


def test_references_of_several_files_come_together_in_the_order_of_the_lines() -> None:
    merged = merge([example("10", "a"), example("2", "b"), example("10", "c"), example("2", "d")])
    assert [one.sample.id for one in merged] == ["2", "10"]
    assert [[text.text for text in one.references] for one in merged] == [["b", "d"], ["a", "c"]]


def test_replies_meet_their_references_whatever_the_order_of_the_examples(write: Write) -> None:
    examples = load(write("r1\nr2\nr3\n", "gold"))
    submission = read_submission(write(" h1 \nh2  x\nh3\n"))
    found = items_of(examples[::-1], submission, STRICT)
    assert found.ids == ["1", "2", "3"]
    assert found.replies == ["h1", "h2  x", "h3"]
    assert found.references == [["r1"], ["r2"], ["r3"]]


def test_texts_of_system_output_are_joined_by_single_spaces(write: Write) -> None:
    found = items_of([], read_submission(write("U: a\nS_REF:\tb \u00a0 c\nS_HYP:  d   e\n")), STRICT)
    assert found.references == [["b c"]]
    assert found.replies == ["d e"]
    assert found.turns == [1]


def test_several_references_stand_in_one_dialogue(write: Write) -> None:
    text = "U: a\nS_REF: b\nS_REF: c\nS_HYP: d\n\nS_REF: e\nS_REF: f\nS_HYP: g\n"
    for how in (STRICT, COCO):
        assert items_of([], read_submission(write(text)), how).references == [["b", "c"], ["e", "f"]]


def test_a_file_with_errors_is_refused_and_scored_in_part_when_asked(write: Write) -> None:
    examples = load(write("r1\nr2\n", "gold"))
    submission = read_submission(write("h1\n"))
    for variant, rule in (("strict", "reply-missing"), ("coco", "reply-missing"), ("official", "counts-differ")):
        with pytest.raises(FormatError, match=rule):
            items_of(examples, submission, Scoring(variant=variant))
        found = items_of(examples, submission, Scoring(variant=variant, partial=True))
        assert found.replies == ["h1", ""]


def test_coco_takes_files_that_strict_refuses_where_replies_can_be_paired(write: Write) -> None:
    loose = read_submission(write("U: a\nS_REF: b\nS_HYP: c\nU: d\nS_REF: e\nS_HYP: f\n"))
    with pytest.raises(FormatError, match="hypothesis-repeated"):
        items_of([], loose, STRICT)
    assert items_of([], loose, COCO).replies == ["c", "f"]


def test_replies_alone_need_references(write: Write) -> None:
    with pytest.raises(UsageError, match="--gold"):
        items_of([], read_submission(write("a\nb\n")), STRICT)


def test_reference_files_of_different_length_are_refused(write: Write) -> None:
    submission = read_submission(write("a\nb\n"))
    with pytest.raises(FormatError, match="same number of lines"):
        items_of([example("1", "a", "b"), example("2", "c")], submission, STRICT)
    assert items_of([example("1", "a", "b"), example("2", "c")], submission, COCO).references == [["a", "b"], ["c"]]


def test_samples_without_any_words_to_score_against_are_refused(write: Write) -> None:
    submission = read_submission(write("a\nb\n"))
    with pytest.raises(FormatError, match="sample '2' has no reference"):
        items_of([example("1", "a"), example("2")], submission, COCO)
    with pytest.raises(FormatError, match="reference-empty"):
        items_of([example("1", "a"), example("2", " ")], submission, STRICT)
    found = items_of([example("1", "a", "b"), example("2", "", "c")], submission, STRICT)
    assert [(one.rule, one.severity) for one in found.problems] == [("reference-empty", "warning")]


def test_references_without_any_word_stop_the_caption_program(write: Write) -> None:
    for variant in ("coco", "strict"):
        how = Scoring(variant=variant, partial=True)
        with pytest.raises(FormatError, match="uncaught ValueError"):
            items_of([example("1", "")], read_submission(write("a\n")), how)
        with pytest.raises(FormatError, match="uncaught ValueError"):
            items_of([], read_submission(write("S_REF:\nS_HYP: a\n")), how)
    assert items_of([], read_submission(write("S_REF:\nS_HYP: a\n")), Scoring(variant="official")).replies == [" a"]


def test_an_unreadable_file_is_refused_in_every_variant(write: Write) -> None:
    submission = read_submission(write(b"\xff"))
    for variant in ("strict", "coco", "official", "official-nltk-current"):
        with pytest.raises(FormatError, match="not-utf8"):
            items_of([example("1", "a")], submission, Scoring(variant=variant, partial=True))


def test_the_data_file_is_no_answer(write: Write) -> None:
    submission = read_submission(write("U: a\nS: b\n\n"))
    for variant in ("strict", "coco", "official"):
        with pytest.raises(FormatError, match="no-hypotheses"):
            items_of([example("1", "b")], submission, Scoring(variant=variant))


def test_replies_are_found_by_their_place(write: Write) -> None:
    text = "U: a\nS: b\nU: c\nS_REF: d e\nS_HYP: f\n\nU: g\nS_REF: h\n\n"
    assert contents_of(read_submission(write(text))) == (["f", None], [["d e"], ["h"]], [3, 1])
    assert contents_of(read_submission(write("f\n\ni"))) == (["f", "", "i"], [[], [], []], [])


def test_answers_are_found_by_the_ids_of_their_samples(write: Write) -> None:
    examples = [example("2", "x"), example("1", "y"), example("9", "z")]
    assert answers_in(read_submission(write("a\nb  c\n")), examples) == {"1": Answer(text="a"), "2": Answer(text="b c")}
    output = read_submission(write("U: q\nS_HYP: a\n\nU: q\nS_REF: r\n\n"))
    assert answers_in(output, examples) == {"1": Answer(text="a")}
    assert answers_in(output, [example("first", "x")]) == {"first": Answer(text="a")}
    assert answers_in(read_submission(write(b"\xff")), examples) == {}


def test_the_first_and_the_last_reply_are_paired_and_numbers_beyond_have_none(write: Write) -> None:
    examples = [example("1", "a"), example("2", "b"), example("4", "d")]
    found = items_of(examples, read_submission(write("x\ny\nz\n")), Scoring(variant="strict", partial=True))
    assert (found.ids, found.replies) == (["1", "2", "4"], ["x", "y", ""])
    output = read_submission(write("U: q\nS_HYP: x\n\nU: r\nS: s\nU: t\nS_HYP: y\n"))
    found = items_of(examples, output, Scoring(variant="strict", partial=True))
    assert (found.replies, found.turns) == (["x", "y", ""], [1, 3, 0])


def test_a_sample_with_number_0_has_no_reply(write: Write) -> None:
    found = items_of(
        [example("0", "a"), example("1", "b")],
        read_submission(write("x\ny\n")),
        Scoring(variant="strict", partial=True),
    )
    assert (found.ids, found.replies) == (["0", "1"], ["", "x"])


def test_a_stream_knows_how_many_samples_it_will_give(write: Write) -> None:
    files = (
        ("U: a\nS_REF: b\nS_REF: c\nS_HYP: d\n\n\nS_REF: e\nS_HYP: f\n", ["1", "2"]),
        (
            "U: a\nS_REF: b\nS_HYP: d\n \nU: q\nS_HYP: r\n\nU: s\nS_REF: e\nS_HYP: f\n",
            ["1", "3"],
        ),  # the second has no reference
    )
    for text, ids in files:
        found = stream_of([], read_submission(write(text)), Scoring(variant="strict", partial=True))
        assert (found.n, found.whole().ids) == (2, ids)


def test_contexts_are_those_of_the_data_and_else_those_of_the_output(write: Write) -> None:
    output = read_submission(write("U: a\nS_HYP: x\n\nU: a\nS: b\nU: c\nS_HYP: y\n"))
    bare = [example("1", "r"), example("2", "s")]
    heard = [msgspec.structs.replace(one, sample=msgspec.structs.replace(one.sample, history=TURNS)) for one in bare]
    partial = Scoring(variant="strict", partial=True)
    assert items_of(bare, output, partial).turns == [1, 3]
    assert items_of(heard, output, partial).turns == [2, 2]
    assert items_of(bare, read_submission(write("x\ny\n")), STRICT).turns == [0, 0]


@pytest.mark.parametrize(
    ("replies", "taken"), [("", ["", ""]), ("a\n", ["a", ""]), ("a\nb\n", ["a", "b"]), ("a\nb\nc\n", ["a", "b"])]
)
def test_officially_and_in_part_replies_are_as_many_as_the_samples(
    write: Write, replies: str, taken: list[str]
) -> None:
    found = items_of([example("1", "r"), example("2", "s")], read_submission(write("x" + replies)), OFFICIAL_PART)
    assert found.replies == [f"x{taken[0]}", taken[1]]


def test_empty_references_are_counted_sample_by_sample(write: Write) -> None:
    submission = read_submission(write("a\nb\n"))
    found = items_of([example("1", "a", "", " "), example("2", "c", "d", "e")], submission, STRICT)
    assert [(one.rule, one.place, one.message) for one in found.problems] == [
        ("reference-empty", "sample '1'", "2 of its 3 references are empty")
    ]
    uneven = [example("1", "a"), example("2", "c", "d", "e")]
    with pytest.raises(FormatError, match="reference-empty") as caught:
        items_of([*uneven, example("3", " ")], read_submission(write("a\nb\nc\n")), STRICT)
    assert [one.message for one in caught.value.problems if one.rule == "references-uneven"] == [
        "samples have 1 to 3 references"
    ]
