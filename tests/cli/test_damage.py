"""Damaged reports, stores and model folders: each verb that reads them says what is wrong, and nothing hangs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.damage import harmed

from duologue.cli import main as command
from duologue.core.errors import DuologueError
from duologue.core.plugins import load_system, load_system_class, load_task, make_system, save_card
from duologue.core.protocols import Run
from duologue.core.recipe import resolve
from duologue.core.records import Answer, Example, Sample, Scoring, Turn
from duologue.run import evaluate
from duologue.run.saved import save_report
from duologue.store.posts import NAME as POSTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OFTEN = settings(max_examples=60)
SECONDS = 20


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Fail where the block hangs."""

    def late(*_: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a verb as the installed command does: no fault of ours, and in time."""
    monkeypatch.setenv("DUOLOGUE_DEBUG", "1")  # what would be called our fault is raised

    def run(*words: object) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["duologue", *map(str, words)])
        with within(SECONDS), pytest.raises(SystemExit) as left:
            command.main()
        out, err = capsys.readouterr()
        assert left.value.code in {0, 1, 2}
        return int(left.value.code or 0), out + err

    return run


def put(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved report beside its files."""
    folder = tmp_path_factory.mktemp("report")
    names = [f"d{number}" for number in range(4)]

    def ranking(name: str, best: str) -> dict[str, Any]:
        entries = [{"candidate_id": one, "rank": rank} for rank, one in enumerate((best, *{"a", "b"} - {best}), 1)]
        return {"dialog_id": name, "lst_candidate_id": entries}

    candidates = [{"candidate_id": one, "utterance": one} for one in "ab"]
    rows = [{"dialog_id": name, "utterances": ["hi"], "candidates": candidates} for name in names]
    gold = put(folder / "gold.json", [ranking(name, "a") for name in names])
    pred = put(folder / "pred.json", [ranking(name, "ab"[number % 2]) for number, name in enumerate(names)])
    data = put(folder / "data.json", rows)
    made = evaluate.score(load_task("restaurant"), [gold], pred, Scoring(variant="strict"), data=data)
    save_report(made, folder / "x.report.json")
    return folder / "x.report.json"


@OFTEN
@given(data=st.data())
def test_a_damaged_report_gets_a_clear_message_from_every_verb(data: st.DataObject, run: Any, report: Path) -> None:
    path = report.with_name("harmed.report.json")
    path.write_bytes(data.draw(harmed(report.read_bytes())))
    for words in (
        ("verify", path),
        ("board", path, "--out", path.with_name("page.html")),
        ("compare", path, report, "--resamples", 100),
    ):
        code, told = run(*words)
        assert not code or told.strip()


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("meta", "files", "pred"), ["x"]),
        (("items", 0, 1), [1.0]),
        (("items", 0, 0), "d1"),
        (("groups",), ["a"]),
        (("columns",), []),
        (("meta", "commands"), "x"),
    ],
)
def test_what_does_not_fit_together_in_a_report_is_named(place: Any, value: Any, run: Any, report: Path) -> None:
    made = json.loads(report.read_bytes())
    inner = made
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    path = put(report.with_name("odd.report.json"), made)
    code, told = run("verify", path)
    assert (code, "odd.report.json has" in told) == (1, True)
    if place[1:2] != ("files",):
        code, told = run("compare", path, report, "--resamples", 100)
        assert (code, "odd.report.json has" in told) == (1, True)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder of the retriever."""
    folder = tmp_path_factory.mktemp("model")
    examples = [
        Example(
            sample=Sample(id=str(at), dialogue_id=str(at), history=(Turn(speaker="user", text=f"order {at} is late"),)),
            references=(Answer(text=f"sorry to hear about order {at}"),),
        )
        for at in range(12)
    ]
    recipe = resolve(load_system_class("retriever").Recipe)
    system: Any = make_system("retriever", recipe)
    system.fit(examples, [], [], Run(folder=folder, seed=1))
    system.save(folder)
    save_card(folder, name="retriever", recipe=recipe, task="conversation", seed=1, data="tiny", data_hash="")
    return folder


@OFTEN
@given(data=st.data())
def test_a_damaged_model_is_told_by_the_file_that_is_damaged(
    data: st.DataObject, run: Any, model: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("harmed")
    shutil.copytree(model, folder / "model")
    victim = data.draw(st.sampled_from(sorted(path.name for path in model.iterdir())))
    before = (model / victim).read_bytes()
    after = data.draw(harmed(before))
    (folder / "model" / victim).write_bytes(after)
    text = folder / "in.txt"
    text.write_text("U: where is my order\nS: it is late\n\n", encoding="utf-8")
    out = ("--out", folder / "out.txt", "--quiet")
    code, told = run("run", "conversation", "--system", folder / "model", text, *out)
    if victim != "system.toml" and after != before:
        assert (code, f"{victim} has changed" in told) == (1, True)
    else:
        assert not code or "model" in told


def test_a_model_without_hashes_that_cannot_be_loaded_is_said_so(model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    card = (folder / "system.toml").read_text(encoding="utf-8")
    old = card.partition("[files]")[0] + "[recipe]" + card.partition("[recipe]")[2].partition("[files]")[0]
    (folder / "system.toml").write_text(old, encoding="utf-8")
    for path in folder.iterdir():
        if path.name != "system.toml":
            path.write_bytes(b"\x00{")
    with pytest.raises(DuologueError, match="model"):
        load_system(folder)


def test_a_missing_file_of_a_model_is_named(model: Path, tmp_path: Path, run: Any) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    gone = next(path for path in sorted(folder.iterdir()) if path.name != "system.toml")
    gone.unlink()
    code, told = run("run", "conversation", "--system", folder, __file__, "--out", tmp_path / "out.txt")
    assert (code, f"{gone.name} is missing" in told) == (1, True)


def test_a_pipe_in_a_folder_is_refused_and_nothing_waits_for_it(
    model: Path, report: Path, tmp_path: Path, run: Any
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    victim = next(path for path in sorted(folder.iterdir()) if path.name != "system.toml")
    victim.unlink()
    os.mkfifo(victim)
    words = ("run", "conversation", "--system", folder, __file__, "--out", tmp_path / "out.txt")
    code, told = run(*words)
    assert (code, "it is a pipe, device or socket" in told) == (1, True)
    (folder / "system.toml").unlink()
    os.mkfifo(folder / "system.toml")
    assert run(*words)[0] in {1, 2}
    store = tmp_path / "store"
    store.mkdir()
    os.mkfifo(store / "somebody.json")
    code, told = run("show", "conversation", store)
    assert (code, "somebody.json: it is a pipe" in told) == (1, True)
    (store / "somebody.json").unlink()
    os.mkfifo(store / POSTS)
    names = tmp_path / "names.txt"
    names.write_text("a\n", encoding="utf-8")
    assert run("show", "conversation", store)[0] == 1
    assert run("data", "collect", "twitter", "--accounts", names, "--store", store, "--dry-run")[0] in {0, 1}
    results = tmp_path / "results"
    results.mkdir()
    os.mkfifo(results / "a.json")
    os.mkfifo(results / "b.json.run.toml")
    assert run("board", "restaurant", results, "--gold", report.with_name("gold.json"))[0] in {1, 2}
    os.mkfifo(tmp_path / "y.report.json")
    assert run("verify", "no such signature", "--in", tmp_path)[0] == 2
    exam = tmp_path / "exam"
    exam.mkdir()
    os.mkfifo(exam / "key.json")
    code, told = run("data", "marks", exam, "--pred", names)
    assert (code, "key.json: it is a pipe" in told) == (1, True)


USER = {"id": 7, "screen_name": "a", "name": "A"}
POST = {
    "id": 1,
    "id_str": "1",
    "created_at": "Tue Sep 12 08:01:00 +0000 2017",
    "text": "hello",
    "truncated": False,
    "lang": "en",
    "in_reply_to_status_id": None,
    "user": USER,
}
REPLY = {**POST, "id": 2, "id_str": "2", "in_reply_to_status_id": 1}
ODD = ["x", "1 x", "", b"\xff", -1, 2**62, 1.5, None, "[1]", "{}", '{"id": 1}', "1 " * 9, "9" * 30]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store's database with one dialogue: a post in columns, and one as what the service gave."""
    from duologue.store.posts import PostBase

    folder = tmp_path_factory.mktemp("store")
    with PostBase(folder / POSTS) as base:
        base.add([POST, {**REPLY, "extra": 1}])
        base.add_dialogues([("a", 2, [1, 2])])
    return folder / POSTS


def columns_of(store: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(store)) as connection:
        rows = {table: connection.execute(f"PRAGMA table_info({table})").fetchall() for table in ("posts", "dialogues")}
    return [(table, row[1]) for table, found in rows.items() for row in found]


@OFTEN
@given(data=st.data())
def test_a_damaged_store_is_named(
    data: st.DataObject, run: Any, store: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("harmed")
    path = folder / store.name
    shutil.copy(store, path)
    if data.draw(st.booleans()):
        path.write_bytes(data.draw(harmed(store.read_bytes())))
    else:
        table, name = data.draw(st.sampled_from(columns_of(store)))
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            try:
                connection.execute(f"UPDATE {table} SET {name} = ?", (data.draw(st.sampled_from(ODD)),))
            except sqlite3.Error:  # the database itself refuses such a value
                return
    for words in (
        ("show", "conversation", folder),
        ("data", "extract", "twitter", folder, "--profile", "official", "--out", folder / "out.txt"),
        ("data", "collect", "export", folder, "--out", folder / "files"),
    ):
        code, told = run(*words)
        assert not code or told.strip()


@OFTEN
@given(data=st.data())
def test_a_damaged_account_file_is_named(
    data: st.DataObject, run: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("harmed")
    (folder / "a.json").write_bytes(data.draw(harmed(json.dumps({"2": [POST, REPLY]}).encode())))
    for words in (("show", "conversation", folder), ("data", "collect", "export", folder, "--out", folder / "files")):
        code, told = run(*words)
        assert not code or "a.json" in told


def test_an_account_whose_name_is_too_long_for_a_file_is_refused(run: Any, tmp_path: Path, store: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    shutil.copy(store, folder / store.name)
    with closing(sqlite3.connect(folder / store.name, isolation_level=None)) as connection:
        connection.execute("UPDATE dialogues SET account = ?", ("a" * 300,))
    code, told = run("data", "collect", "export", folder, "--out", tmp_path / "files")
    assert (code, "cannot name a file" in told) == (2, True)
