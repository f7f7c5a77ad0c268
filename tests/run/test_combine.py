"""Result files of several systems made one, with a note that names them, and what they saw."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from duologue.core.disk import Source
from duologue.core.errors import FormatError, UsageError
from duologue.core.lines import sha256
from duologue.core.plugins import load_task
from duologue.core.recipe import dump, read_toml
from duologue.core.records import Answer, Example, Sample, Turn
from duologue.core.result_note import provenance_path
from duologue.run.combine import Combined, combine
from duologue.run.contamination import Sketch, TrainingFile
from duologue.run.evaluate import score, scoring
from duologue.run.notes import Provenance

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
DATA = GOLDEN / "conversation" / "contract" / "evaluation.txt"


def replies(folder: Path, name: str, *texts: str) -> Path:
    """Write a result file: for each sample one of the texts, the last for all that follow."""
    task = load_task("conversation")
    examples = list(task.load(DATA))
    said = [texts[min(at, len(texts) - 1)] for at in range(len(examples))]
    path = folder / name
    task.write(examples, [(one.sample.id, Answer(text=text)) for one, text in zip(examples, said, strict=True)], path)
    return path


def with_note(result: Path, **more: Any) -> Path:
    note = Provenance(
        task="conversation", task_version="", system=result.stem, recipe={}, seed=1, input="", input_hash="", world="",
        world_hash="", seen="its own data", package="", result_hash=sha256(Source(result)),
    )  # fmt: skip
    provenance_path(result).write_text(dump(msgspec.structs.replace(note, **more)), "utf-8")
    return result


def made(results: list[Path], out: Path, **more: Any) -> list[str | None]:
    task = load_task("conversation")
    combine(task, results, DATA, out, utility=more.pop("utility", "f1"), **more)
    examples = list(task.load(DATA))
    answers = task.answers(task.read(out), examples)
    return [answers[one.sample.id].text for one in examples]


@pytest.mark.parametrize("utility", ["f1", "bigram-f1", "bleu", "chrf"])
def test_a_file_with_itself_is_itself_and_a_majority_wins(tmp_path: Path, utility: str) -> None:
    a, b, c = (
        replies(tmp_path, f"{name}.txt", text) for name, text in zip("abc", ["x y", "p q r", "p q r"], strict=True)
    )
    assert made([a, a], tmp_path / "same.txt", utility=utility) == made([a, a, a], tmp_path / "again.txt")
    assert set(made([a, a], tmp_path / "same.txt", utility=utility)) == {"x y"}
    assert (tmp_path / "same.txt").read_bytes() == a.read_bytes()
    assert set(made([a, b, c], tmp_path / "three.txt", utility=utility)) == {"p q r"}


def test_the_answer_is_taken_sample_by_sample(tmp_path: Path) -> None:
    a = replies(tmp_path, "a.txt", "we are here", "yes")
    b = replies(tmp_path, "b.txt", "no", "we are here to help")
    c = replies(tmp_path, "c.txt", "we are there", "we are here to see")
    found = made([a, b, c], tmp_path / "out.txt")
    assert found[0] == "we are here"  # as far from each of the others as "we are there", and named first
    assert set(found[1:]) == {"we are here to help"}


def test_answers_that_the_votes_leave_open_are_counted(tmp_path: Path) -> None:
    a, b = (
        replies(tmp_path, f"{name}.txt", "we are here", text) for name, text in zip("ab", ["yes", "no"], strict=True)
    )
    task = load_task("conversation")
    two = combine(task, [a, b], DATA, tmp_path / "two.txt", utility="f1")
    assert two.chosen == (two.answers, 0)
    assert two.undecided == two.answers - 1 > 0, "two files cannot outvote each other, but they agree on the first"
    three = combine(task, [a, b, b], DATA, tmp_path / "three.txt", utility="f1")
    assert (three.undecided, three.chosen) == (0, (1, three.answers - 1, 0))


def test_how_often_each_file_was_chosen_is_counted(tmp_path: Path) -> None:
    task = load_task("spoken")
    data = GOLDEN / "spoken" / "small-valid.json"
    examples = list(task.load(data))
    results = [tmp_path / f"{name}.json" for name in "abc"]
    for path, said in zip(results, ("是", "好的", "好的"), strict=True):
        task.write(examples, [(one.sample.id, Answer(text=said)) for one in examples], path)
    told: list[tuple[int, int, str]] = []
    found = combine(task, results, data, tmp_path / "out.json", utility="f1", progress=lambda *step: told.append(step))
    assert found == Combined(answers=len(examples), chosen=(0, len(examples), 0), silent=0, undecided=0)
    assert told == [(number, len(examples), "combining") for number in range(1, len(examples) + 1)]


def test_the_note_names_the_files_and_scores_know_what_each_saw(tmp_path: Path) -> None:
    a = with_note(replies(tmp_path, "a.txt", "x"), external=["web"], prompt="toy v1")
    b = with_note(replies(tmp_path, "b.txt", "y"), external=[])
    out = tmp_path / "out.txt"
    made([a, b], out)
    note = read_toml(provenance_path(out))
    assert note["system"] == "combination"
    assert note["recipe"] == {"utility": "f1"}
    assert [(one["result"], one["sha256"], one["system"]) for one in note["combined"]] == [
        ("a.txt", sha256(Source(a)), "a"),
        ("b.txt", sha256(Source(b)), "b"),
    ]
    assert note["external"] == ["web"]
    assert note["prompt"] == "toy v1"
    assert "a (a.txt): its own data; b (b.txt): its own data" in note["seen"]
    task = load_task("conversation")
    report = score(task, [DATA], out, scoring(task))
    assert report.system == "combination"
    assert report.external == ("web",)
    assert report.exposure is None  # external data of a system without a model: nobody knows


def test_what_one_of_the_systems_saw_is_seen_by_the_combination(tmp_path: Path) -> None:
    task = load_task("conversation")
    examples = list(task.load(DATA))
    own = Example(
        sample=Sample(
            id="s", dialogue_id="s", history=(Turn(speaker="user", text="where is my big blue parcel now please ?"),)
        ),
        references=(Answer(text="it is on its way"),),
    )
    for name, seen, leak in (("clean", [own], False), ("leaky", examples, True)):
        a, b, sketch = with_sketch(tmp_path / name, seen)
        out = tmp_path / name / "far" / "out.txt"
        made([a, b], out)
        exposure = score(task, [DATA], out, scoring(task)).exposure
        assert exposure is not None
        assert exposure.unknown == ""
        assert exposure.leak == leak
    a, b, sketch = with_sketch(tmp_path / "blind", examples)
    sketch.unlink()
    made([a, b], tmp_path / "blind.txt")
    blind = score(task, [DATA], tmp_path / "blind.txt", scoring(task)).exposure
    assert blind is not None
    assert "not beside the result" in blind.unknown


def with_sketch(folder: Path, seen: list[Example]) -> tuple[Path, Path, Path]:
    """Return the result of a system that was trained on examples, that of one that learns nothing, and the sketch."""
    folder.mkdir()
    sketch = Sketch.of({"train": seen}, [TrainingFile(name="t", sha256="0" * 64, part="train")])
    a = with_note(replies(folder, "a.txt", "x"), model="m", sketch=sketch.hash)
    sketch.put_beside(a)
    return a, with_note(replies(folder, "b.txt", "y"), external=[]), folder / f"training-{sketch.hash[:16]}.sketch"


def test_facts_go_with_their_text(tmp_path: Path) -> None:
    task = load_task("spoken")
    data = GOLDEN / "spoken" / "small-test.json"
    whole = json.loads((GOLDEN / "spoken" / "small-result.json").read_text("utf-8"))
    paths = []
    for name in "ab":
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(json.dumps(whole, ensure_ascii=False), "utf-8")
    combine(task, paths, data, tmp_path / "out.json", utility="chrf")
    examples = list(task.load(data))
    answers = [task.answers(task.read(one), examples) for one in (paths[0], tmp_path / "out.json")]
    assert dict(answers[0]) == dict(answers[1])


def test_what_cannot_be_combined_is_told(tmp_path: Path) -> None:
    a = replies(tmp_path, "a.txt", "x")
    with pytest.raises(UsageError, match=r"ranking.* cannot be combined"):
        combine(load_task("restaurant"), [a, a], DATA, tmp_path / "o.txt", utility="f1")
    with pytest.raises(UsageError, match=r"acts.text.* cannot be combined"):
        combine(load_task("mobilecs/dialogue"), [a, a], DATA, tmp_path / "o.txt", utility="f1")
    with pytest.raises(UsageError, match="two result files or more, 1 given"):
        made([a], tmp_path / "o.txt")
    with pytest.raises(UsageError, match="did you mean 'bleu'"):
        made([a, a], tmp_path / "o.txt", utility="blue")
    with pytest.raises(UsageError, match="which is read"):
        made([a, a], a)
    (tmp_path / "short.txt").write_text("only one\n", "utf-8")
    with pytest.raises(FormatError, match=r"short\.txt"):
        made([a, tmp_path / "short.txt"], tmp_path / "o.txt")
    (tmp_path / "mine.txt").write_text("my work", "utf-8")
    with pytest.raises(UsageError, match="--force"):
        made([a, a], tmp_path / "mine.txt")
    assert set(made([a, a], tmp_path / "mine.txt", force=True)) == {"x"}


def test_a_file_without_an_answer_has_no_say_and_where_none_has_one_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, data = load_task("spoken"), GOLDEN / "spoken" / "small-valid.json"
    monkeypatch.setattr(type(task), "check", lambda *_: ())  # which would refuse both
    examples = list(task.load(data))
    a, b = (tmp_path / f"{name}.json" for name in "ab")
    for path, said, start in ((a, "是", 2), (b, "好的", 1)):
        task.write(examples, [(one.sample.id, Answer(text=said)) for one in examples[start:]], path)
    found = combine(task, [a, b], data, tmp_path / "out.json", utility="f1")
    assert found == Combined(answers=2, chosen=(1, 1), silent=1, undecided=1)
    answers = task.answers(task.read(tmp_path / "out.json"), examples)
    assert [answers[one.sample.id].text for one in examples[1:]] == ["好的", "是"]
