from __future__ import annotations

import gzip
import json
import logging
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.challenges.restaurant.formats import files
from duologue.challenges.restaurant.formats import format_sniffer as peek
from duologue.challenges.restaurant.knowledge.facts import read_facts
from duologue.core.errors import FormatError, StorageError, UsageError
from duologue.core.records import Answer, Candidate, Example, Sample, Turn

if TYPE_CHECKING:
    from pathlib import Path

ROW: dict[str, Any] = {
    "dialog_id": "d1",
    "candidates": [{"utterance": "i'm on it", "candidate_id": "a"}, {"utterance": "no", "candidate_id": "b"}],
    "utterances": ["old_inn r_rating 46", "hi", "hello what can i help you with today", "may i have a table"],
}
ANSWER = {"utterance": "i'm on it", "candidate_id": "a"}
TRUTH = {"dialog_id": "d1", "lst_candidate_id": [{"candidate_id": "a", "rank": 1}]}


def written(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path


def test_speakers_alternate_and_facts_belong_to_the_api() -> None:
    texts = ["x r_rating 4", "hi", "hello what can i help you with today", "y r_price cheap", "<silence>", "ok"]
    speakers = [turn.speaker for turn in files.turns_of(texts)]
    assert speakers == ["api", "user", "system", "api", "user", "system"]


def test_a_row_becomes_an_example_with_all_a_system_may_see() -> None:
    example = files.example_of({"answer": ANSWER, **ROW}, world="kb1")
    assert example.sample == Sample(
        id="d1",
        dialogue_id="d1",
        history=(
            Turn(speaker="api", text="old_inn r_rating 46"),
            Turn(speaker="user", text="hi"),
            Turn(speaker="system", text="hello what can i help you with today"),
            Turn(speaker="user", text="may i have a table"),
        ),
        world="kb1",
        candidates=(Candidate(id="a", text="i'm on it"), Candidate(id="b", text="no")),
    )
    assert example.references == (Answer(text="i'm on it", ranking=("a",)),)
    assert files.example_of(ROW).references == ()


def test_a_truth_file_gives_the_answers_without_history(tmp_path: Path) -> None:
    (example,) = files.load(written(tmp_path / "t.json", [TRUTH]))
    assert example == Example(
        sample=Sample(id="d1", dialogue_id="d1"), references=(Answer(ranking=("a",)),), source=TRUTH
    )


def test_odd_truth_rows_survive_in_source(tmp_path: Path) -> None:
    rows: list[Any] = [TRUTH, TRUTH, {"lst_candidate_id": [{"candidate_id": "a", "rank": 0}]}, 7, {"dialog_id": 3}]
    examples = files.load(written(tmp_path / "t.json", rows))
    assert [example.source for example in examples] == rows
    assert [example.sample.id for example in examples] == ["d1", "d1", "#3", "#4", "#5"]
    files.write_truth(examples, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == json.dumps(rows)


@pytest.mark.slow
@pytest.mark.real_data(twin="test_files_have_the_official_byte_layout")
@pytest.mark.parametrize("release", ["release_a", "release_b", "train_part"])
def test_real_files_come_back_byte_for_byte(real_restaurant: Path, tmp_path: Path, release: str) -> None:
    paths = sorted((real_restaurant / release).rglob("*.json.gz"))
    assert paths
    for path in paths:
        write = files.write_truth if ".answers." in path.name else files.write_data
        examples = files.load(path)
        write(examples, tmp_path / "again.json")
        assert len(examples) == 1000
        assert (tmp_path / "again.json").read_bytes() == gzip.decompress(path.read_bytes()), path.name


@pytest.mark.real_data(twin="test_dialogues_end_with_the_user_or_facts_and_hold_no_answer_of_a_test")
def test_real_dialogues_end_with_the_user_or_facts_and_hold_no_answer_of_a_test(real_restaurant: Path) -> None:
    for path in sorted(real_restaurant.glob("release_b/*/*tst1000.json.gz")):
        examples = files.load(path)
        assert {example.sample.history[-1].speaker for example in examples} <= {"user", "api"}
        assert not any(example.references for example in examples)


def test_records_are_written_in_the_official_layout(tmp_path: Path) -> None:
    example = Example(sample=files.example_of(ROW).sample, references=(Answer(ranking=("a",)),))
    files.write_data([example], tmp_path / "d.json")
    assert (tmp_path / "d.json").read_text() == json.dumps([{**ROW, "answer": ANSWER}])
    files.write_truth([example], tmp_path / "t.json")
    assert (tmp_path / "t.json").read_text() == json.dumps([TRUTH])
    files.write_truth([files.example_of({**ROW, "answer": ANSWER})], tmp_path / "t2.json")
    assert (tmp_path / "t2.json").read_text() == json.dumps([TRUTH])
    with pytest.raises(UsageError, match="not known"):
        files.write_truth([files.example_of(ROW)], tmp_path / "t3.json")
    assert not (tmp_path / "t3.json").exists()


def test_a_result_has_ranks_from_one_in_the_order_of_the_ranking(tmp_path: Path) -> None:
    path = tmp_path / "r.answers.json"
    files.write_result([("d1", Answer(ranking=("b", "a"))), ("d2", Answer(ranking=()))], path)
    assert path.read_bytes() == (
        b'[{"dialog_id": "d1", "lst_candidate_id": [{"candidate_id": "b", "rank": 1}, '
        b'{"candidate_id": "a", "rank": 2}]}, {"dialog_id": "d2", "lst_candidate_id": []}]'
    )


def test_an_answer_without_ranking_is_refused_and_no_file_is_left(tmp_path: Path) -> None:
    path = tmp_path / "r.answers.json"
    with pytest.raises(UsageError, match="'d2' has no ranking"):
        files.write_result([("d1", Answer(ranking=("b",))), ("d2", Answer(text="x"))], path)
    assert list(tmp_path.iterdir()) == []


def test_packed_results_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz"):
        files.write_result([("d1", Answer(ranking=("b",)))], tmp_path / name)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert files.read_result(tmp_path / "a.json.gz").rows[0]["dialog_id"] == "d1"


def test_a_result_is_read_as_it_is(tmp_path: Path) -> None:
    rows = [TRUTH, TRUTH, {"dialog_id": None, "lst_candidate_id": [{"rank": "70"}, {"rank": -1}]}]
    found = files.read_result(written(tmp_path / "r.json", rows))
    assert (found.rows, found.problems, found.layout, len(found.hash)) == (rows, (), files.LAYOUT, 64)


def test_rows_that_only_the_official_programs_accept_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(b'["\xed\xa0\x80"]')
    found = files.read_result(path)
    assert found.rows == ["\ud800"]
    assert [problem.rule for problem in found.problems] == ["not-utf8"]


def test_all_problems_of_a_data_file_come_at_once(tmp_path: Path) -> None:
    rows = [{**ROW, "utterances": None}, {**ROW, "candidates": [3]}, {**ROW, "dialog_id": 3, "answer": "a"}]
    with pytest.raises(FormatError) as caught:
        files.load(written(tmp_path / "d.json", rows))
    rules = [problem.rule for problem in caught.value.problems]
    assert rules == ["utterances-missing", "candidates-type", "dialog-id-repeated", "dialog-id-type", "answer-type"]


def test_a_byte_order_mark_is_read_over_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps([ROW]).encode())
    with caplog.at_level(logging.WARNING):
        assert len(files.load(path)) == 1
    assert "byte order mark" in caplog.text


FAULTS: dict[str, tuple[bytes, str]] = {
    "cut off": (json.dumps([ROW]).encode()[:100], "not-json"),
    "empty": (b"", "not-json"),
    "nothing but blanks": (b" \r\n", "not-json"),
    "an object": (json.dumps(ROW).encode(), "not-a-list"),
    "a number": (b"3", "not-a-list"),
    "latin-1": (json.dumps([ROW]).replace("hi", "h\xef").encode("latin-1"), "not-utf8"),
    "utf-16": (json.dumps([ROW]).encode("utf-16"), "not-utf8"),
    "damaged gz": (gzip.compress(json.dumps([ROW]).encode())[:-12], "gzip-damaged"),
    "gz with other bytes": (gzip.compress(b"x" * 999)[:20] + b"\xff" * 40, "gzip-damaged"),
    "deep nesting": (b"[" * 200_000 + b"]" * 200_000, "not-json"),
    "a number of thousands of digits": (b"[" + b"1" * 10_000 + b"]", "not-json"),
    "null rows": (b"[null]", "item-not-object"),
    "null in a truth": (json.dumps([TRUTH, None]).encode(), "item-not-object"),
    "lines": (b'{"dialog_id": "x"}\n{"dialog_id": "y"}\n', "not-json"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_data_file_is_refused_with_its_rule(tmp_path: Path, fault: str) -> None:
    content, rule = FAULTS[fault]
    path = tmp_path / "d.json"
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        files.load(path)
    assert rule in {problem.rule for problem in caught.value.problems}
    assert str(path) in str(caught.value)


def test_windows_line_ends_are_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(json.dumps([ROW], indent=1).replace("\n", "\r\n").encode())
    assert [example.sample.id for example in files.load(path)] == ["d1"]


@pytest.mark.parametrize("read", [files.load, files.read_result, read_facts])
def test_a_folder_a_missing_file_and_a_locked_one_are_refused(tmp_path: Path, read: Any) -> None:
    with pytest.raises(StorageError, match="it is a folder"):
        read(tmp_path)
    with pytest.raises(StorageError, match="no such file"):
        read(tmp_path / "nowhere.json")
    locked = tmp_path / "locked.json"
    locked.write_bytes(b"[]")
    locked.chmod(0)
    try:
        locked.read_bytes()
    except PermissionError:
        with pytest.raises(StorageError, match="no permission"):
            read(locked)


def test_a_large_foreign_file_is_refused_at_the_first_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peek, "LARGE", 1000)
    path = written(tmp_path / "junk.json", [{"a": 1}] * 5000)
    with pytest.raises(FormatError, match="foreign-file"):
        files.load(path)
    assert [problem.rule for problem in files.read_result(path).problems] == ["foreign-file"]


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"\xff\x00", b"a", b"[", b"\x00", b"0,", b'{"a":1},', b"1 a R_b\tc\r"])
def test_two_hundred_megabytes_of_junk_are_refused_in_seconds(tmp_path: Path, piece: bytes) -> None:
    path = tmp_path / "junk"
    path.write_bytes(b"[" + piece * (200 * 2**20 // len(piece)) + b"0]")
    with pytest.raises(FormatError):
        files.load(path)
    with pytest.raises(FormatError):
        read_facts(path)
    assert files.read_result(path).problems


TEXT = st.text(max_size=12)


@st.composite
def rows(draw: st.DrawFn, number: int) -> dict[str, Any]:
    """Return a row that keeps the rules, with odd texts and keys that nobody asked for."""
    ids = draw(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=3, unique=True))
    row: dict[str, Any] = {
        "dialog_id": f"{number} {draw(TEXT)}",
        "utterances": draw(st.lists(TEXT, min_size=1, max_size=4)),
        "candidates": [{"candidate_id": one, "utterance": draw(TEXT)} for one in ids],
        "more": draw(st.none() | st.integers() | TEXT),
    }
    if draw(st.booleans()):
        row["answer"] = draw(st.sampled_from(row["candidates"]))
    return {key: row[key] for key in draw(st.permutations(list(row)))}


@given(st.integers(0, 3).flatmap(lambda n: st.tuples(*(rows(number) for number in range(n)))))
def test_any_good_file_comes_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[Any, ...]
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    path = written(folder / "d.json", made)
    files.write_data(files.load(path), folder / "again.json")
    assert (folder / "again.json").read_bytes() == path.read_bytes()
