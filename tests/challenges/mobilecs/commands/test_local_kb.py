from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner
from tests.challenges.mobilecs.systems.calls import generated

from duologue.challenges.mobilecs.commands.local_kb import local_kb
from duologue.challenges.mobilecs.formats.files import load_dialogue
from duologue.challenges.mobilecs.task import ExtractionTask
from duologue.core.errors import FormatError
from duologue.core.records import Annotation, Answer

if TYPE_CHECKING:
    from pathlib import Path


def test_a_result_file_becomes_local_bases_that_track_2_reads(tmp_path: Path) -> None:
    calls, result, out = (tmp_path / name for name in ("calls.json", "pred.json", "out.json"))
    examples = generated(12)
    rows = [
        {**one.source, "content": [dict(list(turn.items())[:2]) for turn in one.source["content"]]} for one in examples
    ]
    calls.write_text(json.dumps(rows), encoding="utf-8")
    ExtractionTask().write(examples, [(one.sample.id, one.references[0]) for one in examples], result)
    done = CliRunner().invoke(local_kb, [str(calls), "--pred", str(result), "--out", str(out)])
    assert done.exit_code == 0, done.output
    made = json.loads(out.read_bytes())
    entities = sum(name != "NA" for row in made for name in row["KB"])
    assert done.output.split("\n")[0].startswith(f"12 dialogues with {entities} entities in ")
    assert entities > 12
    assert len(load_dialogue(out)) == sum(len(row["content"]) for row in made)
    out.write_text("a night's work", encoding="utf-8")
    words = [str(calls), "--pred", str(result), "--out", str(out)]
    assert "--force" in str(CliRunner().invoke(local_kb, words).exception)
    assert out.read_text("utf-8") == "a night's work"
    assert CliRunner().invoke(local_kb, [*words, "--force"]).exit_code == 0
    assert json.loads(out.read_bytes()) == made


def test_a_result_of_other_calls_is_refused(tmp_path: Path) -> None:
    calls, result = tmp_path / "calls.json", tmp_path / "pred.json"
    calls.write_text(json.dumps([generated(3)[0].source]), encoding="utf-8")
    ExtractionTask().write([], [(one.sample.id, one.references[0]) for one in generated(3)], result)
    done = CliRunner().invoke(local_kb, [str(calls), "--pred", str(result), "--out", str(tmp_path / "out.json")])
    assert isinstance(done.exception, FormatError)
    assert not (tmp_path / "out.json").exists()


def test_calls_of_which_no_turn_is_left_are_told(tmp_path: Path) -> None:
    """A call in which nobody replies to the customer was counted as any other."""
    calls, result, out = (tmp_path / name for name in ("calls.json", "pred.json", "out.json"))
    said = {"a": [("您好", "喂")], "b": [("在吗", "")], "c": [("您好", "喂"), ("请讲", "")]}
    rows = [
        {"id": name, "content": [{"[SPEAKER 1]": staff, "[SPEAKER 2]": user} for staff, user in turns]}
        for name, turns in said.items()
    ]
    calls.write_text(json.dumps(rows), encoding="utf-8")
    examples = list(ExtractionTask().load(calls))
    ExtractionTask().write(examples, [(name, Answer(annotation=Annotation())) for name in said], result)
    done = CliRunner().invoke(local_kb, [str(calls), "--pred", str(result), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "reply behind it: 2 (a, b)" in done.output.replace("\n", " ")
    assert [len(row["content"]) for row in json.loads(out.read_bytes())] == [0, 0, 1]
