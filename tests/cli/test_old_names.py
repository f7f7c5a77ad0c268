"""Names of earlier versions do what they did, and tell the new name on standard error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import pytest
from click.testing import CliRunner

from duologue.cli.main import cli
from duologue.cli.old_names import COMMANDS, RenamedOptions
from duologue.core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
SESSIONS, NOISELESS = GOLDEN / "proactive" / "small-sessions.txt", GOLDEN / "spoken" / "small-test.json"
HINT = "is an old name and goes with the next version"


class Done(NamedTuple):
    code: int
    out: str
    err: str


def called(*words: object) -> Done:
    """Call a command in this process."""
    done = CliRunner().invoke(cli, list(map(str, words)))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


def as_before(old: Sequence[object], new: Sequence[object], told: str) -> Done:
    """Demand that an old command line does what the new one does, with one line more on standard error."""
    before, now = called(*old), called(*new)
    hints = [line for line in before.err.splitlines() if HINT in line]
    assert len(hints) == 1
    assert told in hints[0]
    assert HINT not in now.err
    assert (before.code, before.out) == (now.code, now.out)
    assert before.err.replace(hints[0] + "\n", "") == now.err
    return before


def test_this_is_still_the_version_that_keeps_them() -> None:
    assert __version__.startswith("0.1."), "take cli/old_names.py and this file out: their time is over"


def test_convert_takes_its_output_as_its_last_word(tmp_path: Path) -> None:
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    way = ("proactive", "--from", "session", "--to", "sample")
    before = called("convert", *way, SESSIONS, old)
    now = called("data", "convert", *way, SESSIONS, "--out", new)
    assert (before.code, before.out, now.out) == (0, f"{old}\n", f"{new}\n")
    assert before.err.splitlines()[-1].endswith("it is now: duologue data convert ... FILE --out OUT")
    assert old.read_bytes() == new.read_bytes()


def test_noise_takes_its_output_as_its_last_word(tmp_path: Path) -> None:
    pytest.importorskip("rjieba")
    way = ("spoken", "--regime", "test", "--seed", 3)
    old = called("noise", *way, NOISELESS, tmp_path / "old.json")
    new = called("data", "noise", *way, NOISELESS, "--out", tmp_path / "new.json")
    assert (old.code, new.code) == (0, 0)
    assert HINT in old.err
    assert (tmp_path / "old.json").read_bytes() == (tmp_path / "new.json").read_bytes()


@pytest.mark.parametrize(
    "words",
    [
        ("collect", "twitter", "Help", "--store", "{}/store", "--dry-run"),
        ("import", "dialogues", "{}/chats.jsonl", "--account", "Help", "--store", "{}/store"),
        ("extract", "sizes", GOLDEN / "registry.toml", GOLDEN / "registry.toml"),
    ],
    ids=lambda words: words[0],
)
def test_groups_of_challenges_are_found_where_they_were(words: tuple[object, ...], tmp_path: Path) -> None:
    (tmp_path / "chats.jsonl").write_text('{"turns": [["U", "it is late"], ["S", "we are sorry"]]}\n', "utf-8")
    given = [str(word).replace("{}", str(tmp_path)) for word in words]
    as_before(given, ("data", *given), f"it is now: duologue data {words[0]}")


def test_a_result_file_behind_its_old_option(duologue: Any, corpus: Any, solved: Path, tmp_path: Path) -> None:
    new = ("score", "restaurant", solved, "--gold", corpus.truth, "--json")
    for old in (
        ("score", "restaurant", "--gold", corpus.truth, "--pred", solved, "--json"),
        ("score", "--pred", solved, "restaurant", "--gold", corpus.truth, "--json"),
        ("score", "restaurant", f"--pred={solved}", "--json", "--gold", corpus.truth),
    ):
        assert as_before(old, new, "RESULT now stands without it, behind TASK").code == 0
    other = tmp_path / "other.json"
    other.write_bytes(solved.read_bytes())
    way = ("--gold", corpus.truth, "--json", "--resamples", 100)
    pair = ("compare", "restaurant", *way, "--pred", solved, "--pred", other)
    as_before(pair, ("compare", "restaurant", solved, other, *way), "'--pred' of 'duologue compare'")
    named = ("compare", "restaurant", solved, other, *way[:2], "--resamples", 100)
    as_before((*named, "--most", 1), (*named, "--limit", 1), "it is now --limit")


def test_data_behind_its_old_option(corpus: Any, tmp_path: Path) -> None:
    way = ("--system", "random", "--out", tmp_path / "a.json", "--quiet")
    as_before(("run", "restaurant", "--input", corpus.data, *way), ("run", "restaurant", corpus.data, *way), "DATA now")
    train = ("--system", "ranker", "--set", "epochs=x", "--out", tmp_path / "m")
    old = CliRunner().invoke(cli, list(map(str, ("train", "restaurant", "--input", corpus.data, corpus.data, *train))))
    assert "it is now --train" in old.stderr


def test_report_writes_the_page_and_ranks_nothing(corpus: Any, solved: Path, tmp_path: Path) -> None:
    saved, page = tmp_path / "a.report.json", tmp_path / "page.html"
    assert called("score", "restaurant", solved, "--gold", corpus.truth, "--out", saved).code == 0
    old = called("report", saved, "--out", page, "--in", corpus.folder, "--title", "Ours")
    assert (old.code, old.out) == (0, f"1 report in {page}\n")
    assert "it is now: duologue board" in old.err
    assert "Ours" in page.read_text("utf-8")
    assert not page.with_suffix(".json").exists()


def test_old_names_are_in_no_help_and_are_not_offered() -> None:
    context = click.Context(cli)
    assert not set(cli.list_commands(context)) & set(COMMANDS)
    assert not [name for name in COMMANDS if f"\n  {name} " in called("--help").out]
    for verb in ("score", "compare", "run", "train"):
        told = called(verb, "--help").out
        assert f"Usage: cli {verb}" in told
        command = cli.get_command(context, verb)
        assert isinstance(command, RenamedOptions)
        assert not [name for name in command.renamed if f"\n  {name}" in told]


@click.command(cls=RenamedOptions, renamed={"--old": "NEW", "--was": "--is"})
@click.argument("words", nargs=-1)
@click.option("--is", "now", multiple=True)
@click.option("--gold")
@click.option("--flag", is_flag=True)
def toy(**given: Any) -> None:
    click.echo(json.dumps(given, sort_keys=True))


@pytest.mark.parametrize(
    ("line", "words", "now", "gold"),
    [
        ("a --old b", ("a", "b"), (), None),
        ("--old b a --old=c", ("a", "b", "c"), (), None),
        ("--flag --old b a", ("a", "b"), (), None),
        ("a --gold --old b", ("a", "b"), (), "--old"),
        ("a -- --old b", ("a", "--old", "b"), (), None),
        ("a --old -x", ("a", "-x"), (), None),
        ("a --old -x -- --old", ("a", "--old", "-x"), (), None),
        ("--was 1 --is 2 --was=3", (), ("1", "2", "3"), None),
        ("a --old", ("a",), (), None),
    ],
)
def test_old_options_are_read_wherever_they_stand(line: str, words: Any, now: Any, gold: Any) -> None:
    done = CliRunner().invoke(toy, line.split())
    assert done.exit_code == 0, done.output
    expected = {"flag": "--flag" in line, "words": list(words), "now": list(now), "gold": gold}
    assert json.loads(done.stdout) == expected
