"""Groups of commands: what their help shows, and what is said to a word that is no command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from tests.verbs import every_command

from duologue.cli.lazy_group import LazyGroup
from duologue.cli.main import SECTIONS, cli

if TYPE_CHECKING:
    from pathlib import Path

    import click


def called(*words: str) -> Any:
    return CliRunner().invoke(cli, list(words), prog_name="duologue")


def test_the_help_is_by_what_one_does_and_each_line_is_that_of_the_table() -> None:
    told = called("--help").stdout
    assert [line[:-1] for line in told.splitlines() if line[:-1] in SECTIONS] == list(SECTIONS)
    for section in SECTIONS.values():
        for name in section:
            assert re.search(rf"^  {name}  ", told, flags=re.MULTILINE)


@pytest.mark.parametrize(("words", "command"), list(every_command()))
def test_every_command_has_examples_that_call_it(words: tuple[str, ...], command: click.Command) -> None:
    text = command.help or ""
    examples = re.findall(r"^\s*(?:curl .*|duologue (.*))$", text, flags=re.MULTILINE)
    assert examples, f"{' '.join(words)} has no example"
    assert any(one.startswith(" ".join(words)) for one in examples)
    assert text.strip().partition("\n")[0].endswith((".", ",")) or "\n" in text.strip()


def test_the_group_of_data_has_ours_and_those_of_challenges() -> None:
    told = called("data", "--help").stdout
    ours, theirs = told.partition("Commands:\n")[2].split("Commands of challenges:\n")
    assert [line.split()[0] for line in ours.splitlines() if line[2:3].strip()] == [
        "fetch",
        "convert",
        "chats",
        "split",
        "noise",
    ]
    assert [line.split()[0] for line in theirs.splitlines() if line[2:3].strip()] == [
        "collect",
        "dense-graph",
        "exam",
        "extract",
        "freeze",
        "goals",
        "import",
        "local-kb",
        "marks",
    ]
    whole = " ".join(called("data", "collect", "--help").stdout.split())
    assert "of a STORE, with anonymous people and texts." in whole  # no line is cut short


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("split",), "there is no command 'split'; did you mean 'data split'?"),
        (("site", "--", "--workspace", "w"), "there is no command '--workspace'"),
        (("fetch", "x"), "did you mean 'data fetch'?"),
        (("scor",), "did you mean 'score'?"),
        (("data", "splt"), "did you mean 'split'?"),
        (("xyzzy",), "known are annotate, board"),
        (("--nope",), "No such option"),
    ],
)
def test_a_word_that_is_no_command_is_answered_with_the_nearest(words: tuple[str, ...], told: str) -> None:
    done = called(*words)
    assert done.exit_code == 2
    assert told in done.stderr


def test_an_empty_group_has_no_heading_for_what_nobody_brings() -> None:
    empty = LazyGroup("toy", sections={}, prefix="toy.")
    assert "Commands" not in CliRunner().invoke(empty, ["--help"]).stdout


def test_a_command_of_others_whose_name_is_taken_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its makers were told nothing, and the help showed ours alone."""
    made = tmp_path / "guest-1.0.dist-info"
    made.mkdir()
    (made / "METADATA").write_text("Metadata-Version: 2.1\nName: guest\nVersion: 1.0\n", encoding="utf-8")
    points = "[duologue.commands]\nscore = guest:score\ndata.fetch = guest:fetch\n"
    (made / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for words, name in (((), "score"), (("data",), "fetch")):
        told = called(*words, "--help").stdout.partition("Not to be called:\n")[2]
        assert " ".join(told.split()) == (
            f"{name} The package 'guest' brings one of this name, which is taken: rename its entry point."
        )
    monkeypatch.undo()
    assert "Not to be called" not in called("--help").stdout
