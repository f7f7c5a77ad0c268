from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner
from tests.challenges.mobilecs.systems.calls import generated

from duologue.challenges.mobilecs.commands.local_kb import local_kb
from duologue.challenges.mobilecs.formats.files import load_dialogue
from duologue.challenges.mobilecs.task import ExtractionTask
from duologue.core.errors import FormatError

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


def test_a_result_of_other_calls_is_refused(tmp_path: Path) -> None:
    calls, result = tmp_path / "calls.json", tmp_path / "pred.json"
    calls.write_text(json.dumps([generated(3)[0].source]), encoding="utf-8")
    ExtractionTask().write([], [(one.sample.id, one.references[0]) for one in generated(3)], result)
    done = CliRunner().invoke(local_kb, [str(calls), "--pred", str(result), "--out", str(tmp_path / "out.json")])
    assert isinstance(done.exception, FormatError)
    assert not (tmp_path / "out.json").exists()
