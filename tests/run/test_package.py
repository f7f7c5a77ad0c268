from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.challenges.mobilecs.simulator.simulated_calls import calls

from duologue.challenges.restaurant.knowledge.facts import kb_lines
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.systems.ranker.ranker import RankerRecipe
from duologue.core.errors import BusyError, FormatError, UsageError
from duologue.core.locks import writing_file
from duologue.core.plugins import entries, load_task, make_system, packages_of
from duologue.core.protocols import Trainable
from duologue.core.recipe import read_toml
from duologue.core.version import __version__
from duologue.run.package import PACKAGE_CARD, _new_folder, _requirements, answer_package, pack, read_package
from duologue.run.predict import predict_file
from duologue.run.train import train

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.run.conftest import Contest

    from duologue.core.records import Example

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "operator-documents.txt"
DIALOGUE = load_task("mobilecs/dialogue")
ASKED = ("用户", "用户意图-生成", "客服意图-生成", "客服-生成")


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """A test file of track 2 as the organisers give it: what the user says, and the knowledge base."""
    rows = [
        {
            "id": row["id"],
            "KB": row["KB"],
            "content": [{key: turn["用户"] if key == "用户" else "" for key in ASKED} for turn in row["content"]],
        }
        for row in calls()[:5]
    ]
    path = tmp_path / "test.json"
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def lessons() -> Sequence[Example]:
    system = make_system("ranker", msgspec.structs.replace(RankerRecipe.tiny(), dialogues=10))
    assert isinstance(system, Trainable)
    return system.make_training_data(load_task("restaurant"), 1, None)[0][:30]


def taught(model: Path, lessons: Sequence[Example], external: list[str] | None) -> None:
    """Train a small ranker, or declare other external data of the one that is there."""
    train(load_task("restaurant"), "ranker", RankerRecipe.tiny(), 1, model, examples=lessons, external=external)


def ran(folder: Path, elsewhere: Path) -> subprocess.CompletedProcess[str]:
    """Run the package as an organiser does: no arguments, from anywhere."""
    command = [sys.executable, str(folder / "run.py")]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", check=False, cwd=elsewhere, env=dict(os.environ)
    )


def test_one_command_without_arguments_makes_the_file_that_run_makes(asked: Path, tmp_path: Path) -> None:
    entry = tmp_path / "teams" / "entry"
    card = pack(DIALOGUE, "rule-agent", entry)
    assert (card.external, card.trained) == ([], False)
    assert os.access(entry / "run.py", os.X_OK)
    empty = ran(entry, tmp_path)
    assert (empty.returncode, "put the data file to be answered into" in empty.stderr) == (2, True)
    (entry / "input" / "test.json").write_bytes(asked.read_bytes())
    done = ran(entry, tmp_path)
    assert done.returncode == 0, done.stderr
    result = entry / "output" / "test.pred.json"
    assert f"answers in {result}: accepted" in done.stdout
    system = make_system("rule-agent")
    predict_file(DIALOGUE, system, asked, tmp_path / "own.json", name="rule-agent", world=None, kb=None, seed=1)
    assert result.read_bytes() == (tmp_path / "own.json").read_bytes()
    assert ran(entry, tmp_path).stdout == done.stdout
    assert "duologue==" in (entry / "requirements.txt").read_text("utf-8")
    assert "external data it learned from: none" in (entry / "README.md").read_text("utf-8")


def test_a_trained_system_is_packed_with_its_base_and_what_was_changed_is_refused(
    contest: Contest, lessons: Sequence[Example], tmp_path: Path
) -> None:
    model, kb, entry = tmp_path / "model", tmp_path / "kb.txt", tmp_path / "entry"
    kb.write_text(kb_lines(make_kb(1, 1)[:900]), encoding="utf-8")
    taught(model, lessons, None)
    with pytest.raises(UsageError, match=r"it is not declared which external data .* learned from"):
        pack(contest.task, str(model), entry)
    card = pack(contest.task, str(model), entry, kb=kb, inputs=[contest.data], external=["words"], seed=3)
    assert (card.system, card.external, card.kb, card.seed) == ("ranker", ["words"], "kb.txt", 3)
    assert "[models]==" in (entry / "requirements.txt").read_text("utf-8")
    (made,) = answer_package(entry)
    assert (made.path, made.answers, made.errors) == (entry / "output" / "data.pred.json", 40, 0)
    note = read_toml(entry / "output" / "data.pred.run.toml")
    assert (note["system"], note["world"], note["seed"]) == ("ranker", "kb.txt", 3)
    for part in ("kb/kb.txt", "model/system.toml"):
        kept = (entry / part).read_bytes()
        (entry / part).write_bytes(kept + b"\n")
        with pytest.raises(FormatError, match=f"{part.partition('/')[0]}.*expected SHA-256"):
            read_package(entry)
        (entry / part).unlink()
        with pytest.raises(FormatError, match="expected SHA-256"):
            read_package(entry)
        (entry / part).write_bytes(kept)
    assert read_package(entry) == card
    taught(model, lessons, ["sgd"])
    assert pack(contest.task, str(model), tmp_path / "declared").external == ["sgd"]
    with pytest.raises(UsageError, match=r"trained with other external data \(sgd\)"):
        pack(contest.task, str(model), tmp_path / "other", external=[])
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("version", ["0.0.", "9"])
def test_other_versions_are_told(asked: Path, tmp_path: Path, version: str) -> None:
    entry = tmp_path / "entry"
    pack(DIALOGUE, "rule-agent", entry, inputs=[asked])
    said: list[str] = []
    answer_package(entry, say=said.append)
    assert said == []
    path = entry / PACKAGE_CARD
    card = path.read_text("utf-8").replace('packages = "duologue ', f'packages = "duologue {version}')
    path.write_text(card, "utf-8")
    shutil.rmtree(entry / "output")
    answer_package(entry, say=said.append)
    (told,) = said
    assert told == f"the package was made with {read_package(entry).packages}; here is {packages_of('rule-agent')}"
    assert told.startswith(f"the package was made with duologue {version}")


def test_each_data_file_has_a_result_of_its_own_and_folders_are_told(asked: Path, tmp_path: Path) -> None:
    """The second of two files wrote over the result of the first, and folders were passed over without a word."""
    entry = tmp_path / "entry"
    pack(DIALOGUE, "rule-agent", entry, inputs=[asked])
    (entry / "input" / "more").mkdir()
    (entry / "input" / ".hidden").mkdir()
    said: list[str] = []
    assert [made.path.name for made in answer_package(entry, say=said.append)] == ["test.pred.json"]
    assert said == [
        f"{entry / 'input' / 'more'} is a folder, whose files are not answered; put them into {entry / 'input'}"
    ]
    (entry / "input" / "test.json.gz").write_bytes(gzip.compress(b"[]"))
    with pytest.raises(UsageError, match=r"the results of .*test\.json and test\.json\.gz would have one name"):
        answer_package(entry)


@pytest.mark.parametrize("named", ["../test.json", "/etc/hostname", "a/b", "..", "."])
def test_a_card_names_no_file_elsewhere(asked: Path, tmp_path: Path, named: str) -> None:
    entry = tmp_path / "entry"
    pack(DIALOGUE, "rule-agent", entry, inputs=[asked])
    path = entry / PACKAGE_CARD
    path.write_text(path.read_text("utf-8").replace('kb = ""', f'kb = "{named}"'), "utf-8")
    with pytest.raises(FormatError, match="expected the name of a file in the folder 'kb'"):
        answer_package(entry)


def test_a_card_starts_no_program(asked: Path, tmp_path: Path) -> None:
    entry, mark = tmp_path / "entry", tmp_path / "mark"
    pack(DIALOGUE, "rule-agent", entry, inputs=[asked])
    path = entry / PACKAGE_CARD
    text = path.read_text("utf-8").replace('system = "rule-agent"', 'system = "process"')
    path.write_text(text.replace("[recipe]", f'[recipe]\ncommand = "touch {mark}"'), "utf-8")
    with pytest.raises(UsageError, match="'process' asks a program"):
        answer_package(entry)
    assert not mark.exists()


def test_what_cannot_be_packed_or_run_says_why(asked: Path, tmp_path: Path) -> None:
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"name": "process", "overrides": ["command=cat"]}, "which a package of ours cannot hold"),
        ({"kb": tmp_path}, "is a folder, and a package holds one file of knowledge"),
        ({"kb": EXAMPLE}, "'rule-agent' reads the call's own base alone"),
        ({"inputs": [asked, asked]}, "two files are called test.json"),
        ({"out": tmp_path}, "is not empty"),
    ]
    for options, said in refusals:
        with pytest.raises(UsageError, match=said):
            pack(DIALOGUE, **{"name": "rule-agent", "out": tmp_path / "entry", **options})
        assert not (tmp_path / "entry").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["test.json"]
    with pytest.raises(UsageError, match="is no package"):
        read_package(tmp_path)
    with pytest.raises(UsageError, match="has no shared knowledge base"):
        pack(load_task("proactive"), "planner", tmp_path / "entry", kb=asked)


def test_a_link_to_an_empty_folder_is_followed(tmp_path: Path) -> None:
    """It was said that a part of the path was a file."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "entry").symlink_to(tmp_path / "empty")
    card = pack(DIALOGUE, "rule-agent", tmp_path / "entry")
    assert read_package(tmp_path / "empty") == card
    assert (tmp_path / "entry").is_symlink()


def test_of_two_who_pack_into_one_folder_the_second_is_told_so_at_once(tmp_path: Path) -> None:
    """It packed all of it, and was told then that the folder is not empty."""
    entry = tmp_path / "entry"
    with writing_file(entry), pytest.raises(BusyError, match=r"entry is being written by another process"):
        pack(DIALOGUE, "rule-agent", entry)
    pack(DIALOGUE, "rule-agent", entry)
    assert [path.name for path in tmp_path.iterdir()] == ["entry"]


def test_what_broke_off_a_package_is_told_though_its_folder_is_gone(tmp_path: Path) -> None:
    def break_off(made: Path) -> None:
        assert made.parent == tmp_path
        made.rmdir()
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"), _new_folder(tmp_path / "entry") as made:
        break_off(made)
    assert list(tmp_path.iterdir()) == []


def test_a_package_can_be_read_by_all_and_run(tmp_path: Path) -> None:
    pack(DIALOGUE, "rule-agent", tmp_path / "entry", external=["words", "films"])
    with pytest.raises(
        UsageError, match=f"put the data file to be answered into {tmp_path / 'entry' / 'input'}; there"
    ):
        answer_package(tmp_path / "entry")
    assert [stat.S_IMODE((tmp_path / "entry" / name).stat().st_mode) for name in (".", "run.py")] == [0o755] * 2
    told = (tmp_path / "entry" / "README.md").read_text("utf-8")
    assert "external data it learned from: films, words" in told


@pytest.mark.parametrize("name", ["alpha", "zeta"])
def test_the_system_of_somebody_else_needs_our_package_too(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    ours = [one for one in entries("systems") if one.name in {"ranker", "solver"}]
    theirs = [msgspec.structs.replace(one, distribution=name, version="3") for one in ours]
    assert [_requirements(one.name, make_system(one.name)) for one in ours] == [
        [f"duologue[models]=={__version__}"],
        [f"duologue=={__version__}"],
    ]
    monkeypatch.setattr("duologue.run.package.entries", lambda kind: theirs)
    assert [_requirements(one.name, make_system(one.name)) for one in ours] == [
        [f"duologue=={__version__}", f"{name}[models]==3"],
        [f"duologue=={__version__}", f"{name}==3"],
    ]


def test_a_base_that_is_another_is_told_with_twelve_digits_of_both_hashes(tmp_path: Path) -> None:
    kb, entry = tmp_path / "kb.txt", tmp_path / "entry"
    kb.write_text(kb_lines(make_kb(1, 1)[:900]), encoding="utf-8")
    packed = pack(load_task("restaurant"), "solver", entry, kb=kb)
    (entry / "kb" / "kb.txt").write_bytes(b"another")
    with pytest.raises(FormatError) as refused:
        read_package(entry)
    (problem,) = refused.value.problems
    told = f"found {hashlib.sha256(b'another').hexdigest()[:12]}, expected SHA-256 {packed.kb_hash[:12]}"
    assert (problem.rule, problem.place, problem.message) == ("package-part", "kb/kb.txt", told)
    (entry / "kb" / "kb.txt").unlink()
    with pytest.raises(FormatError, match=f"found nothing, expected SHA-256 {packed.kb_hash[:12]}"):
        read_package(entry)
