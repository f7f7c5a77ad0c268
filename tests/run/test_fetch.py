"""Data sets are fetched with their checksums, and a folder is held against what is known of its files."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import threading
from codecs import BOM_UTF8
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from duologue.cli.main import cli
from duologue.core.data_sets import DataFile, DataSet
from duologue.core.errors import DuologueError, StorageError, UsageError
from duologue.core.plugins import challenges
from duologue.run.fetch import check, data_sets_of, fetch

if TYPE_CHECKING:
    from collections.abc import Iterator

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
SESSIONS = GOLDEN / "proactive" / "small-sessions.txt"
RAW_TURN = {
    "[SPEAKER 1]": "您好",
    "[SPEAKER 2]": "喂",
    "客服意图": "问候",
    "用户意图": "问候",
    "info": {"ents": [], "triples": []},
}
KB = GOLDEN / "restaurant" / "small-kb.txt"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the library's signature
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Return the address of a server and the folder that it serves."""
    folder = tmp_path / "served"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/data", folder
    server.shutdown()
    server.server_close()


def known(name: str, content: bytes, **more: Any) -> DataFile:
    return DataFile(name=name, bytes=len(content), sha256=hashlib.sha256(content).hexdigest(), **more)


def data_set(*files: DataFile, **more: Any) -> DataSet:
    return DataSet(name="toy", about="", source="", licence="", obtain=(), files=files, **more)


def test_what_is_free_is_fetched_once_with_its_checksum(served: tuple[str, Path], tmp_path: Path) -> None:
    url, folder = served
    (folder / "data" / "in").mkdir(parents=True)
    (folder / "data" / "in" / "a.txt").write_bytes(b"hello")
    one = data_set(known("in/a.txt", b"hello"), url=url)
    out = tmp_path / "out"
    assert fetch(one, out) == [out / "toy" / "in" / "a.txt"]
    assert (out / "toy" / "in" / "a.txt").read_bytes() == b"hello"
    (folder / "data" / "in" / "a.txt").unlink()
    assert fetch(one, out)  # it is there
    (out / "toy" / "in" / "a.txt").write_bytes(b"mine")
    with pytest.raises(StorageError, match="holds something else"):
        fetch(one, out)
    assert (out / "toy" / "in" / "a.txt").read_bytes() == b"mine"


@pytest.mark.parametrize("sent", [b"hellp", b"hell", b"hello" * 100_000, b""])
def test_a_wrong_file_is_not_kept(served: tuple[str, Path], tmp_path: Path, sent: bytes) -> None:
    url, folder = served
    (folder / "data").mkdir()
    (folder / "data" / "a.txt").write_bytes(sent)
    with pytest.raises(DuologueError, match=r"expected 5 bytes with 2cf24dba5fb0a30e"):
        fetch(data_set(known("a.txt", b"hello"), url=url), tmp_path / "out")
    assert not [one for one in (tmp_path / "out").rglob("*") if one.is_file()]


def test_a_server_that_has_it_not_or_is_not_there_is_told(served: tuple[str, Path], tmp_path: Path) -> None:
    url, _ = served
    for address, told in ((url, "not found"), ("http://127.0.0.1:9", "refused"), ("file:///etc", "only http")):
        with pytest.raises(DuologueError, match=told):
            fetch(data_set(known("hostname", b"hello"), url=address), tmp_path / "out")


def test_files_are_found_by_content_or_name_and_read(tmp_path: Path) -> None:
    content = SESSIONS.read_bytes()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "other-name").write_bytes(gzip.compress(content))
    (tmp_path / "in" / "train.txt.gz").write_bytes(gzip.compress(content + content.splitlines(keepends=True)[0]))
    (tmp_path / "in" / "kb.txt").write_bytes(KB.read_bytes())
    (tmp_path / "torn.txt").write_bytes(gzip.compress(content)[:-9])
    (tmp_path / "wrong.txt").write_text("{}\n", "utf-8")
    (tmp_path / "LICENSE").write_text("free", "utf-8")
    rows = len(content.splitlines())
    one = data_set(
        known("dev.txt", content, rows=rows),
        DataFile(name="in/train.txt", rows=rows),
        DataFile(name="train.txt", rows=rows + 1),
        DataFile(name="kb.txt", read="knowledge", task="restaurant"),
        DataFile(name="torn.txt"),
        DataFile(name="wrong.txt"),
        known("LICENSE", b"other", read="text"),
        DataFile(name="out/kb.txt"),
    )
    found = check([("proactive", one)], tmp_path)
    assert [(verdict.name, verdict.state) for verdict in found] == [
        ("dev.txt", "ok"),
        ("in/train.txt", "differs"),
        ("train.txt", "ok"),
        ("kb.txt", "ok"),
        ("torn.txt", "unreadable"),
        ("wrong.txt", "unreadable"),
        ("LICENSE", "differs"),
        ("out/kb.txt", "missing"),
    ]
    told = {verdict.name: verdict.told for verdict in found}
    assert told["dev.txt"].endswith("as published")
    assert told["in/train.txt"] == f"{rows + 1} rows, {rows} expected"
    assert "its checksum is not known" in told["train.txt"]
    size, facts = KB.stat().st_size, len(KB.read_text("utf-8").splitlines())
    assert told["kb.txt"] == f"{size:,} bytes, {facts:,} facts; its checksum is not known"
    there, wanted = (hashlib.sha256(one).hexdigest()[:16] for one in (b"free", b"other"))
    assert told["LICENSE"] == f"4 bytes, 5 bytes expected; SHA-256 {there}..., {wanted}... expected"
    with pytest.raises(StorageError, match="it is not a folder"):
        check([("proactive", one)], SESSIONS)


@pytest.mark.parametrize(
    ("task", "file"),
    [
        ("proactive", "proactive/small-sessions.txt"),
        ("restaurant", "restaurant/small-data.json"),
        ("spoken", "spoken/small-test.json"),
        ("mobilecs/dialogue", "mobilecs/dialogue/contract/dialogues.json"),
    ],
)
def test_a_file_is_read_once_and_its_warnings_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, task: str, file: str
) -> None:
    (tmp_path / "marked").write_bytes(BOM_UTF8 + (GOLDEN / file).read_bytes())
    (verdict,) = check([(task, data_set(DataFile(name="marked")))], tmp_path)
    assert verdict.state == "ok"
    assert len([one for one in caplog.messages if "byte order mark" in one]) == 1


def test_a_challenge_stands_for_its_tasks() -> None:
    assert challenges()["mobilecs"] == ["mobilecs/dialogue", "mobilecs/extraction"]
    assert [one.name for _, one in data_sets_of("mobilecs")] == ["corpus", "examples"]
    assert data_sets_of("mobilecs/dialogue")[0][0] == "mobilecs/dialogue"
    with pytest.raises(UsageError, match="did you mean 'restaurant'"):
        data_sets_of("restaurnat")
    with pytest.raises(UsageError, match="did you mean 'kdconv'"):
        data_sets_of("spoken", ["kdcov"])


def test_files_whose_names_are_not_known_are_read_by_whatever_task_can(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    raw = [{"id": "a" * 32, "content": [RAW_TURN]}]
    asked = [{"id": "b" * 32, "KB": {}, "content": [{"用户": "喂"}, {"用户": "你好"}]}]
    (tmp_path / "any name.json").write_text(json.dumps(raw), encoding="utf-8")
    (tmp_path / "deep" / "test.json.gz").write_bytes(gzip.compress(json.dumps(asked).encode()))
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    (chosen, _) = data_sets_of("mobilecs")
    found = {one.path.name: one for one in check([chosen], tmp_path) if one.path is not None}
    assert {name: one.state for name, one in found.items()} == {"any name.json": "ok", "test.json.gz": "ok"}
    assert "1 rows of mobilecs/extraction; its checksum is not known" in found["any name.json"].told
    assert "1 rows of mobilecs/dialogue" in found["test.json.gz"].told
    assert call("mobilecs", "--check", tmp_path).exit_code == 0
    (tmp_path / "broken.json").write_text("[{", encoding="utf-8")
    (tmp_path / "empty.json").write_text("[]", encoding="utf-8")
    (tmp_path / "packed.json.gz").write_bytes(b"no gzip")
    bad = {one.path.name: one for one in check([chosen], tmp_path) if one.path is not None and one.state != "ok"}
    assert {one.state for one in bad.values()} == {"unreadable"}
    told = [bad[name].told for name in ("broken.json", "empty.json", "packed.json.gz")]
    assert "no task reads it; mobilecs/" in told[0]
    assert told[1] == "it holds nothing"
    assert "gzip" in told[2]
    assert call("mobilecs", "--check", tmp_path).exit_code == 1
    for path in tmp_path.rglob("*.json*"):
        path.unlink()
    nothing = call("mobilecs", "--only", "corpus", "--check", tmp_path)
    assert (nothing.exit_code, nothing.stdout) == (1, "corpus/*.json: missing: there is no such file\n")


def call(*words: object) -> Any:
    return CliRunner().invoke(cli, ["data", "fetch", *map(str, words)])


def test_the_command_tells_and_checks(tmp_path: Path) -> None:
    listed = call()
    assert "  kdconv: KdConv" in listed.stdout
    assert "(fetched by --out)" in listed.stdout
    told = call("mobilecs").stdout
    assert "http://seretod.org" in told
    assert "1. Register as a team" in told
    assert "duologue data fetch mobilecs --check data/mobilecs" in told
    assert "  files    *.json: names are not known here; --check reads whatever there is\n" in told
    assert json.loads(call("proactive", "--json").stdout)["data_sets"][0]["files"][1]["rows"] == 2000
    assert set(json.loads(call("--json").stdout)) == set(challenges())
    assert "duologue data fetch restaurant --only babi --out FOLDER" in call("restaurant", "--only", "babi").stdout

    nothing = call("spoken", "--check", tmp_path)
    assert nothing.exit_code == 1
    assert "validation/valid.json: missing" in nothing.stdout
    (tmp_path / "valid.json").write_bytes((GOLDEN / "spoken" / "small-valid.json").read_bytes())
    (tmp_path / "kg.json").write_bytes((GOLDEN / "spoken" / "small-kg.json").read_bytes())
    part = call("spoken", "--check", tmp_path)
    assert part.exit_code == 1
    assert "validation/valid.json: differs: 2 rows, 740 expected" in part.stdout
    assert "challenge/kg.json: ok" in part.stdout
    assert "kdconv: nothing of it is here" in part.stdout
    told = json.loads(call("spoken", "--check", tmp_path, "--json").stdout)
    assert told["ok"] is False
    assert {row["state"] for row in told["files"]} == {"ok", "differs", "missing"}


def test_a_folder_with_all_of_a_data_set_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "strangerset"
    package.mkdir()
    (package / "__init__.py").write_text("", "utf-8")
    (package / "task.py").write_text(
        "import msgspec\n\nfrom duologue.challenges.proactive.task import ProactiveTask\n\n\n"
        "class Mine(ProactiveTask):\n    info = msgspec.structs.replace(ProactiveTask.info, name='mine')\n",
        "utf-8",
    )
    content = SESSIONS.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    (package / "data_sets.toml").write_text(
        f"[[data_set]]\nname='all'\nabout='x'\nsource='y'\nlicence='z'\nobtain=['ask']\n"
        f"files=[{{name='dev.txt', sha256='{digest}'}}]\n",
        "utf-8",
    )
    info = tmp_path / "strangerset-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strangerset\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[duologue.tasks]\nmine = strangerset.task:Mine\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "dev.txt").write_bytes(content)
    done = call("mine", "--check", tmp_path / "data")
    assert (done.exit_code, done.exception) == (0, None), done.output
    assert "all/dev.txt: ok" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--check", "x"), "name the challenge"),
        (("spoken", "--check", "x", "--out", "y"), "give one of the two"),
        (("proactive", "--out", "y"), "duconv: not known to be free to fetch (licence: code: MIT; the data"),
        (("spoken", "--only", "kdconv", "--out", "y"), "no address and not all checksums of its files are known here"),
        (("spoken", "--only", "kdconv", "--out", "y"), "may be had freely (Apache License 2.0)"),
        (("conversation", "--only", "tools", "--out", "y"), "no address of its files is known here"),
        (("restaurant", "--only", "release-b", "--out", "y"), "may be had freely (BSD 3-Clause"),
        (
            ("restaurant", "--only", "release-a", "--out", "y"),
            "not known to be free to fetch (licence: none stated there",
        ),
        (("proactive", "--only", "x"), "has no data set 'x'"),
    ],
)
def test_what_cannot_be_done_is_told(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        done = call(*words)
    finally:
        os.chdir(before)
    assert told in str(done.exception)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("whose", ["file", "data set"])
def test_the_task_that_a_pattern_names_is_the_only_one_that_reads_it(tmp_path: Path, whose: str) -> None:
    (tmp_path / "x.json").write_bytes((GOLDEN / "mobilecs/dialogue/contract/dialogues.json").read_bytes())
    file = DataFile(name="*.json", task="mobilecs/dialogue" if whose == "file" else "")
    one = data_set(file, task="" if whose == "file" else "mobilecs/dialogue")
    (found,) = check([("mobilecs/extraction", one)], tmp_path)
    assert (found.name, found.state) == ("x.json", "ok")
    assert " rows of mobilecs/dialogue; its checksum is not known" in found.told
