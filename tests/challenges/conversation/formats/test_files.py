from __future__ import annotations

import gzip
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.conversation.formats import dialogue_lines, files
from duologue.core.errors import DuologueError, FormatError, StorageError, UsageError
from duologue.core.lines import cut
from duologue.core.records import Answer, Dialogue, Example, Sample, Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[..., Path]

SMALL = Path(__file__).resolve().parents[3] / "golden" / "conversation"


def plain(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def test_dialogue_text_comes_back_byte_for_byte(tmp_path: Path) -> None:
    source = SMALL / "small-dialogues.txt"
    dialogues = files.read_dialogues(source)
    files.write_dialogues(dialogues, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == source.read_bytes()
    assert [len(one.turns) for one in dialogues] == [2, 4]
    assert dialogues[1].turns[2] == Turn(speaker="user", text="S: is not an answer")
    assert dialogues[1].turns[3].text.endswith("<NUMBERS> ")


def test_evaluation_text_comes_back_and_hides_what_is_hidden(tmp_path: Path) -> None:
    source = SMALL / "small-evaluation.txt"
    examples = files.load(source)
    files.write_evaluation(examples, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == source.read_bytes()
    assert [one.sample.id for one in examples] == ["1", "2"]
    assert [len(one.references) for one in examples] == [1, 0]
    assert [len(one.sample.history) for one in examples] == [1, 1]


def test_system_output_comes_back_with_its_answers(tmp_path: Path) -> None:
    source = SMALL / "small-output.txt"
    examples = files.load(source)
    blocks = list(dialogue_lines.blocks_of(cut(source.read_text(encoding="utf-8"))))
    answers = [files.output_answer(block) for block in blocks]
    assert [one.text for one in answers] == ["could you send us your order number ?", "", None]
    files.write_output(zip(examples, answers, strict=True), tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == source.read_bytes()


def test_several_references_of_a_dialogue_are_kept_in_order(write: Write) -> None:
    (example,) = files.load(write("U: a\nS_REF: b\nS_REF:c d\nS_HYP: e\n\n"))
    assert [one.text for one in example.references] == ["b", "c d"]


def test_a_reference_file_gives_one_example_per_line(write: Write) -> None:
    examples = files.load(write(gzip.compress(b"one  two \n\nthree"), "refs.txt.gz"))
    assert [one.sample.id for one in examples] == ["1", "2", "3"]
    assert [one.references[0].text for one in examples] == ["one  two ", "", "three"]


def test_a_blind_file_has_no_references(write: Write) -> None:
    examples = files.load(write("U: a\nS:\n\nU: b\nS: __UNDISCLOSED__\n\nU: c\nS: __MISSING__\n\n"))
    assert [one.references for one in examples] == [(), (), ()]
    assert [one.sample.history[0].text for one in examples] == ["a", "b", "c"]


def test_a_mark_must_stand_at_the_very_start() -> None:
    assert dialogue_lines.parse_line("S_HYP:a", 3) == dialogue_lines.DialogueLine(3, "S_HYP:", "a", "S_HYP:a")
    assert dialogue_lines.parse_line("U:\ta", 1).mark == "U:"
    assert dialogue_lines.parse_line("U:a", 1).mark == ""
    assert dialogue_lines.parse_line(" S: a", 1).mark == ""
    assert dialogue_lines.parse_line("S:", 1) == dialogue_lines.DialogueLine(1, "S:", "", "S:")


def test_dialogues_made_here_are_written_in_the_official_layout(tmp_path: Path) -> None:
    turns = (Turn(speaker="user", text="a\nb"), Turn(speaker="system", text="c"))
    files.write_dialogues([Dialogue(id="1", turns=turns)], tmp_path / "out")
    assert (tmp_path / "out").read_text() == "U: a b\nS: c\n\n"
    made = Example(sample=Sample(id="1", dialogue_id="1", history=turns[:1]))
    files.write_evaluation([made], tmp_path / "out")
    assert (tmp_path / "out").read_text() == "U: a b\nS: __UNDISCLOSED__\n\n"


def test_a_speaker_without_a_mark_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no mark for speaker 'api'"):
        files.write_dialogues([Dialogue(id="1", turns=(Turn(speaker="api", text="x"),))], tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (b"", "file-empty"),
        (b" \n\t\n", "file-empty"),
        (b"U: a\nhello\n\n", "speaker-unknown"),
        (b"U: a\nS: b\nU: c\n\n", "last-not-system"),
        (b"U: a\nb\nS_REF: c\n", "speaker-unknown"),
        (b'{"1": []}', "foreign-file"),
        (b"[" * 100_000 + b"]" * 100_000, "foreign-file"),
        (b"U: \xff\n", "not-utf8"),
        ("U: \ud800\n".encode("utf-8", "surrogatepass"), "not-utf8"),
    ],
)
def test_a_broken_data_file_names_its_rule(write: Write, text: bytes, rule: str) -> None:
    with pytest.raises(FormatError) as caught:
        files.load(write(text))
    assert rule in {problem.rule for problem in caught.value.problems}


def test_all_problems_come_at_once_with_their_lines(write: Write) -> None:
    with pytest.raises(FormatError) as caught:
        files.load(write("U: a\nx\n  S: b\n\nU: c\n"))
    assert [(one.rule, one.place) for one in caught.value.problems] == [
        ("speaker-unknown", "line 2"),
        ("speaker-unknown", "line 3"),
        ("last-not-system", "dialogue 2, line 5"),
    ]
    assert "white space" in caught.value.problems[1].advice


def test_lines_that_nothing_parts_are_no_dialogue(write: Write) -> None:
    """Each reply is learned with all lines before it: 100,000 in one dialogue took more memory than there is."""
    with pytest.raises(FormatError) as caught:
        files.load_training(write("U: a\nS: b\n\n" + "U: a\nS: b\n" * 2_501))
    (problem,) = caught.value.problems
    assert (problem.rule, problem.place) == ("dialogue-long", "dialogue 2, line 4")
    assert "5,002 utterances" in problem.message


def test_of_a_file_of_only_errors_a_thousand_are_told_and_all_counted(write: Write) -> None:
    with pytest.raises(FormatError) as caught:
        files.load(write("U: a\n" + "x\n" * 5000))
    assert len(caught.value.problems) == 1_001
    assert caught.value.problems[-1].message == "and 4,000 more problems, all errors; 5,000 in all"


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ('{"a": "' + "x" * 40 + '",\n"b": [1]}', True),
        ("[1,\n" * 20 + "x", True),  # its end is not looked at
        ("[deleted]\n" + "x\n" * 30 + "}", False),
        ("[1]\n" + "x\n" * 30, False),
        ("\n \n[" + "1," * 30, True),
        ("x\n" + "[1,\n" * 30, False),
        ('["' + "x" * 90, True),
    ],
)
def test_a_long_file_is_told_to_be_json_by_its_start(
    write: Write, monkeypatch: pytest.MonkeyPatch, text: str, *, foreign: bool
) -> None:
    monkeypatch.setattr(dialogue_lines, "LOOKED_AT", 30)
    submission = files.read_submission(write(text))
    assert (dialogue_lines.foreign(submission.rows) is not None) == foreign


def test_system_output_is_no_dialogue_text(write: Write) -> None:
    with pytest.raises(FormatError, match="system output"):
        files.read_dialogues(write("U: a\nS_HYP: b\n\n"))


def test_a_missing_file_is_a_storage_error(tmp_path: Path) -> None:
    for read in (files.load, files.read_dialogues, files.read_submission):
        with pytest.raises(StorageError):
            read(tmp_path / "none")


def test_a_submission_keeps_its_lines_and_layout(write: Write) -> None:
    output = files.read_submission(write("U: a\r\nS_HYP: b\r\n"))
    assert (output.layout, list(output.rows)) == (dialogue_lines.OUTPUT, ["U: a", "S_HYP: b"])
    replies = files.read_submission(write("\ufeffa\nb"))
    assert (replies.layout, list(replies.rows)) == (dialogue_lines.REPLIES, ["a", "b"])
    assert [one.rule for one in replies.problems] == ["byte-order-mark"]
    broken = files.read_submission(write(b"\x1f\x8bno gzip"))
    assert broken.rows is None
    assert broken.problems[0].rule == "gzip-damaged"


def test_replies_stand_at_the_lines_their_ids_name(tmp_path: Path) -> None:
    answers = [("3", Answer(text="c\nd")), ("1", Answer(text="a\ud800")), ("4", Answer())]
    files.write_replies(answers, tmp_path / "out")
    assert (tmp_path / "out").read_text() == "a?\n\nc d\n\n"


@pytest.mark.parametrize("ids", [["a"], ["0"], ["-1"], ["1", "1"], ["99999999"], ["١"], ["01"]])
def test_replies_without_a_line_are_refused(tmp_path: Path, ids: list[str]) -> None:
    with pytest.raises(UsageError):
        files.write_replies([(name, Answer(text="x")) for name in ids], tmp_path / "out")
    assert not (tmp_path / "out").exists()


spoken = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12)
dialogues = st.lists(
    st.lists(st.tuples(st.sampled_from(["user", "system"]), spoken), min_size=1, max_size=4), max_size=4
)


@settings(max_examples=60)
@given(dialogues)
def test_any_dialogue_comes_back_as_it_was(tmp_path: Path, rows: list[list[tuple[str, str]]]) -> None:
    made = [
        Dialogue(id=str(number), turns=tuple(Turn(speaker=who, text=text) for who, text in row))
        for number, row in enumerate(rows, start=1)
    ]
    if not made:
        return
    files.write_dialogues(made, tmp_path / "out")
    assert [one.turns for one in files.read_dialogues(tmp_path / "out")] == [one.turns for one in made]


BASE = b"U: a\nS_REF: b\nS_HYP: c\n\nU: d\nS: e\nU: f\nS_REF: g\nS_HYP:\n\n"
mutations = st.lists(
    st.tuples(
        st.integers(0, len(BASE)),
        st.sampled_from([b"\r", b"\n", b"\xff", b"\x00", b"S_HYP:", b"{", b"\xef\xbb\xbf", b""]),
    ),
    max_size=4,
)


@settings(max_examples=60)
@given(mutations, st.integers(0, len(BASE)))
def test_mutated_files_never_raise_anything_foreign(tmp_path: Path, changes: list[tuple[int, bytes]], cut: int) -> None:
    data = BASE[cut:] if cut % 2 else BASE[:cut]
    for place, piece in changes:
        data = data[:place] + piece + data[place + len(piece) % 2 :]
    path = tmp_path / "mutated"
    path.write_bytes(data)
    for read in (files.load, files.read_dialogues):
        with suppress(DuologueError):
            read(path)
    assert files.read_submission(path).layout in {dialogue_lines.OUTPUT, dialogue_lines.REPLIES}


@pytest.mark.parametrize(
    "name",
    [
        "twitter_extract/expected_trial.txt",
        "twitter_extract/expected_official.txt",
        "opensubs_end_to_end/expected_train.txt",
    ],
)
def test_official_dialogue_text_comes_back_byte_for_byte(golden: Path, tmp_path: Path, name: str) -> None:
    files.write_dialogues(files.read_dialogues(golden / name), tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == (golden / name).read_bytes()


@pytest.mark.real_data(twin="test_official_dialogue_text_comes_back_byte_for_byte")
def test_real_dialogue_text_comes_back_byte_for_byte(real_data: Path, tmp_path: Path) -> None:
    source = real_data / "conversation" / "twitter_care" / "expected_dialogs.txt.gz"
    files.write_dialogues(files.read_dialogues(source), tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == plain(source)


@pytest.mark.real_data(twin="test_system_output_comes_back_with_its_answers")
def test_real_system_output_comes_back_byte_for_byte(real_data: Path, tmp_path: Path) -> None:
    source = real_data / "conversation" / "golden" / "scoring" / "system_output_example.txt"
    examples = files.load(source)
    blocks = list(dialogue_lines.blocks_of(cut(source.read_text(encoding="utf-8"))))
    pairs = zip(examples, map(files.output_answer, blocks), strict=True)
    files.write_output(pairs, tmp_path / "out")
    assert len(examples) == 500
    assert (tmp_path / "out").read_bytes() == source.read_bytes()


def test_training_dialogues_may_end_with_the_user_and_their_last_reply_is_learned(write: Callable[..., Path]) -> None:
    path = write("U: a\nS: b\nU: thanks\n\nU: c\nS: d\n\nU: nobody answers\n")
    first, second, third = files.load_training(path)
    assert [turn.text for turn in first.sample.history] == ["a"]
    assert [one.references[0].text for one in (first, second)] == ["b", "d"]
    assert third.references == ()
    assert [turn.text for turn in third.sample.history] == ["nobody answers"]
    assert [one.sample.id for one in files.load_training(path, "2:")] == ["2:1", "2:2", "2:3"]


def test_whole_dialogues_are_read_for_training_as_they_are_for_evaluation(write: Callable[..., Path]) -> None:
    path = write("U: a\nS: b\nU: c\nS: d\n\nU: e\nS: f\n")
    assert files.load_training(path) == files.load(path)
    output = write("U: a\nS_REF: b\nS_HYP: c\n", "output.txt")
    assert files.load_training(output) == files.load(output)
    with pytest.raises(FormatError):
        files.load_training(write("U: a\nhello\n", "odd.txt"))
