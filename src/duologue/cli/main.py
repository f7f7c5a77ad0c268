"""The command `duologue`: its verbs, its exit codes, and what it says when something goes wrong.

Exit codes: 0 fine, 1 findings (a file with problems, something that could not be done), 2 usage,
130 stopped by the user.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from duologue import __version__
from duologue.core.errors import DuologueError

if TYPE_CHECKING:
    from types import FrameType

VERBS = {
    "list": ("duologue.cli.registry:list_registered", "Show the tasks and systems that are installed."),
    "generate": ("duologue.cli.generate:generate", "Make data of a task with its simulator."),
    "collect": ("duologue.cli.collect:collect", "Collect dialogues of accounts, or posts by id, from Twitter (X)."),
    "import": ("duologue.cli.importing:import_", "Bring dialogues that others collected into a store."),
    "show": ("duologue.cli.show:show", "Show a data file as plain text, with statistics."),
    "extract": ("duologue.cli.extract:extract", "Make dialogue text from collected or downloaded data."),
    "train": ("duologue.cli.train:train", "Train a system and save the model."),
    "run": ("duologue.cli.predict:run", "Answer a data file with a system: the official result file."),
    "check": ("duologue.cli.check:check", "Check a result file; say all that is wrong with it."),
    "score": ("duologue.cli.score:score", "Score a result file against the truth."),
    "compare": ("duologue.cli.compare:compare", "Test whether two result files really differ."),
    "board": ("duologue.cli.board:board", "Rank a folder of result files, with ties shown as ties."),
    "verify": ("duologue.cli.verify:verify", "Compute a stored number again; say equal or what differs."),
    "convert": ("duologue.cli.convert:convert", "Turn a data file from one official form into another."),
    "noise": ("duologue.cli.noise:noise", "Lay a task's noise on a clean data file."),
    "robustness": ("duologue.cli.robustness:robustness", "Score systems clean and under noise, as a figure."),
    "report": ("duologue.cli.pages:report", "Join saved scores into one HTML page."),
    "simulate": ("duologue.cli.simulate:simulate", "Play whole conversations with a simulated user, and judge them."),
    "chat": ("duologue.cli.chat:chat", "Talk with a system in the terminal."),
    "serve": ("duologue.cli.serve:serve", "Answer requests over HTTP with a system."),
    "demo": ("duologue.cli.demo:demo", "Simulate, train, rank, check, score and report, in two minutes."),
}
"""Verb -> (where its command is, one line of help). Commands are imported only when they are called."""


class _Verbs(click.Group):
    """A group whose commands are imported when they are called, so that `--help` stays light."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module, _, name = VERBS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(verb, text) for verb, (_, text) in VERBS.items()])


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="duologue")
def cli() -> None:
    """An open workbench for knowledge-driven and goal-oriented dialogue.

    \b
    From raw data to a ranked system:
      duologue generate restaurant --seed 1 --out data
      duologue train restaurant --system ranker --seed 1 --out model
      duologue run restaurant --system model --input data/tst1/FILE.json \\
          --kb data/extendedkb1.txt --out FILE.answers.json
      duologue check restaurant FILE.answers.json --input data/tst1/FILE.json
      duologue score restaurant --gold data/tst1/FILE.answers.json --pred FILE.answers.json

    `duologue COMMAND --help` has an example for each command.
    """


def main() -> NoReturn:
    """Run the command line and leave with its exit code; never show a traceback for what a user can cause."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        code = leave.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("\nStopped. Nothing is half-written; the same command goes on where it was.", err=True)
        code = 130
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  # so that the exit flush has a place
        code = 1
    except DuologueError as error:
        click.echo(f"duologue: {error}", err=True)
        code = error.exit_code
    except MemoryError:
        click.echo("duologue: out of memory; give less data at once or fewer --workers", err=True)
        code = 1
    except Exception as error:
        if os.environ.get("DUOLOGUE_DEBUG"):
            raise
        click.echo(
            f"duologue: this should not have happened ({type(error).__name__}: {error}).\n"
            "It is a fault of duologue: please report it with the output of the same command under DUOLOGUE_DEBUG=1.",
            err=True,
        )
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """Turn `kill` into what Ctrl-C is, so that temporary files are removed."""
    raise KeyboardInterrupt
