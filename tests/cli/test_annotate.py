"""`duologue annotate`; the guide's page runs all of its verbs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.arena.annotation.calls import bare_rows, rows, write
from tests.command import demand_forced

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(duologue: Any, tmp_path: Path) -> tuple[str, ...]:
    """Return the options of a workspace with a project of three bare calls."""
    where = ("--workspace", str(tmp_path / "w"))
    assert duologue("annotate", "new", "mobilecs/extraction", "calls", *where).code == 0
    write(bare_rows(rows(3)), tmp_path / "bare.json")
    assert "3 dialogues are new" in duologue("annotate", "import", "calls", tmp_path / "bare.json", *where).out
    return where


def test_a_project_from_its_beginning_to_the_official_file(
    duologue: Any, tmp_path: Path, project: tuple[str, ...]
) -> None:
    annotated = write(rows(3), tmp_path / "annotated.json")
    assert (
        "in 3 dialogues; 0 have none"
        in duologue("annotate", "suggest", "calls", "--annotated", annotated, *project).out
    )
    told = duologue("annotate", "assign", "calls", "--to", "Anna", "--count", "1", *project).out
    assert "link: /enter/" in told
    assert "has 1 dialogue more" in told
    again = duologue("annotate", "assign", "calls", "--to", "Anna", *project).out
    assert "link" not in again
    assert "Ben has annotated 3" in duologue("annotate", "import", "calls", annotated, "--by", "Ben", *project).out
    found = json.loads(duologue("annotate", "status", "calls", "--json", *project).out)
    assert found["progress"]["finished"] >= 2
    assert found["suggestions"]["anchoring"]["why"]
    done = duologue("annotate", "export", "calls", "--out", tmp_path / "out.json", "--by", "Ben", *project)
    assert "3 dialogues" in done.out
    assert json.loads((tmp_path / "out.json").read_text()) == rows(3)
    demand_forced(duologue, ("annotate", "export", "calls", "--by", "Ben", *project), tmp_path / "out.json")


def test_personal_data_in_what_is_to_be_annotated_are_stored_by_an_explicit_word_alone(
    duologue: Any, tmp_path: Path, project: tuple[str, ...]
) -> None:
    made = bare_rows(rows(5))[3:]
    first = next(iter(made[0]["content"][0]))
    made[0]["content"][0][first] += "，我的手机13812345678"
    write(made, tmp_path / "more.json")
    told = "1 utterance holds what looks like personal data (1 PHONE), and annotators read them"
    before = duologue("annotate", "status", "calls", "--json", *project).out
    done = duologue("annotate", "import", "calls", tmp_path / "more.json", *project)
    assert done.code == 1
    assert f"{told}; nothing was stored" in " ".join(done.err.split())
    assert duologue("annotate", "status", "calls", "--json", *project).out == before
    kept = duologue("annotate", "import", "calls", tmp_path / "more.json", "--keep-personal-data", *project)
    assert (kept.code, "2 dialogues are new" in kept.out) == (0, True), kept.err
    assert told in " ".join(kept.err.split())
    assert "13812345678" not in done.err + kept.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["new", "restaurant", "other"], "has no layers that people annotate"),
        (["assign", "calls"], "give --to NAME or --adjudicator NAME"),
        (["suggest", "calls"], "give one of RESULT, --system and --annotated"),
        (["suggest", "calls", "--system", "solver"], "solver"),
        (["status", "call"], "did you mean 'calls'"),
        (["export", "calls", "--out", "x.json", "--by", "Eve"], "nobody called 'Eve'"),
    ],
)
def test_slips_are_told_in_a_sentence(duologue: Any, project: tuple[str, ...], words: list[str], told: str) -> None:
    done = duologue("annotate", *words, *project)
    assert done.code == 2
    assert told in done.err


def test_the_system_that_suggests_takes_its_options(duologue: Any, tmp_path: Path, project: tuple[str, ...]) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'mentions': [], 'values': []}), flush=True)\n",
        encoding="utf-8",
    )
    command = f"command={sys.executable} {bot}"
    done = duologue("annotate", "suggest", "calls", "--system", "process", "--set", command, *project)
    assert (done.code, "0 marks are suggested" in done.out) == (0, True), done.err
    alone = duologue("annotate", "suggest", "calls", "--annotated", bot, "--set", command, *project)
    assert alone.code == 2
    assert "--recipe and --set go with --system" in alone.err
