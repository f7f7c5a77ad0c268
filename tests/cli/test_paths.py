"""No verb writes over what it reads, by whatever name; what is written replaces only its own kind."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner
from tests.command import DUOLOGUE
from tests.verbs import working_commands

from duologue.arena.database.blobs import Blobs
from duologue.cli.main import cli
from duologue.core.disk import sha256, write_text
from duologue.core.errors import StorageError, UsageError
from duologue.core.inputs import demand_named, read, sparing_inputs
from duologue.terminal.paths import Folder, Input, Output

if TYPE_CHECKING:
    from click.testing import Result
    from tests.command import Command

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
WRITTEN = {"out", "save", "plain", "statistics", "saved", "dump", "log", "junit", "sheet"}
"""What parameters are called that name an output; a new one belongs here, with a type of `cli.paths`."""

OWN = {
    ("combine", "out"),
    ("export", "out"),
    ("judge", "out"),
    ("judge", "sheet"),
    ("run", "out"),
    ("simulate", "out"),
}
"""Outputs of commands that look by themselves at what is there; each has a test that a stranger's file stays."""
KEPT = [
    pytest.param(words, command, out, id=f"{'-'.join(words)}-{out.name}")
    for words, command in working_commands()
    for out in command.params
    if isinstance(out.type, Output) and out.type.kept
]

PAIRS = [
    pytest.param(words, command, out, source, id=f"{'-'.join(words)}-{out.name}-{source.name}")
    for words, command in working_commands()
    for out in command.params
    if isinstance(out.type, Output)
    for source in command.params
    if isinstance(source.type, Input) and not isinstance(source.type, Folder)  # what is written is no folder
]


def call(words: tuple[str, ...], command: click.Command, given: dict[str, Path]) -> Result:
    """Call a command with the paths given; what else it must have is of no matter, it is refused before."""
    args: list[str] = []
    for one in command.params:
        if not (one.required or one.name in given):
            continue
        value = str(given.get(one.name or "", "elsewhere.json"))
        if isinstance(one.type, click.Choice):
            value = one.type.choices[0]
        args += [value] if isinstance(one, click.Argument) else [one.opts[0], value]
    return CliRunner().invoke(cli, [*words, *args])


def words_for(command: click.Command, out: click.Parameter, path: Path) -> list[str]:
    """Return what a command must be told, and the path of one of its outputs."""
    last, given = list[str](), list[str]()
    for one in command.params:
        if not (one.required or one is out):
            continue
        value = str(path) if one is out else one.type.choices[0] if isinstance(one.type, click.Choice) else "missing"
        if isinstance(one, click.Argument):
            last.append(value)
        else:
            given += [one.opts[0], value]
    return [*given, *last]


def test_every_output_spares_the_files_of_others() -> None:
    found = {
        (*words, str(one.name)): (one.type, command)
        for words, command in working_commands()
        for one in command.params
        if isinstance(one.type, Output)
    }
    assert {words for words, (kind, _) in found.items() if kind.own} == OWN
    for words, (kind, command) in found.items():
        forced = [one for one in command.params if one.name == "force"]
        assert forced or not (kind.kept or kind.own), f"{words}: give the command options.force_option"
    assert len(KEPT) >= 20


@pytest.mark.parametrize(("words", "command", "out"), KEPT)
def test_a_file_that_is_there_stays_unless_it_is_forced(
    words: tuple[str, ...],
    command: click.Command,
    out: click.Parameter,
    duologue: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    theirs = tmp_path / "theirs.csv"
    theirs.write_text("a night's work\n", "utf-8")
    args = words_for(command, out, theirs)
    kept = duologue(*words, *args)
    option = out.opts[0] if isinstance(out, click.Option) else "OUT"
    assert kept.code == 2, kept.err
    assert f"{theirs} is there already; choose another {option}, or write over it with --force" in kept.err
    assert theirs.read_text("utf-8") == "a night's work\n"
    assert [path.name for path in tmp_path.iterdir()] == ["theirs.csv"]
    if words[0] == "chat":  # which would begin to talk
        return
    assert "is there already" not in duologue(*words, "--force", *args).err
    assert "is there already" not in duologue(*words, *args, "--force").err


@pytest.mark.parametrize(
    ("words", "out"),
    [
        (
            ("data", "convert", "proactive", "proactive/small-sessions.txt", "--from", "session", "--to", "sample"),
            "--out",
        ),
        (("data", "noise", "spoken", "spoken/small-test.json", "--regime", "test"), "--out"),
        (("data", "chats", "proactive/small-sessions.txt", "--from", "proactive", "--to", "openai"), "--out"),
        (("data", "dense-graph", "spoken/tiny-kg.json"), "--out"),
        (("show", "restaurant", "restaurant/small-data.json"), "--plain"),
        (("show", "restaurant", "restaurant/small-data.json"), "--statistics"),
        (("chat", "restaurant"), "--save"),
    ],
)
def test_a_file_is_replaced_by_force(words: tuple[str, ...], out: str, duologue: Command, tmp_path: Path) -> None:
    theirs, new, empty = tmp_path / "theirs.json", tmp_path / "new.json", tmp_path / "empty.json"
    theirs.write_text("a night's work\n", "utf-8")
    empty.touch()
    args = [GOLDEN / word if "." in word else word for word in words]
    for path, force in ((new, ()), (empty, ()), (Path("/dev/null"), ()), (theirs, ("--force",))):
        done = duologue(*args, out, path, *force, said="a table for two please\n")
        assert done.code == 0, done.err
    assert new.read_bytes()
    assert "a night's work" not in theirs.read_text("utf-8")
    if words[0] != "chat":  # which has the time in it
        assert new.read_bytes() == theirs.read_bytes() == empty.read_bytes()
    before = new.read_bytes()
    assert duologue(*args, out, new, said="a table for two please\n").code == 2  # what it wrote is kept as well
    assert new.read_bytes() == before


def test_standard_output_may_be_a_file_with_something_in_it(tmp_path: Path) -> None:
    out = tmp_path / "all.json"
    out.write_text("before\n", "utf-8")
    words = ("data", "noise", "spoken", GOLDEN / "spoken/small-test.json", "--regime", "test", "--out", "/dev/stdout")
    with out.open("ab") as end:
        done = subprocess.run([DUOLOGUE, *map(str, words)], stdout=end, stderr=subprocess.PIPE, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert out.read_text("utf-8").startswith('before\n{"1"')


def test_an_old_command_that_takes_the_output_last_keeps_files_as_well(duologue: Command, tmp_path: Path) -> None:
    out, words = tmp_path / "noisy.json", ("noise", "spoken", "--regime", "test", GOLDEN / "spoken/small-test.json")
    out.write_text("a night's work\n", "utf-8")
    kept = duologue(*words, out)
    assert (kept.code, f"{out} is there already; choose another OUT, or" in kept.err) == (2, True), kept.err
    assert out.read_text("utf-8") == "a night's work\n"
    assert duologue(*words, "--force", out).code == 0
    assert out.read_text("utf-8") != "a night's work\n"


def test_what_is_written_beside_imported_calls_is_kept(duologue: Command, tmp_path: Path) -> None:
    calls, report = tmp_path / "calls.txt", tmp_path / "out.personal-data.toml"
    calls.write_text("agent: hello\ncustomer: hello\n", "utf-8")
    report.write_text("a night's work\n", "utf-8")
    words = ("data", "import", "calls", calls, "--out", tmp_path / "out.json")
    kept = duologue(*words)
    assert (kept.code, f"{report} is there already; choose another --out" in kept.err) == (2, True), kept.err
    assert not (tmp_path / "out.json").exists()
    assert duologue(*words, "--force").code == 0
    assert "night" not in report.read_text("utf-8")


def test_a_junit_file_replaces_only_its_own_kind(duologue: Command, tmp_path: Path) -> None:
    data, junit = GOLDEN / "restaurant/small-data.json", tmp_path / "check.xml"
    junit.write_text("<testsuites name='theirs'/>", "utf-8")
    words = ("check", "restaurant", data, "--junit", junit)
    kept = duologue(*words)
    assert (kept.code, "is no JUnit file of duologue" in kept.err) == (2, True), kept.err
    junit.unlink()
    told = duologue(*words)
    assert junit.exists(), told.err
    assert duologue(*words).code == told.code


def test_every_parameter_that_names_an_output_is_of_such_a_type() -> None:
    found = {
        (*words, str(one.name)): one.type
        for words, command in working_commands()
        for one in command.params
        if isinstance(one.type, click.Path)
    }
    assert len(found) > 50
    assert {words for words, kind in found.items() if isinstance(kind, Output)} == {
        words for words in found if words[-1] in WRITTEN
    }
    assert all(isinstance(kind, Input | Output) for kind in found.values())


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("data", "noise", "restaurant", "data.json", "--out"), "give /dev/stdout, "),
        (("data", "split", "restaurant", "data.json", "--out"), "name a folder, "),
        (("score", "restaurant", "p.json", "--gold"), "give /dev/stdin, "),
        (("show", "restaurant"), "give /dev/stdin, "),
    ],
)
def test_a_dash_is_neither_a_stream_nor_a_file_that_nobody_meant(
    words: tuple[str, ...], advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(cli, [*words, "-"])
    assert refused.exit_code == 2
    assert f"'-' stands for no stream here; {advice}or ./- for what has that name" in refused.output
    assert not list(tmp_path.iterdir())


def test_a_file_may_still_be_called_a_dash() -> None:
    assert Output().convert("./-", None, None) == Input().convert("./-", None, None) == Path("-")


@pytest.mark.parametrize("kind", ["path", "link", "hard link"])
@pytest.mark.parametrize(("words", "command", "out", "source"), PAIRS)
def test_no_verb_writes_over_what_it_reads(
    words: tuple[str, ...],
    command: click.Command,
    out: click.Parameter,
    source: click.Parameter,
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    mine, other = tmp_path / "mine.json", tmp_path / "there" / ".." / "mine.json"
    mine.write_text(
        '{"task": "restaurant", "variant": "<meta name="generator" content="Duologue"><testsuites name="duologue">',
        "utf-8",
    )
    if kind != "path":
        other = tmp_path / "other.json"
        (os.link if kind == "hard link" else os.symlink)(mine, other)
    before = mine.read_bytes()
    assert out.name
    assert source.name
    done = call(words, command, {out.name: other, source.name: mine})
    assert done.exit_code == 2, done.output
    assert "which is read" in done.output or "is written beside it" in done.output
    assert mine.read_bytes() == before


def test_a_page_does_not_take_the_result_of_that_name_for_its_json(tmp_path: Path) -> None:
    (tmp_path / "team.json").write_text('{"d1": "an answer"}', "utf-8")
    words = ("board", "restaurant", tmp_path, "--gold", tmp_path / "gold.json", "--out", tmp_path / "team.html")
    done = CliRunner().invoke(cli, [str(word) for word in words])
    assert done.exit_code == 2
    assert "team.json' is there already and is no .json file of such a page" in done.output


@pytest.mark.parametrize(
    ("words", "content", "refused"),
    [
        (("score", "restaurant", "p.json", "--out"), '[{"dialog_id": "d1"}]', "no saved report"),
        (("board", "a.report.json", "--out"), "my own words", "no page"),
        (("robustness", "spoken", "--system", "a", "--out"), "<html>mine</html>", "no page"),
    ],
)
def test_a_report_or_page_replaces_only_its_own_kind(
    tmp_path: Path, words: tuple[str, ...], content: str, refused: str
) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text(content, "utf-8")
    done = CliRunner().invoke(cli, [*words, str(theirs)])
    assert done.exit_code == 2
    assert f"is there already and is {refused} of duologue" in done.output
    assert theirs.read_text("utf-8") == content
    theirs.write_text("", "utf-8")
    assert "is there already" not in CliRunner().invoke(cli, [*words, str(theirs)]).output


def test_a_file_of_a_folder_that_is_read_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "account.json").write_text("[]", "utf-8")
    words = ("data", "extract", "twitter", tmp_path, "--out", tmp_path / "account.json")
    done = CliRunner().invoke(cli, [str(word) for word in words])
    assert done.exit_code == 2
    assert "it may be a part of that" in done.output


def test_a_file_that_a_choice_names_is_an_input_too(tmp_path: Path) -> None:
    topics = tmp_path / "topics.txt"
    topics.write_text("a\n", "utf-8")
    words = ("data", "convert", "proactive", "--from", "generated", "--to", "replies", "--option", f"topics={topics}")
    done = CliRunner().invoke(cli, [*words, str(tmp_path / "out.txt"), "--out", str(topics)])
    assert done.exit_code == 2
    assert "which is read" in done.output


def test_two_outputs_of_one_name_are_refused(tmp_path: Path) -> None:
    words = ("show", "restaurant", "in.json", "--plain", tmp_path / "o.txt", "--statistics", tmp_path / "o.txt")
    done = CliRunner().invoke(cli, [str(word) for word in words])
    assert done.exit_code == 2
    assert "is written by another option too" in done.output


def test_a_device_may_be_read_and_written() -> None:
    done = CliRunner().invoke(cli, ["data", "noise", "spoken", "--regime", "none", "/dev/null", "--out", "/dev/null"])
    assert "has no noise 'none'" in str(done.exception)


def test_what_is_written_beside_an_output_spares_the_inputs_as_well(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine.json", tmp_path / "other.json"
    mine.write_text("mine", "utf-8")
    os.link(mine, other)
    with sparing_inputs():
        read(mine)
        with pytest.raises(UsageError, match="which is read"):
            write_text(other, "theirs")
    assert mine.read_text("utf-8") == "mine"
    write_text(mine, "later")


def test_a_pipe_that_no_path_of_the_command_names_is_not_waited_for(tmp_path: Path) -> None:
    beside, kept = tmp_path / "page.json", tmp_path / sha256(b"kept")[:2] / sha256(b"kept")
    kept.parent.mkdir()
    os.mkfifo(beside)
    os.mkfifo(kept)
    with sparing_inputs():
        with pytest.raises(StorageError, match=r"page\.json: it is a pipe"):
            demand_named(beside)  # which would not wait, whatever it says
        with pytest.raises(StorageError, match=r"page\.json: it is a pipe"):
            write_text(beside, "nobody reads")
        with pytest.raises(StorageError, match="it is a pipe"):
            Blobs(tmp_path).put(b"kept")


def test_a_pipe_that_the_command_names_is_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with (tmp_path / "heard").open("wb") as heard, subprocess.Popen(["cat", pipe], stdout=heard) as reader:
        with sparing_inputs():
            Output().convert(str(pipe), None, None)
            write_text(pipe, "sent")
        assert reader.wait(timeout=20) == 0
    assert (tmp_path / "heard").read_bytes() == b"sent"
