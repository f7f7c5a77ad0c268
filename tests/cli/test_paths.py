"""No verb writes over what it reads, by whatever name; what is written replaces only its own kind."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner
from tests.verbs import working_commands

from duologue.arena.database.blobs import Blobs
from duologue.cli.main import cli
from duologue.core.disk import sha256, write_text
from duologue.core.errors import StorageError, UsageError
from duologue.core.inputs import demand_named, read, sparing_inputs
from duologue.terminal.paths import Folder, Input, Output

if TYPE_CHECKING:
    from click.testing import Result

WRITTEN = {"out", "save", "plain", "statistics", "saved", "dump", "log", "junit", "sheet"}
"""What parameters are called that name an output; a new one belongs here, with a type of `cli.paths`."""


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
