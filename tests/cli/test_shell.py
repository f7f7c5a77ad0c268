"""What belongs to the terminal: completion, colour, and which tasks an option is for."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from tests.command import DUOLOGUE
from tests.verbs import working_commands

from duologue.challenges.mobilecs.task import DialogueTask
from duologue.challenges.proactive.task import ProactiveTask
from duologue.cli.main import cli
from duologue.core.optional_protocols import (
    Conversable,
    FactChecking,
    Grounded,
    Inspectable,
    NoiseModel,
    Paired,
    Playable,
)
from duologue.core.plugins import load_task, names
from duologue.terminal import console

if TYPE_CHECKING:
    from collections.abc import Callable

    Tells = Callable[[object], bool]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "first-steps.md"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_page_has_a_line_for_each_shell_that_prints_a_script(installed: Any, shell: str) -> None:
    lines = re.findall(r"```sh\n(.*?)\n```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len([line for line in lines if f"_DUOLOGUE_COMPLETE={shell}_source duologue" in line]) == 1
    made = installed(_DUOLOGUE_COMPLETE=f"{shell}_source")
    assert made.code == 0, made.err
    assert "_DUOLOGUE_COMPLETE" in made.out


def test_the_command_is_the_module_as_well() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "duologue", "run", "nowhere"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: python -m duologue run ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no such device")
def test_a_full_disk_behind_standard_output_is_told_in_one_line() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [DUOLOGUE, "--version"], stdout=full, stderr=subprocess.PIPE, check=False, env=environment
        )
    said = "duologue: cannot write to standard output: no space left on the disk; free some and run the command again\n"
    assert (done.returncode, done.stderr.decode()) == (1, said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("duologue rob", ["robustness"]),
        ("duologue run re", ["restaurant"]),
        ("duologue run mobilecs/", ["mobilecs/dialogue", "mobilecs/extraction"]),
        ("duologue run restaurant --system ra", ["random", "ranker"]),
        ("duologue score restaurant --require", ["--require-unseen"]),
    ],
)
def test_bash_completes_after_the_line_of_the_page(typed: str, offered: list[str]) -> None:
    line = next(line for line in PAGE.read_text(encoding="utf-8").splitlines() if "bash_source" in line)
    words = typed.split()
    script = (
        f"{line}\n"
        "compopt() { :; }\n"  # there is no completion under way that it could tell
        f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}\n"
        "_duologue_completion duologue\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
    )
    assert done.stdout.split() == offered, done.stderr


def test_no_color_is_without_bold_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("click._compat.should_strip_ansi", lambda *_: False)  # as on a terminal
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_: False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def printed() -> str:
        console.line("you", bold=True)
        console.line("fact", dim=True)
        console.show("[bold red]table[/]")
        return capsys.readouterr().out

    assert printed().count("\x1b[") >= 3
    monkeypatch.setenv("NO_COLOR", "1")
    assert printed() == "you\nfact\ntable\n"


USED: list[tuple[str, str, Tells]] = [
    ("run", "--kb", lambda task: isinstance(task, Grounded)),
    ("pack", "--kb", lambda task: isinstance(task, Grounded)),
    ("train", "--kb", lambda task: isinstance(task, Grounded)),
    ("check", "--kb", lambda task: isinstance(task, FactChecking)),
    ("show", "--kb", lambda task: isinstance(task, FactChecking) and isinstance(task, Inspectable)),
    ("serve", "--kb", lambda task: isinstance(task, Grounded)),
    ("robustness", "--kb", lambda task: isinstance(task, Grounded) and isinstance(task, NoiseModel)),
    ("chat", "--kb", lambda task: isinstance(task, Grounded) and isinstance(task, Conversable)),
    ("chat", "--goals", lambda task: isinstance(task, Conversable) and isinstance(task, DialogueTask | ProactiveTask)),
    (
        "talk open",
        "--kb",
        lambda task: (
            isinstance(task, Grounded) and isinstance(task, Conversable) and not isinstance(task, DialogueTask)
        ),
    ),
    ("talk pair", "--goals", lambda task: isinstance(task, Paired)),
    ("judge", "--kb", lambda task: isinstance(task, FactChecking)),
    ("campaign start", "--goals", lambda task: isinstance(task, Conversable)),
    ("campaign start", "--kb", lambda task: isinstance(task, FactChecking)),
    ("simulate", "--kb", lambda task: isinstance(task, Grounded) and isinstance(task, Playable)),
    ("simulate", "--goals", lambda task: isinstance(task, Playable)),
    ("simulate", "--users", lambda task: isinstance(task, DialogueTask | ProactiveTask)),
]


def command_of(verb: str) -> click.Command:
    command: click.Command = cli
    for word in verb.split():
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None
        command = found
    return command


def test_every_option_for_a_knowledge_base_or_goals_is_held() -> None:
    found = {
        (" ".join(words), next(name for name in one.opts if name in ("--kb", "--goals", "--users")))
        for words, command in working_commands()
        for one in command.params
        if {"--kb", "--goals", "--users"} & {*one.opts}
    }
    of_one_task = {(verb, option) for verb, option in found if verb.startswith("data ")}
    assert found - of_one_task == {(verb, option) for verb, option, _ in USED}


@pytest.mark.parametrize(("verb", "option", "serves"), USED)
def test_the_help_of_an_option_names_the_tasks_that_use_it(verb: str, option: str, serves: Tells) -> None:
    command = command_of(verb)
    (found,) = [one for one in command.params if option in one.opts]
    assert isinstance(found, click.Option)
    assert found.help is not None
    told = found.help.partition(":")[0]
    assert told == ", ".join(name for name in names("tasks") if serves(load_task(name)))
