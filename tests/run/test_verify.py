from __future__ import annotations

import hashlib
import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.core.disk import sha256
from duologue.core.errors import FormatError, UsageError
from duologue.core.plugins import load_task
from duologue.core.records import Exposure, Scoring
from duologue.core.result_note import provenance_path
from duologue.run import evaluate
from duologue.run.saved import formulas_of, read_report, save_report
from duologue.run.verify import NO_NOTE, FileLocations, _shown, find, paths_in, verify

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def saved(contest: Any, tmp_path: Path) -> Path:
    how = Scoring(variant="strict", by=("answer-type",))
    pred = contest.results / "fair.answers.json"
    report = evaluate.score(contest.task, [contest.gold], pred, how, data=contest.data)
    save_report(report, tmp_path / "fair.report.json")
    return tmp_path / "fair.report.json"


def test_a_stored_number_is_computed_again_to_the_last_digit(saved: Path) -> None:
    verdict = verify(saved)
    report = read_report(saved)
    scores = len(report.scores) + sum(len(one.scores) for one in report.slices)
    assert verdict.differences == ()
    assert verdict.checked == 5 + len(report.slices) + 5 * scores


def test_official_lines_are_compared_too(contest: Any, tmp_path: Path) -> None:
    how, pred = Scoring(variant="official"), contest.results / "good.answers.json"
    path = tmp_path / "official.report.json"
    report = evaluate.score(contest.task, [contest.gold], pred, how)
    save_report(report, path)
    assert verify(path).differences == ()
    save_report(msgspec.structs.replace(report, transcript=("Precision @1: 0.9",)), path)
    assert [one.partition(":")[0] for one in verify(path).differences] == ["printed lines"]


def test_a_forged_number_is_found(saved: Path) -> None:
    report = read_report(saved)
    forged = msgspec.structs.replace(report.scores[0], value=0.75)
    save_report(msgspec.structs.replace(report, scores=(forged, *report.scores[1:])), saved)
    assert verify(saved).differences == ("p@1, value: stored 0.75, computed 0.5",)


@pytest.mark.parametrize("forged", [{"dialogues": 9_999}, {"hashes": {"gold": "0" * 64, "pred": "0" * 64}}])
def test_a_forged_signature_of_a_score_is_found(saved: Path, forged: Any) -> None:
    report = read_report(saved)
    first = report.scores[0]
    score = msgspec.structs.replace(first, signature=msgspec.structs.replace(first.signature, **forged))
    save_report(msgspec.structs.replace(report, scores=(score, *report.scores[1:])), saved)
    differences = verify(saved).differences
    assert differences
    assert {one.partition(":")[0] for one in differences} <= {"p@1, signature", "p@1, hashes"}


def test_a_forged_slice_is_told_by_its_name_and_shortly(saved: Path) -> None:
    report = read_report(saved)
    first = report.slices[0]
    forged = msgspec.structs.replace(first.scores[0], value=0.75)
    cut = msgspec.structs.replace(first, scores=(forged, *first.scores[1:]))
    items = tuple((name, (9.0, *counts[1:])) for name, counts in report.items)
    save_report(msgspec.structs.replace(report, slices=(cut, *report.slices[1:]), items=items), saved)
    counts, told = verify(saved).differences
    assert counts.startswith("counts per item: stored ")
    assert len(counts) < 500, "not all items in full"
    assert told == f"{first.by} {first.value}, p@1, value: stored 0.75, computed {first.scores[0].value!r}"


def test_words_beside_a_score_are_no_figures(saved: Path) -> None:
    report = read_report(saved)
    noted = [msgspec.structs.replace(one, note="said otherwise then") for one in report.scores]
    cuts = [
        msgspec.structs.replace(one, scores=tuple(msgspec.structs.replace(it, note="so too") for it in one.scores))
        for one in report.slices
    ]
    save_report(msgspec.structs.replace(report, scores=tuple(noted), slices=tuple(cuts)), saved)
    assert verify(saved).differences == ()


def test_a_file_that_has_changed_is_named(saved: Path, contest: Any) -> None:
    shutil.copy(contest.results / "poor.answers.json", contest.results / "fair.answers.json")
    differences = verify(saved).differences
    assert any("fair.answers.json: the file has changed" in one for one in differences)
    assert any(one.startswith("p@1, value: stored 0.5, computed 0.0") for one in differences)
    assert any(one.startswith("signature") for one in differences)


def test_a_file_that_has_changed_is_named_where_it_is_not_even_scored_any_more(saved: Path, contest: Any) -> None:
    (contest.results / "fair.answers.json").write_text("[]", encoding="utf-8")
    changed, refused = verify(saved).differences
    assert "fair.answers.json: the file has changed" in changed
    assert refused.startswith("so it cannot be scored again: ")


def test_a_file_that_is_gone_is_named_and_nothing_is_computed(saved: Path, contest: Any) -> None:
    contest.gold.unlink()
    verdict = verify(saved)
    assert verdict.checked == 0
    assert [one.partition("; ")[0] for one in verdict.missing] == [
        f"{contest.gold}: no such file beside the report or below the folders that were named"
    ]


def test_files_are_found_beside_a_report_that_moved(saved: Path, contest: Any, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    for path in (saved, contest.gold, contest.data, contest.results / "fair.answers.json"):
        shutil.move(path, moved / path.name)
    assert verify(moved / saved.name).differences == ()


def test_a_report_is_found_by_its_signature_or_by_that_of_a_score(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "other.report.json").write_text("[]", encoding="utf-8")
    report = read_report(saved)
    assert find(str(report.signature), [tmp_path]) == [saved]
    assert find(str(report.scores[0].signature), [tmp_path]) == [saved]
    assert find(str(saved), []) == [saved]
    with pytest.raises(UsageError, match="say where to look"):
        find("p@1 | nobody", [tmp_path, tmp_path / "nowhere"])


def test_a_report_without_files_cannot_be_verified(saved: Path) -> None:
    save_report(msgspec.structs.replace(read_report(saved), meta={}), saved)
    with pytest.raises(UsageError, match="does not name the files"):
        verify(saved)


def test_files_are_found_below_a_named_folder_or_where_they_are_given(
    saved: Path, contest: Any, tmp_path: Path
) -> None:
    far = tmp_path / "far"
    far.mkdir()
    report = far / saved.name
    shutil.move(saved, report)
    assert verify(report).checked == 0
    assert verify(report, FileLocations((tmp_path,))).differences == ()
    pred = contest.results / "fair.answers.json"
    assert verify(report, FileLocations((), (contest.gold,), contest.data, pred)).differences == ()
    poor = pred.with_name("poor.answers.json")
    assert verify(report, FileLocations((), (contest.gold,), contest.data, poor)).differences
    with pytest.raises(UsageError, match="made from 1 such files, 2 given"):
        verify(report, FileLocations((), (contest.gold, contest.gold), contest.data, pred))


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A METEOR program whose `java` leaves a mark when it is run."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    row = " ".join(["1"] * 23)
    java.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/ran\nwhile read line; do echo "{row}"; done\n', encoding="utf-8"
    )
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{java.parent}:/usr/bin:/bin")
    monkeypatch.setenv("DUOLOGUE_METEOR", "")
    jar = tmp_path / "mine" / "meteor-1.5.jar"
    jar.parent.mkdir()
    jar.write_bytes(b"mine")
    return jar


def conversation(tmp_path: Path, **options: str) -> Path:
    pred = tmp_path / "output.txt"
    pred.write_text("S_REF: a b\nS_HYP: a c\n\nS_REF: d\nS_HYP: d\n", encoding="utf-8")
    how = Scoring(variant="coco", options=options)
    save_report(evaluate.score(load_task("conversation"), [], pred, how), tmp_path / "c.report.json")
    return tmp_path / "c.report.json"


def test_no_program_that_a_report_names_is_ever_run(program: Path, tmp_path: Path) -> None:
    path = conversation(tmp_path, meteor=str(program))
    assert (tmp_path / "ran").is_file()
    (tmp_path / "ran").unlink()
    digest = hashlib.sha256(b"mine").hexdigest()[:12]
    with pytest.raises(UsageError) as refused:
        verify(path)
    assert str(refused.value) == (
        f"meteor was counted by a program (SHA-256 {digest}), and a report is never asked which program to run; say "
        "where yours is with --option meteor=PATH, or set DUOLOGUE_METEOR"
    )
    evil = tmp_path / "evil.jar"
    evil.write_bytes(b"evil")
    report = msgspec.json.decode(path.read_bytes())
    report["meta"]["files"]["programs"][0]["path"] = str(evil)
    path.write_bytes(msgspec.json.encode(report))
    with pytest.raises(UsageError, match="never asked which program to run"):
        verify(path)
    report["meta"]["how"]["options"]["meteor"] = str(evil)
    path.write_bytes(msgspec.json.encode(report))
    with pytest.raises(FormatError, match="no path is ever taken from a report"):
        verify(path)
    assert not (tmp_path / "ran").exists()


def test_metric_programs_come_from_the_reader_and_are_compared_by_hash(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = conversation(tmp_path, meteor=str(program))
    assert f"meteor {hashlib.sha256(b'mine').hexdigest()[:8]}" in str(read_report(path).signature)
    assert str(program) not in str(read_report(path).meta["how"])
    assert verify(path, FileLocations(options={"meteor": str(program)})).differences == ()
    monkeypatch.setenv("DUOLOGUE_METEOR", str(program))
    assert verify(path).differences == ()
    program.write_bytes(b"another")
    assert any("meteor-1.5.jar: the file has changed" in one for one in verify(path).differences)


def test_sentence_vectors_are_read_again_and_compared_by_hash(tmp_path: Path) -> None:
    table = tmp_path / "table.txt"
    table.write_text("a b\t1 0\na c\t3 4\nd\t0 1\n", encoding="utf-8")
    path = conversation(tmp_path, **{"sentence-vectors": str(table)})
    assert "sentence-cosine" in {one.name for one in read_report(path).scores}
    assert verify(path).differences == ()
    table.write_text("a b\t1 0\na c\t1 0\nd\t0 1\n", encoding="utf-8")
    assert any("table.txt: the file has changed" in one for one in verify(path).differences)


def test_a_program_in_the_environment_does_not_count_where_none_did(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = conversation(tmp_path)
    monkeypatch.setenv("DUOLOGUE_METEOR", str(program))
    assert verify(path).differences == ()
    assert "meteor" not in {one.name for one in formulas_of(read_report(path))}


def test_a_table_that_was_an_option_is_found_like_the_other_files(tmp_path: Path) -> None:
    table = tmp_path / "vectors.txt"
    table.write_text("a 1 0\nb 0 1\nc 1 1\nd 1 0\n", encoding="utf-8")
    path = conversation(tmp_path, vectors=str(table))
    assert verify(path).differences == ()
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    shutil.move(path, hidden / path.name)
    shutil.move(tmp_path / "output.txt", hidden / "output.txt")
    assert [one.partition(":")[0] for one in verify(hidden / path.name).missing] == [str(table)]
    assert verify(hidden / path.name, FileLocations(options={"vectors": str(table)})).differences == ()
    with pytest.raises(UsageError, match="no file or program to be given as 'vector'; did you mean 'vectors'"):
        verify(hidden / path.name, FileLocations(options={"vector": str(table)}))


def test_a_prompt_is_proved_by_the_note_of_the_run_alone(contest: Any, tmp_path: Path) -> None:
    pred, path = contest.results / "fair.answers.json", tmp_path / "fair.report.json"
    note = provenance_path(pred)
    note.write_text(f'prompt = "toy en v1 0a1b"\nresult_hash = "{sha256(pred.read_bytes())}"\n', "utf-8")
    report = evaluate.score(contest.task, [contest.gold], pred, Scoring(variant="strict"))
    assert "| system prompt toy en v1 0a1b |" in str(report.scores[0].signature)
    save_report(report, path)
    assert (verify(path).differences, verify(path).remarks) == ((), ())
    note.write_text(note.read_text("utf-8").replace("v1", "v2"), "utf-8")
    assert any(one.startswith("signature: stored") for one in verify(path).differences)
    note.unlink()
    assert verify(path).differences == ()
    assert verify(path).remarks == (f"the prompt is {NO_NOTE}: toy en v1 0a1b",)


@pytest.mark.parametrize(
    ("forged", "told"),
    [
        ({"system": "ours"}, "system: stored 'ours', computed 'theirs'"),
        ({"seen": "nothing"}, "data seen in training: stored 'nothing', computed 'the test set'"),
        ({"seen": ""}, "data seen in training: stored '', computed 'the test set'"),
        ({"external": ()}, "external data: stored (), computed ('a crawl',)"),
        ({"external": None}, "external data: stored None, computed ('a crawl',)"),
    ],
)
def test_what_a_system_has_seen_is_proved_by_the_note_of_its_run(
    contest: Any, tmp_path: Path, forged: dict[str, Any], told: str
) -> None:
    pred, path = contest.results / "fair.answers.json", tmp_path / "fair.report.json"
    provenance_path(pred).write_text(
        'system = "theirs"\nseen = "the test set"\nexternal = ["a crawl"]\n'
        f'result_hash = "{sha256(pred.read_bytes())}"\n',
        "utf-8",
    )
    report = evaluate.score(contest.task, [contest.gold], pred, Scoring(variant="strict"))
    save_report(report, path)
    assert (verify(path).differences, verify(path).remarks) == ((), ())
    save_report(msgspec.structs.replace(report, **forged), path)
    assert verify(path).differences == (told,)
    provenance_path(pred).unlink()
    verdict = verify(path)
    assert verdict.differences == ()
    assert verdict.remarks == (f"the data that {forged.get('system', 'theirs')} has seen is {NO_NOTE}",)


def test_a_share_that_was_seen_in_training_is_proved_where_it_is_known(contest: Any, tmp_path: Path) -> None:
    pred, path = contest.results / "fair.answers.json", tmp_path / "fair.report.json"
    hash_ = sha256(pred.read_bytes())
    provenance_path(pred).write_text(f'system = "rules"\nexternal = []\nresult_hash = "{hash_}"\n', "utf-8")
    report = evaluate.score(contest.task, [contest.gold], pred, Scoring(variant="strict"))
    assert report.exposure == Exposure()  # it learns nothing
    save_report(report, path)
    assert verify(path).differences == ()
    save_report(msgspec.structs.replace(report, exposure=Exposure(samples=9, samples_seen=9)), path)
    (told,) = verify(path).differences
    assert told.startswith("share of the truth that was seen in training")


def test_a_figure_of_two_hundred_signs_is_told_whole() -> None:
    assert _shown("x" * 198) == f"'{'x' * 198}'"
    assert _shown("x" * 199) == f"'{'x' * 199}…"
    assert _shown(0.5) == "0.5"


def test_it_is_told_how_many_reports_were_looked_at_and_what_else_is_there_is_passed_over(
    saved: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.report.json").write_text("[]", encoding="utf-8")  # before the other by name
    signature = str(read_report(saved).signature)
    shutil.copy(saved, tmp_path / "z.report.json")
    assert find(signature, [tmp_path, tmp_path]) == [saved, tmp_path / "z.report.json"]
    with pytest.raises(UsageError, match=rf"'odd' is among the 3 below {tmp_path}, {tmp_path / 'gone'}, and no file"):
        find("odd", [tmp_path, tmp_path / "gone"])


def test_options_are_names_with_paths() -> None:
    assert paths_in(["a=b=c", "d=e"]) == {"a": "b=c", "d": "e"}
    for wrong in ("a", "=b", "a=", "="):
        with pytest.raises(UsageError, match="expected name=path"):
            paths_in(["d=e", wrong])
