"""No command that writes a folder writes over, or removes, a file there that is not its own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.challenges.conversation.extraction.twitter.test_track import made_stores, write
from tests.subtitles import make_folder
from tests.verbs import working_commands

from duologue.core.own_files import NOTE
from duologue.run.fetch import data_sets_of
from duologue.terminal.paths import OUT_CURVES, OUT_FOLDER

if TYPE_CHECKING:
    from tests.cli.conftest import Corpus
    from tests.command import Command

TESTS = Path(__file__).resolve().parents[1]
GOLDEN = TESTS / "golden"
GRAPH, DATA, TALKS = (GOLDEN / name for name in ("spoken/small-kg.json", "restaurant/small-data.json",
                                                 "conversation/small-dialogues.txt"))  # fmt: skip
THEIRS = b'["a night\'s work"]\n'


class Case(NamedTuple):
    """A command that writes a folder."""

    words: tuple[object, ...]
    again: bool = True
    """Whether the same command may be given twice; else it wants a folder of its own."""
    first: int = 0
    """Whether files are called by their names, not the folder alone."""
    out: str = "out"
    folder: str = "out"


CASES = {
    ("generate",): [
        Case(("restaurant", "--part", "tst1", "--subtask", 1, "--n", 2)),
        Case(("restaurant", "--part", "tst1", "--subtask", 1, "--n", 2, "--set", "domain=cinema")),
        Case(("mobilecs", "--n", 5)),
        Case(("mobilecs/dialogue", "--n", 5)),
    ],
    ("train",): [Case(("conversation", "--system", "retriever", "--train", TALKS))],
    ("pack",): [
        Case(("restaurant", "--system", "tfidf", "--kb", GOLDEN / "restaurant/small-kb.txt"), again=False, first=1)
    ],
    ("data", "split"): [Case(("restaurant", DATA, "--part", "a=50%", "--part", "b=rest"), again=False)],
    ("data", "exam"): [Case((GRAPH, "--n", 1))],
    ("data", "freeze"): [Case(("STORE", "--samples", 2), again=False, first=1)],
    ("data", "extract", "subtitles"): [
        Case(("SUBTITLES", "--profile", "official", "--ratios", "0.9,0.1", "--eval", 2, "--workers", 1))
    ],
    ("data", "collect", "export"): [Case(("STORE",)), Case(("STORE", "--keep-personal-data"))],
    ("robustness",): [
        Case(
            ("restaurant", "--system", "solver", "--gold", "TRUTH", "--input", "DATA", "--strengths", "0,1"),
            out="out.html",
            folder="out.reports",
        )
    ],
}
"""What is asked of each command here, with a small recipe."""
ELSEWHERE = {
    ("data", "fetch"): "cli/test_folders.py::test_what_is_fetched_spares_what_is_there",
    ("demo",): "cli/test_demo.py::test_the_demo_empties_its_own_folder_alone",
    ("track", "export"): "cli/test_track.py::test_pages_of_a_track_replace_no_others",
}
"""Commands that need more, and the tests that ask the same of them."""
ALL = [
    pytest.param((*words, *case.words), case, id="-".join((*words, str(number))))
    for words, cases in CASES.items()
    for number, case in enumerate(cases)
]


@pytest.fixture
def inputs(corpus: Corpus, tmp_path: Path) -> dict[str, Path]:
    """Return what stands for words in capitals."""
    return {
        "STORE": write(tmp_path / "store", made_stores()),
        "SUBTITLES": make_folder(tmp_path / "xml", 4),
        "TRUTH": corpus.truth,
        "DATA": corpus.data,
    }


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files below a folder by their names."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_every_command_that_writes_a_folder_is_asked_here() -> None:
    found = {
        words
        for words, command in working_commands()
        if any(one.type in {OUT_FOLDER, OUT_CURVES} for one in command.params)
    }
    assert found == CASES.keys() | ELSEWHERE.keys()
    for test in ELSEWHERE.values():
        path, _, name = test.partition("::")
        assert f"def {name}(" in (TESTS / path).read_text("utf-8")


@pytest.mark.parametrize(("words", "case"), ALL)
def test_a_file_that_the_command_did_not_write_stays_as_it_is(
    words: tuple[object, ...], case: Case, duologue: Command, inputs: dict[str, Path], tmp_path: Path
) -> None:
    given = [inputs.get(str(word), word) for word in words]
    new = tmp_path / "new"
    made = duologue(*given, "--out", new / case.out)
    assert made.code == 0, made.err
    wrote = [name for name in files_of(new / case.folder) if not Path(name).name.startswith(".")]
    assert wrote
    several = wrote if len(wrote) < 12 else wrote[:: len(wrote) // 6]
    for number, names in enumerate([*([name] for name in several), wrote]):  # each alone, and all
        place = tmp_path / f"theirs-{number}"
        for name in (*names, "mine.txt"):
            path = place / case.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(THEIRS)
        before = files_of(place)
        kept = duologue(*given, "--out", place / case.out)
        assert kept.code == 2, (names, kept.err)
        assert files_of(place) == before
        assert (str(place / case.folder) if case.first else Path(names[0]).name) in kept.err or len(names) > 1
        assert str(place / case.folder) in kept.err


@pytest.mark.parametrize(("words", "case"), ALL)
def test_the_same_command_is_given_again_and_what_was_changed_since_is_kept(
    words: tuple[object, ...], case: Case, duologue: Command, inputs: dict[str, Path], tmp_path: Path
) -> None:
    given = [inputs.get(str(word), word) for word in words]
    command = (*given, "--out", tmp_path / case.out)
    made = duologue(*command)
    assert made.code == 0, made.err
    folder = tmp_path / case.folder
    mine = folder / "mine.txt"
    mine.write_bytes(THEIRS)
    before = files_of(folder)
    again = duologue(*command)
    assert again.code == (0 if case.again else 2), again.err
    assert files_of(folder) == before
    if not case.again or words[0] == "train":  # a model that is there is left alone
        return
    for name in [one for one in before if not Path(one).name.startswith(".") and one != "mine.txt"]:
        if "utterances/" in name:
            continue
        path = folder / name
        path.write_bytes(THEIRS)
        kept = duologue(*command)
        assert (kept.code, name in kept.err) == (2, True), (name, kept.err)
        assert path.read_bytes() == THEIRS
        path.unlink()
        assert duologue(*command).code == 0
        assert files_of(folder) == before


def test_a_stopped_run_leaves_no_room_for_the_files_of_others(duologue: Command, tmp_path: Path) -> None:
    """What a killed run did not come to enter is taken for its own where it is the same, and for nothing else."""
    command = ("generate", "mobilecs", "--n", 5, "--out", tmp_path)
    assert duologue(*command).code == 0
    before, note = files_of(tmp_path), tmp_path / ".generated.json"
    table = json.loads(note.read_text("utf-8"))
    for name in ("catalogue.json", "track2/train.json"):
        del table["files"][name]
    note.write_text(json.dumps(table), "utf-8")
    assert duologue(*command).code == 0
    assert files_of(tmp_path) == before
    note.write_text(json.dumps(table), "utf-8")
    (tmp_path / "track2/train.json").write_bytes(THEIRS)
    kept = duologue(*command)
    assert (kept.code, "track2/train.json" in kept.err) == (2, True), kept.err
    assert (tmp_path / "track2/train.json").read_bytes() == THEIRS


def test_an_exam_of_which_the_note_is_gone_is_somebodys(duologue: Command, tmp_path: Path) -> None:
    command = ("data", "exam", GRAPH, "--n", 1, "--out", tmp_path / "exam")
    assert duologue(*command).code == 0
    (tmp_path / "exam" / NOTE).unlink()
    before = files_of(tmp_path)
    kept = duologue(*command)
    assert (kept.code, "(test.json, gold.json, key.json)" in kept.err) == (2, True), kept.err
    assert files_of(tmp_path) == before
    shutil.rmtree(tmp_path / "exam")


def test_what_is_fetched_spares_what_is_there(duologue: Command, tmp_path: Path) -> None:
    (one,) = (one for _, one in data_sets_of("restaurant") if one.url)
    path = tmp_path / one.name / one.files[-1].name  # the last one: nothing is fetched before
    path.parent.mkdir(parents=True)
    path.write_bytes(THEIRS)
    kept = duologue("data", "fetch", "restaurant", "--only", one.name, "--out", tmp_path)
    assert (kept.code, f"{path} is there already and holds something else" in kept.err) == (1, True), kept.err
    assert files_of(tmp_path) == {path.relative_to(tmp_path).as_posix(): THEIRS}
