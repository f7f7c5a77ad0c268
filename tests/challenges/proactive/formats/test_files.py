from __future__ import annotations

import gzip
import json
import logging
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.proactive.formats import files
from duologue.core.errors import DuologueError, FormatError, StorageError, UsageError
from duologue.core.records import Answer, Dialogue, Example, Fact, Goal, Sample, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

GOAL = [["START", "云海", "林 小舟"], ["云海", "导演", "林 小舟"]]
KNOWLEDGE = [["云海", "领域", "电影"], ["林 小舟", "领域", "明星"]]
TALK = ["你 好", "你 好 呀", "看 过 云海 吗 ？", "没有"]
SESSION: dict[str, Any] = {"goal": GOAL, "knowledge": KNOWLEDGE, "conversation": TALK}


def sample(history: int, **more: Any) -> dict[str, Any]:
    return {"goal": GOAL, "knowledge": KNOWLEDGE, "history": TALK[:history], **more}


def written(path: Path, rows: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def rules(path: Path) -> list[tuple[str, str]]:
    with pytest.raises(FormatError) as caught:
        files.load(path)
    return [(problem.rule, problem.place) for problem in caught.value.problems]


def test_a_session_gives_a_sample_per_agent_turn(tmp_path: Path) -> None:
    examples = files.load(written(tmp_path / "s.jsonl", [SESSION]))
    assert [one.sample.id for one in examples] == ["000000#00", "000000#02"]
    assert examples[1] == Example(
        sample=Sample(
            id="000000#02",
            dialogue_id="000000",
            history=(Turn(speaker="system", text="你 好"), Turn(speaker="user", text="你 好 呀")),
            knowledge=tuple(Fact(subject=one, relation=two, object=three) for one, two, three in KNOWLEDGE),
            goal=Goal(topics=("云海", "林 小舟"), relations=(Fact(subject="云海", relation="导演", object="林 小舟"),)),
        ),
        references=(Answer(text="看 过 云海 吗 ？"),),
        source=SESSION,
    )


def test_samples_of_one_session_share_its_dialogue_and_have_the_ids_of_its_turns(tmp_path: Path) -> None:
    other = {**sample(0), "goal": [["START", "云海", "甲"]]}
    rows = [sample(2, response="x"), other, sample(0), sample(2), sample(4, id="mine")]
    examples = files.load(written(tmp_path / "s.jsonl", rows))
    ids = [(one.sample.id, one.sample.dialogue_id) for one in examples]
    assert ids == [
        ("000000#02", "000000"),
        ("000001#00", "000001"),
        ("000000#00", "000000"),
        ("000002#02", "000002"),  # the same turn again: another session about the same
        ("mine", "000000"),
    ]
    assert [len(one.references) for one in examples] == [1, 0, 0, 0, 0]


@pytest.mark.slow
def test_samples_that_cannot_be_told_apart_are_sessions_of_their_own_however_many(tmp_path: Path) -> None:
    examples = files.load(written(tmp_path / "s.jsonl", [sample(0), sample(2)] * 20_000))  # hours if each looks at all
    assert [one.sample.id for one in examples] == [
        f"{number:06d}#{at:02d}" for number in range(20_000) for at in (0, 2)
    ]


def test_a_session_file_and_its_samples_give_the_same_examples(tmp_path: Path) -> None:
    sessions = files.load(written(tmp_path / "a", [SESSION, {**SESSION, "goal": [["START", "甲", "乙"]]}]))
    files.write_samples(sessions, tmp_path / "b")
    samples = files.load(tmp_path / "b")
    assert [(one.sample, one.references) for one in samples] == [(one.sample, one.references) for one in sessions]


def test_official_files_of_our_own_sessions_come_back_byte_for_byte(golden: Path, tmp_path: Path) -> None:
    for part, count in (("train", 7), ("dev", 1)):
        path = golden / "corpus" / f"{part}.dialogues.jsonl"
        sessions = files.load_sessions(path)
        files.write_sessions(sessions, tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == path.read_bytes()
        assert len(sessions) == count
        samples = golden / "corpus" / f"{part}.samples.jsonl"
        files.write_samples(files.load(samples), tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == samples.read_bytes()
    for path in golden.glob("matching/*/candidates.jsonl"):  # not in the layout of the challenge: with escapes
        files.write_samples(files.load(path), tmp_path / "again")
        rows = [[json.loads(line) for line in one.read_text().splitlines()] for one in (path, tmp_path / "again")]
        assert rows[0] == rows[1], path


def test_made_sessions_have_the_sizes_they_were_made_with(sessions: Callable[..., Path], golden: Path) -> None:
    dialogues = files.load_sessions(sessions(5))
    assert [len(one.turns) for one in dialogues] == [8] * 5
    assert [len(one.knowledge) for one in dialogues] == [8] * 5
    assert dialogues[0].id == "s0"
    assert len(files.load(sessions(5))) == 20
    assert len(files.load(golden / "corpus" / "train.dialogues.jsonl")) == 26


@pytest.mark.slow
@pytest.mark.real_data(twin="test_official_files_of_our_own_sessions_come_back_byte_for_byte")
def test_real_files_come_back_byte_for_byte(real_data: Path, tmp_path: Path) -> None:
    for name in ("duconv_dev_visible.jsonl.gz", "duconv_test_prefixes.jsonl.gz"):
        path = real_data / "proactive" / name
        files.write_sessions(files.load_sessions(path), tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == gzip.decompress(path.read_bytes())
    golden = real_data / "proactive" / "golden" / "conversion"
    for name in ("samples.jsonl", "candidates.jsonl"):
        files.write_samples(files.load(golden / name), tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (golden / name).read_bytes()


@pytest.mark.slow
@pytest.mark.real_data(twin="test_made_sessions_have_the_sizes_they_were_made_with")
def test_real_sessions_have_the_sizes_of_the_data_sheet(real_data: Path) -> None:
    dialogues = files.load_sessions(real_data / "proactive" / "duconv_dev_visible.jsonl.gz")
    assert len(dialogues) == 1_500
    assert sum(len(one.turns) for one in dialogues) == 13_574
    assert sum(len(one.knowledge) for one in dialogues) == 21_363
    assert dialogues[0].id == "duconv-dev-0000"
    assert len(files.load(real_data / "proactive" / "duconv_test_prefixes.jsonl.gz")) == 19_201


def test_records_without_a_source_are_written_in_the_official_layout(tmp_path: Path) -> None:
    (example, _) = files.load(written(tmp_path / "s.jsonl", [SESSION]))
    goal, knowledge = example.sample.goal, example.sample.knowledge
    dialogue = Dialogue(id="x", turns=files.turns_of(TALK), goal=goal, knowledge=knowledge)
    files.write_sessions([dialogue], tmp_path / "again.jsonl.gz")
    assert gzip.decompress((tmp_path / "again.jsonl.gz").read_bytes()) == (tmp_path / "s.jsonl").read_bytes()
    with pytest.raises(UsageError, match="two topics"):
        files.write_sessions([Dialogue(id="x", turns=())], tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", [("no-rows", "")]),
        (b"\xff", [("not-utf8", "line 1, byte 0")]),
        (b"\x1f\x8b1", [("gzip-damaged", "")]),
        (b"{}\n[\n\n", [("row-form", "line 1"), ("not-json", "line 2, column 2"), ("not-json", "line 3, column 1")]),
        (b"[" * 100_000, [("not-json", "line 1")]),
        (b"1" * 10_000, [("not-json", "line 1")]),
        (b'{"history": 1}', [("goal-missing", "line 1"), ("knowledge-missing", "line 1"), ("turns-type", "line 1")]),
    ],
    ids=["empty", "bytes", "gzip", "lines", "deep", "number", "fields"],
)
def test_all_problems_of_a_file_are_told_with_their_lines(
    tmp_path: Path, content: bytes, expected: list[tuple[str, str]]
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    assert rules(path) == expected


def test_ids_that_occur_twice_and_mixed_forms_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", [{**SESSION, "id": "x"}, {**SESSION, "id": "x"}, sample(0)])
    assert rules(path) == [("row-repeated", "line 2"), ("row-form", "line 3")]


def test_a_thousand_problems_are_enough(tmp_path: Path) -> None:
    found = rules(written(tmp_path / "s.jsonl", [1] * 3_000))
    assert len(found) == 1_001
    assert found[-1] == ("too-many-problems", "")


def test_marks_windows_line_ends_and_doubled_keys_are_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "s.jsonl"
    line = json.dumps(SESSION, ensure_ascii=False).replace('{"goal"', '{"goal": 1, "goal"')
    path.write_bytes(b"\xef\xbb\xbf" + f"{line}\r\n{line}\r{line}".encode())
    with caplog.at_level(logging.WARNING):
        assert len(files.load(path)) == 6
    assert "byte order mark" in caplog.text


def test_predictions_are_a_reply_a_line_in_the_order_given(tmp_path: Path) -> None:
    files.write_predictions([("b", Answer(text="你 好")), ("a", Answer(text=""))], tmp_path / "p.txt")
    assert (tmp_path / "p.txt").read_text(encoding="utf-8") == "你 好\n\n"


def test_a_row_nested_too_deeply_is_refused_and_no_file_is_left(tmp_path: Path) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(UsageError, match="nested too deeply"):
        files.write_lines([files.row_line({**SESSION, "more": deep})], tmp_path / "s.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", [None, "a\nb", "a\tb", "a\r", "\ud800"])
def test_an_answer_that_is_no_line_is_refused_and_no_file_is_left(tmp_path: Path, text: str | None) -> None:
    with pytest.raises(UsageError, match="sample 'x'"):
        files.write_predictions([("w", Answer(text="fine")), ("x", Answer(text=text))], tmp_path / "p.txt")
    assert list(tmp_path.iterdir()) == []


def test_an_evaluation_file_is_told_by_its_tabs(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    for content, layout in (
        (b"a b\n", files.PREDICTION),
        (b"a\tb\n", files.EVALUATION),
        (b"\tb\n\tc\n", files.EVALUATION),
        (b"a\tb\nc\nd\n", files.PREDICTION),
        (b"", files.PREDICTION),
    ):
        path.write_bytes(content)
        submission = files.read_result(path)
        assert submission.layout == layout
        assert submission.problems == ()
    path.write_bytes(gzip.compress(b"a\r\nb"))
    assert list(files.read_result(path).rows) == ["a", "b"]


def test_problems_of_the_bytes_of_a_result_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    for content, rule in (
        (b"\x1f\x8b1", "gzip-damaged"),
        (b"ok\n\xff\n", "not-utf8"),
        (b"\xef\xbb\xbfx", "byte-order-mark"),
    ):
        path.write_bytes(content)
        assert [problem.rule for problem in files.read_result(path).problems] == [rule]
    with pytest.raises(StorageError, match="no such file"):
        files.read_result(tmp_path / "absent")


GOOD = json.dumps({**SESSION, "id": "x"}, ensure_ascii=False).encode()
pieces = st.sampled_from(
    [b"", b"\n", b"\r", b"\t", b"\xef\xbb\xbf", b"\xff", b'"', b"[" * 2_000, b"null", b"\\ud800", b"\x00", b"1e999"]
)


@settings(max_examples=150)
@given(st.lists(st.tuples(st.integers(0, len(GOOD)), st.integers(0, 9), pieces), min_size=1, max_size=3))
def test_no_mutation_of_a_file_makes_a_reader_fail_otherwise(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[tuple[int, int, bytes]]
) -> None:
    data = GOOD
    for at, skipped, piece in cuts:
        data = data[:at] + piece + data[at + skipped :]
    path = tmp_path_factory.mktemp("m") / "s.jsonl"
    path.write_bytes(data)
    try:
        examples = files.load(path)
    except DuologueError:
        return
    files.write_samples(examples, path)
    files.read_result(path)
