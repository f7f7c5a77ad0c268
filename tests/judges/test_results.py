from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.core.errors import FormatError, UsageError
from duologue.core.plugins import load_task
from duologue.judges.results import JudgedFiles, read_systems

if TYPE_CHECKING:
    from pathlib import Path


def test_systems_are_called_as_their_files_or_as_one_says(files: JudgedFiles) -> None:
    found = read_systems(load_task("conversation"), files, "reply")
    assert list(found) == ["short", "long"]
    assert {len(one.items) for one in found.values()} == {12}
    assert files._replace(names=("x", "y")).systems() == ("x", "y")


@pytest.mark.parametrize("names", [("x", "x"), ("tie", "y"), ("x",), (" ", "y")])
def test_names_that_cannot_be_told_apart_are_refused(files: JudgedFiles, names: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="--name"):
        files._replace(names=names).systems()


def test_the_contexts_are_needed_and_a_result_that_the_check_refuses_is_not_judged(files: JudgedFiles) -> None:
    task = load_task("conversation")
    with pytest.raises(UsageError, match="--input"):
        read_systems(task, files._replace(golds=()), "reply")
    assert read_systems(task, files._replace(golds=(), data=files.golds[0]), "reply").keys() == {"short", "long"}
    cut = files.results[0]
    cut.write_text(cut.read_text(encoding="utf-8").partition("\n\n")[0] + "\n", encoding="utf-8")
    with pytest.raises(FormatError):
        read_systems(task, files, "reply")


def test_whole_dialogues_need_no_truth(tmp_path: Path) -> None:
    path = tmp_path / "bot.txt"
    from tests.judges.test_items import GOLDEN

    path.write_bytes((GOLDEN / "proactive/contract/sessions.txt").read_bytes())
    found = read_systems(load_task("proactive"), JudgedFiles((path,), whole=True), "dialogue")
    assert list(found) == ["bot"]
    assert found["bot"].items
