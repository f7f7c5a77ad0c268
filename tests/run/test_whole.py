from __future__ import annotations

import io
import json
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.core.disk import sha256
from duologue.core.errors import FormatError, UsageError
from duologue.core.plugins import load_task
from duologue.core.records import Answer, Exposure, Scoring
from duologue.core.result_note import provenance_path
from duologue.run.contamination import SKETCH, TRAIN, Sketch
from duologue.run.evaluate import Truth
from duologue.run.folder import score_folder
from duologue.run.whole import WholeTruth, files_below, is_whole, score_teams, teams, total

if TYPE_CHECKING:
    from duologue.core.protocols import Task
    from duologue.core.records import Report

STRICT = Scoring(variant="strict")
PARTIAL = Scoring(variant="strict", partial=True)
SUBTASKS = ("1API", "2REFINE")
KINDS = {"tst1": "kb1_atmosphere", "tst2": "kb2_atmosphere"}
N = 10


def name(part: str, subtask: str, ending: str = ".answers.json") -> str:
    return f"{part}/dialog-task{subtask}-{KINDS[part]}-distr0.5-tst{N}{ending}"


def put(folder: Path, path: str, right: int, ranked: str = "ab") -> None:
    """Write a result file in which so many of ten dialogues are right; a truth ranks `a` alone."""
    rows = []
    for number in range(N):
        best = "a" if number < right else "b"
        entries = [{"candidate_id": one, "rank": 1 + (one != best)} for one in ranked]
        rows.append({"dialog_id": f"{path[:20]}{number}", "lst_candidate_id": entries})
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(rows), "utf-8")


@pytest.fixture
def task() -> Task:
    return load_task("restaurant")


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    for part in KINDS:
        for subtask in SUBTASKS:
            put(tmp_path / "gold", name(part, subtask), N, "a")
    return tmp_path / "gold"


@pytest.fixture
def team(tmp_path: Path) -> Path:
    folder = tmp_path / "teams" / "one"
    for part, subtask, right in (
        ("tst1", "1API", 9),
        ("tst1", "2REFINE", 5),
        ("tst2", "1API", 3),
        ("tst2", "2REFINE", 1),
    ):
        put(folder, name(part, subtask), right)
    return folder


def values(reports: Any) -> dict[str, float]:
    return {report.meta["test_set"]: report.scores[0].value for report in reports}


def test_every_file_every_test_set_and_all_are_scored(task: Task, gold: Path, team: Path) -> None:
    marks = WholeTruth.of(task, [gold]).score(team, STRICT)
    assert values(marks.files) == {"tst1 task 1": 0.9, "tst1 task 2": 0.5, "tst2 task 1": 0.3, "tst2 task 2": 0.1}
    assert values(marks.test_sets) == {"tst1": 0.7, "tst2": 0.2}
    assert values([marks.total]) == {"total of tst1, tst2": 0.45}
    assert (marks.total.n, marks.total.system, len(marks.total.items)) == (40, "one", 40)
    assert marks.total.groups == tuple(name for name, _ in marks.total.items)  # each is a dialogue
    one = [(name, report) for name, report in zip("ab", marks.files, strict=False)]
    bare = total([one[0], ("b", msgspec.structs.replace(one[1][1], groups=()))], "both")
    assert (bare.groups, bare.caution == "") == ((), False)
    assert "total of tst1 + tst2" in str(marks.total.signature)
    assert [(part.value, part.n) for part in marks.test_sets[0].slices] == [("task 1", N), ("task 2", N)]
    low, high = marks.total.scores[0].low, marks.total.scores[0].high
    assert low is not None
    assert high is not None
    assert low < 0.45 < high


@pytest.mark.parametrize("ending", ["team.tgz", "team.zip"])
def test_an_archive_scores_as_its_folder_does(task: Task, gold: Path, team: Path, tmp_path: Path, ending: str) -> None:
    packed = tmp_path / ending
    if ending.endswith("zip"):
        with zipfile.ZipFile(packed, "w") as archive:
            for path in files_below(team):
                archive.write(path, f"submission/{path.relative_to(team)}")
    else:
        with tarfile.open(packed, "w:gz") as tar:
            tar.add(team, "submission")
    truth = WholeTruth.of(task, [gold])
    here, there = truth.score(packed, STRICT), truth.score(team, STRICT)
    assert values(here.files) == values(there.files)
    assert here.total.scores == there.total.scores
    assert here.total.system == "team"
    assert is_whole([packed])


def test_an_archive_that_leads_out_of_itself_is_refused(task: Task, gold: Path, tmp_path: Path) -> None:
    packed = tmp_path / "bad.tgz"
    with tarfile.open(packed, "w:gz") as tar:
        entry = tarfile.TarInfo("../outside.json")
        entry.size = 2
        tar.addfile(entry, io.BytesIO(b"[]"))
    with pytest.raises(FormatError, match="archive-name"):
        WholeTruth.of(task, [gold]).score(packed, STRICT)
    assert not (tmp_path / "outside.json").exists()


def test_missing_and_misnamed_files_are_all_told_and_count_as_wrong_in_part(task: Task, gold: Path, team: Path) -> None:
    shutil.move(team / name("tst1", "2REFINE"), team / "tst1" / "task2.json")
    (team / name("tst2", "1API")).write_text("[", "utf-8")
    (team / name("tst2", "2REFINE")).write_text("{}", "utf-8")
    truth = WholeTruth.of(task, [gold])
    with pytest.raises(FormatError) as refused:
        truth.score(team, STRICT)
    told = [(one.rule, one.place.replace("\\", "/")) for one in refused.value.problems]
    assert told == [
        ("file-missing", "tst1, task 2"),
        ("file-unknown", "tst1/task2.json"),
        ("not-json", f"{name('tst2', '1API')}: line 1, column 2"),
        ("not-a-list", name("tst2", "2REFINE")),
    ]
    (team / name("tst2", "1API")).unlink()
    put(team, name("tst2", "2REFINE"), 1)
    marks = truth.score(team, PARTIAL)
    assert values(marks.test_sets) == {"tst1": 0.45, "tst2": 0.05}
    assert [(one.place, one.advice) for one in marks.total.problems] == [
        ("tst1, task 2", "all of it counts as wrong"),
        ("tst2, task 1", "all of it counts as wrong"),
    ]


def test_a_single_file_by_any_name_is_taken_for_its_own_test_set_only(task: Task, gold: Path, tmp_path: Path) -> None:
    for part in KINDS:
        (gold / name(part, "2REFINE")).unlink()
    put(tmp_path / "team", name("tst1", "1API"), 9)
    shutil.move(tmp_path / "team" / name("tst1", "1API"), tmp_path / "team" / "tst1" / "mine.json")
    marks = WholeTruth.of(task, [gold]).score(tmp_path / "team", PARTIAL)
    assert values(marks.test_sets) == {"tst1": 0.9, "tst2": 0.0}
    assert [(one.rule, one.place) for one in marks.total.problems] == [("file-missing", "tst2, task 1")]


def test_data_files_beside_the_truth_are_no_truth(task: Task, gold: Path, team: Path) -> None:
    for part in KINDS:
        for subtask in SUBTASKS:
            path = gold / name(part, subtask)
            rows = [
                {
                    "dialog_id": row["dialog_id"],
                    "utterances": ["hi"],
                    "candidates": [{"candidate_id": one, "utterance": one} for one in "ab"],
                }
                for row in json.loads(path.read_text("utf-8"))
            ]
            (gold / name(part, subtask, ".json")).write_text(json.dumps(rows), "utf-8")
    (gold / "notes.html").write_text("", "utf-8")
    marks = WholeTruth.of(task, [gold]).score(team, STRICT)
    assert len(marks.files) == 4
    assert marks.files[0].slices


def test_teams_are_ranked_by_totals_and_a_broken_one_is_noted(task: Task, gold: Path, team: Path) -> None:
    shutil.copytree(team, team.parent / "two")
    (team.parent / "two" / name("tst1", "1API")).unlink()
    (team.parent / "readme.txt").write_text("", "utf-8")
    assert [path.name for path in teams(team.parent)] == ["one", "two"]
    scored = score_teams(task, [gold], team.parent, STRICT)
    assert [marks.total.system for marks in scored.marks] == ["one"]
    assert [(one.file, one.problems) for one in scored.refused] == [("two", 1)]
    with pytest.raises(UsageError, match="holds no submissions"):
        score_teams(task, [gold], team / "tst1", STRICT)
    (team.parent / "none").mkdir()
    with pytest.raises(UsageError, match=f"{team.parent / 'none'} holds no truth files"):
        WholeTruth.of(task, [team.parent / "none"])
    told: list[tuple[int, int, str]] = []
    scored = score_teams(task, [gold], team.parent, STRICT, unseen=True, progress=lambda *step: told.append(step))
    assert [(one.file, one.problems, one.first.partition(" was")[0]) for one in scored.refused] == [
        ("none", 4, "tst1, task 1: there is no result file for this truth"),
        ("one", 1, "nothing tells what dialog-task1API-kb1_atmosphere-distr0.5-tst10"),
        ("two", 1, "nothing tells what dialog-task2REFINE-kb1_atmosphere-distr0.5-tst10"),
    ]
    assert told == [(number, 3, "scoring") for number in (1, 2, 3)]


def test_a_folder_per_team_with_one_result_file_is_enough_for_a_task_of_one_file(tmp_path: Path) -> None:
    golden = Path(__file__).parents[1] / "golden" / "spoken"
    task = load_task("spoken")
    examples = list(task.load(golden / "small-valid.json"))
    replies = [(one.sample.id, Answer(text="好的")) for one in examples]
    for one in ("a", "b"):
        task.write(examples, replies, tmp_path / one / "result.json")
    scored = score_teams(task, [golden / "small-valid.json"], tmp_path, PARTIAL)
    assert [marks.total.system for marks in scored.marks] == ["a", "b"]
    assert not is_whole([golden / "small-valid.json"])


@pytest.fixture
def talks(tmp_path: Path) -> tuple[Path, Path]:
    """Truth and submission of two test sets whose files have one name, and in which the team says the same."""
    for part in ("t1", "t2"):
        for kind, speaker, said in (("truth", "S", "hello there friend"), ("talks", "S_HYP", "good day to you")):
            place = tmp_path / kind / part / "talk.txt"
            place.parent.mkdir(parents=True)
            place.write_text(f"U: who is it\n{speaker}: {said}\n\n", "utf-8")
    return tmp_path / "truth", tmp_path / "talks"


def test_a_total_has_no_score_that_is_no_sum_of_counts(talks: tuple[Path, Path]) -> None:
    """Of two files with the same words every one counted as said nowhere else."""
    truth, team = talks
    marks = WholeTruth.of(load_task("conversation"), [truth]).score(team, STRICT)
    assert "distinct-1" in values_of(marks.files[0])
    assert not {"distinct-1", "distinct-2", "cider"} & values_of(marks.total).keys()
    assert values_of(marks.total)["rouge-l"] == values_of(marks.files[0])["rouge-l"]


def values_of(report: Report) -> dict[str, float]:
    return {score.name: score.value for score in report.scores}


def test_files_of_one_name_are_called_by_their_test_sets_too(talks: tuple[Path, Path]) -> None:
    """In the JSON that is printed one took the place of the other."""
    truth, team = talks
    marks = WholeTruth.of(load_task("conversation"), [truth]).score(team, STRICT)
    assert [one.meta["test_set"] for one in marks.files] == ["t1 talk", "t2 talk"]
    assert [one.meta["test_set"] for one in marks.test_sets] == ["t1", "t2"]
    for folder in talks:
        shutil.copy(folder / "t1" / "talk.txt", folder / "t1" / "t1.txt")
    marks = WholeTruth.of(load_task("conversation"), [truth]).score(team, STRICT)
    assert [one.meta["test_set"] for one in marks.files] == ["t1 t1", "t1 talk", "t2 talk"]


def test_files_of_different_names_are_called_by_these(talks: tuple[Path, Path]) -> None:
    truth, team = talks
    for folder in talks:
        (folder / "t2" / "talk.txt").rename(folder / "t2" / "other.txt")
    marks = WholeTruth.of(load_task("conversation"), [truth]).score(team, STRICT)
    assert [one.meta["test_set"] for one in marks.files] == ["talk", "other"]
    for folder in talks:
        (folder / "t1" / "talk.txt").rename(folder / "t1" / "t1.txt")
    marks = WholeTruth.of(load_task("conversation"), [truth]).score(team, STRICT)
    assert [one.meta["test_set"] for one in marks.files] == ["t1", "other"]


def test_a_file_is_the_submission_to_a_truth_of_one_file_alone(talks: tuple[Path, Path]) -> None:
    truth, team = talks
    file = team / "t1" / "talk.txt"
    whole = WholeTruth.of(load_task("conversation"), [truth])
    with pytest.raises(FormatError) as refused:
        whole.score(file, STRICT)
    assert [(one.rule, one.place) for one in refused.value.problems] == [
        ("file-missing", "t1, talk"),
        ("file-missing", "t2, talk"),
    ]
    (truth / "t2" / "talk.txt").unlink()
    for name in ("one", "two"):
        (team / "t1" / f"{name}.txt").write_bytes(file.read_bytes())
    file.rename(team / "t1" / "three.txt")  # none of three is it
    with pytest.raises(FormatError) as refused:
        WholeTruth.of(load_task("conversation"), [truth]).score(team / "t1", STRICT)
    assert sorted(one.rule for one in refused.value.problems) == ["file-missing", *["file-unknown"] * 3]
    (team / "t1" / "three.txt").rename(file)
    marks = WholeTruth.of(load_task("conversation"), [truth]).score(file, STRICT)
    assert [(one.meta["test_set"], one.n) for one in marks.files] == [("talk", 1)]


def test_files_at_the_top_are_found_by_their_names_whatever_the_folders_are_called(tmp_path: Path) -> None:
    for folder, speaker in (("truth", "S"), ("somebody", "S_HYP")):
        (tmp_path / folder).mkdir()
        for number, said in (("one", "hello there friend"), ("two", "good day to you")):
            text = f"U: who is it\n{speaker}: {said}\n\n"
            (tmp_path / folder / f"{number}.txt").write_text(text, "utf-8")
    truth = WholeTruth.of(load_task("conversation"), [tmp_path / "truth"])
    marks = truth.score(tmp_path / "somebody", Scoring(variant="strict"))
    assert [values_of(report)["bleu-1"] for report in marks.files] == pytest.approx([1.0, 1.0])
    assert [report.meta["test_set"] for report in marks.test_sets] == ["one", "two"]


def test_links_that_lead_out_of_a_submission_are_no_files_of_it(gold: Path, tmp_path: Path) -> None:
    inside = tmp_path / "team"
    inside.mkdir()
    (inside / "result.json").symlink_to(gold / name("tst1", "1API"))
    assert files_below(inside) == []


def test_several_truth_files_of_one_score_are_all_named(task: Task, gold: Path) -> None:
    both = [gold / name("tst1", "1API"), gold / name("tst2", "2REFINE")]
    assert Truth.of(task, both).test_set == "tst1 task 1 + tst2 task 2"
    assert Truth.of(task, both[:1]).test_set == "tst1 task 1"


def test_of_files_that_nothing_says_the_system_of_no_model_speaks(
    task: Task, gold: Path, team: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    Sketch.of({TRAIN: []}).save(model / SKETCH)
    marks = WholeTruth.of(task, [gold]).score(team, STRICT, models=[model])
    assert {one.exposure for one in marks.files} == {None}
    noted = team / name("tst1", "1API")
    digest = sha256(noted.read_bytes())
    note = f'system = "s"\nmodel = "m"\nsketch = "{Sketch.read(model / SKETCH).hash}"\nresult_hash = "{digest}"\n'
    provenance_path(noted).write_text(note, "utf-8")
    marks = WholeTruth.of(task, [gold]).score(team, STRICT, models=[model])
    assert [one.exposure is None for one in marks.files] == [False, True, True, True]
    assert [one.exposure for one in (*marks.test_sets, marks.total)] == [None, None, None]
    found = score_folder(task, [gold / name("tst1", "1API")], noted.parent, PARTIAL, models=[model])
    assert [one.exposure is None for one in found.reports] == [False]


def test_what_was_seen_of_several_truths_is_seen_of_all_and_chance_is_the_mean_over_samples(
    task: Task, gold: Path, team: Path
) -> None:
    def of_all(*seen: Exposure) -> Exposure | None:
        files = WholeTruth.of(task, [gold]).score(team, STRICT).files
        told = [msgspec.structs.replace(one, exposure=part) for one, part in zip(files, seen, strict=False)]
        return total([(str(number), one) for number, one in enumerate(told)], "all").exposure

    few = Exposure(samples=10, samples_seen=4, by_chance=0.125, replies=8, replies_seen=2, examples=("a", "b"))
    many = Exposure(samples=30, samples_seen=5, by_chance=0.25, replies=20, held_out=3, examples=("c", "d", "e", "f"))
    found = of_all(few, many)
    assert found == Exposure(
        samples=40,
        samples_seen=9,
        by_chance=0.21875,
        replies=28,
        replies_seen=2,
        held_out=3,
        examples=("a", "b", "c", "d", "e"),
    )
    assert of_all(Exposure(), Exposure()) == Exposure()
