"""The command `duologue`: its verbs, its exit codes, and what it says when something goes wrong.

Exit codes: 0 fine, 1 findings (a file with problems, something that could not be done), 2 usage,
130 stopped by the user.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

import click

from duologue.cli.lazy_group import LazyGroup
from duologue.core.errors import DuologueError, PlugInError
from duologue.core.inputs import sparing_inputs
from duologue.core.version import __version__
from duologue.terminal import console

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

SECTIONS = {
    "Data": {
        "data": (
            "duologue.cli.data:data",
            "Fetch, collect, import, extract, convert, split, and add noise.",
        ),
        "generate": ("duologue.cli.generate:generate", "Make data of a task with its simulator."),
        "show": ("duologue.cli.show:show", "Show a data file as plain text, with statistics."),
    },
    "Systems": {
        "train": ("duologue.cli.train:train", "Train a system and save the model."),
        "run": ("duologue.cli.predict:run", "Answer a data file with a system: the official result file."),
        "chat": ("duologue.cli.chat:chat", "Talk with a system in the terminal."),
        "pack": ("duologue.cli.pack:pack_system", "Pack a system for organisers: its results from one command."),
        "serve": ("duologue.cli.serve:serve", "Answer requests over HTTP with a system."),
    },
    "Results": {
        "check": ("duologue.cli.check:check", "Check a result file; say all that is wrong with it."),
        "score": ("duologue.cli.score:score", "Score a result file against the truth."),
        "combine": ("duologue.cli.combine:combine", "Make one result file of several systems', by their agreement."),
        "compare": ("duologue.cli.compare:compare", "Test whether two result files really differ."),
        "board": ("duologue.cli.board:board", "Rank result files or saved scores, as a page too, with ties as ties."),
        "export": ("duologue.cli.export:export", "Write results in the forms of other tools: logs, cards, hubs."),
        "judge": ("duologue.cli.judge:judge", "Let a chat model rate results by the challenge's criteria; test it."),
        "ratings": ("duologue.cli.ratings:ratings", "Score systems by what people and judges said; plan campaigns."),
        "verify": ("duologue.cli.verify:verify", "Compute a stored number again; say equal or what differs."),
    },
    "Experiments": {
        "simulate": ("duologue.cli.simulate:simulate", "Play whole conversations with a simulated user; judge them."),
        "robustness": ("duologue.cli.robustness:robustness", "Score systems clean and under noise, as a figure."),
        "demo": ("duologue.cli.demo:demo", "Simulate, train, rank, check, score and report, in two minutes."),
    },
    "People": {
        "track": ("duologue.cli.track:track", "Run a competition: phases, teams, quotas, the final, the board."),
        "submit": ("duologue.cli.submit:submit", "Hand a result in for a track, here or on a site."),
        "campaign": ("duologue.cli.campaign:campaign", "Let people rate systems by a protocol: blind, balanced."),
        "talk": ("duologue.cli.talk:talk", "Let people talk on the site, with systems or in pairs."),
        "annotate": (
            "duologue.cli.annotate:annotate",
            "Let people annotate dialogues, with suggestions, agreement and adjudication.",
        ),
        "site": ("duologue.cli.site:site", "Serve tracks, campaigns, talks and annotation to people."),
    },
    "About": {
        "list": ("duologue.cli.registry:list_registered", "Show the tasks and systems that are installed."),
        "cite": ("duologue.cli.cite:cite", "Print what to cite for a task and its data, as text and BibTeX."),
        "mcp": ("duologue.cli.mcp:mcp", "Let an assistant check, score, compare and show, over stdio (MCP)."),
    },
}
"""Heading -> command -> (where it is, one line of help). Commands are imported only when they are called.

Challenges bring more, through the entry points `duologue.commands` (`plugin_commands`).
"""


_GOING_ON = (
    ("generate",), ("train",), ("run",), ("simulate", "--out"), ("simulate", "--report"), ("robustness",),
)  # fmt: skip
"""Verbs that leave something for the next time, with the words without which they do not."""
_TALKS = ("chat", "serve", "site", "mcp")
"""Verbs that are ended by stopping them."""


@click.group(
    cls=LazyGroup,
    sections=SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="duologue")
@click.option(
    "--max-unpacked",
    metavar="SIZE",
    help="Unpack gzip, bzip2, zip and tar data to at most SIZE, such as 8G, however small it is packed.  "
    "[default: 1G in memory, 64G as a stream, 100 times the packed size]",
)
@click.pass_context
def cli(context: click.Context, max_unpacked: str | None) -> None:
    """An open workbench for knowledge-driven and goal-oriented dialogue.

    \b
    From raw data to a ranked system:
      duologue generate restaurant --seed 1 --out data
      duologue train restaurant --system ranker --seed 1 --out model
      duologue run restaurant data/tst1/FILE.json --system model \\
          --kb data/extendedkb1.txt --out FILE.pred.json
      duologue check restaurant FILE.pred.json --input data/tst1/FILE.json
      duologue score restaurant FILE.pred.json --gold data/tst1/FILE.answers.json

    The file that a command is about follows the task. Every other file has an option that names what it is: --gold the
    truth, --input the data that was answered, --kb the knowledge base, --out what is written.

    `duologue COMMAND --help` has examples for each command.
    """
    context.with_resource(sparing_inputs())
    if max_unpacked is not None:
        from duologue.core.decompression import allowing

        context.with_resource(allowing(max_unpacked))


def main() -> NoReturn:
    """Run the command line and leave with its exit code; never show a traceback for what a user can cause."""
    _hear_stops()
    console.forgive_encoding()
    try:
        code = _done(cli)
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        code = leave.exit_code
    except click.ClickException as error:
        console.complain(error)
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        with suppress(OSError):  # the terminal may be gone
            console.line(err=True)
            console.line(_stopped(sys.argv[1:]), err=True)
        code = 130
    except BrokenPipeError:
        _let_go_of_output()
        code = 1
    except DuologueError as error:
        console.block(f"duologue: {error}", err=True)
        code = error.exit_code
    except MemoryError:
        console.line("duologue: out of memory; give less data at once or fewer --workers", err=True)
        code = 1
    except Exception as error:
        told: object = _refused(error) if isinstance(error, OSError) else None
        if not told and os.environ.get("DUOLOGUE_DEBUG"):
            raise
        told = told or (_unimportable(error) if isinstance(error, ImportError) else None)
        console.block(f"duologue: {told or _fault(error)}", err=True)
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def _unimportable(error: ImportError) -> DuologueError | None:
    """Return what to say of a library that could not be imported; `None` where no extra brings it.

    Heavy libraries are imported where they are used, which is in many places; this is the one that answers for all.
    """
    from duologue.core.extras import OURS, explained
    from duologue.core.plugins import KINDS, entries

    others = {entry.distribution for kind in KINDS for entry in entries(kind)} - {OURS}
    return explained(error, [OURS, *sorted(others)])


def _refused(error: OSError) -> str | None:
    """Return what to say of something that the system refused where nobody asked for its reason; else `None`."""
    from duologue.core.disk import reason

    if error.errno is None:  # a library's own error, such as that of damaged gzip data
        return None
    if error.filename is None and not _output_takes():
        return f"cannot write to standard output: {reason(error)}"
    return f"cannot use {error.filename}: {reason(error)}" if error.filename else reason(error)


def _output_takes() -> bool:
    """Tell whether standard output takes what waits for it; if not it goes nowhere, so that the exit is not in vain."""
    try:
        sys.stdout.flush()
    except OSError:
        _let_go_of_output()
        return False
    return True


def _let_go_of_output() -> None:
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  # so that the exit flush has a place


def _fault(error: Exception) -> str:
    """Return what to say of what nobody thought of: whose fault it is, and what is to be done."""
    from duologue.core.plugins import culprit, strangers

    again = "with the output of the same command under DUOLOGUE_DEBUG=1."
    said = f"{type(error).__name__}: {error}"
    if found := culprit(error):
        return f"{found} fails ({said}).\nPlease report it to its makers {again}"
    others = "".join(f", or of what the package '{one}' gave it" for one in strangers())
    return f"this should not have happened ({said}).\nIt is a fault of duologue{others}: please report it {again}"


def _done(command: click.Command) -> object:
    """Return what a command gives. Raises `PlugInError` where a plug-in ends the program, which only we may."""
    try:
        return command.main(standalone_mode=False)
    except SystemExit as leave:
        from duologue.core.plugins import culprit

        if found := culprit(leave):
            raise PlugInError(f"{found} called sys.exit({leave.code!r}), and the command was not done") from leave
        raise


def _hear_stops() -> None:
    """End as on Ctrl-C when killed, or when the terminal is closed; `nohup` has said that this is to be ignored."""
    signal.signal(signal.SIGTERM, _stop)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _stop)


def _stopped(words: Sequence[str]) -> str:
    """Return what to say to a user who has stopped a command."""
    called = list(_called(words))
    verb = str(called[0].name) if called else ""
    if verb in _TALKS:
        return "Stopped."
    given = {word.partition("=")[0] for word in words}
    going_on = any(what[0] == verb and given.issuperset(what[1:]) for what in _GOING_ON)
    if going_on or any(getattr(command, "resumable", False) for command in called):
        return "Stopped. Nothing is half-written; the same command goes on where it was."
    return "Stopped. Nothing is half-written; the same command begins anew."


def _called(words: Sequence[str]) -> Iterator[click.Command]:
    """Yield the command that words call, and those below it."""
    found: click.Command | None = cli
    for word in words:
        if not isinstance(found, click.Group):
            return
        below = found.get_command(click.Context(found), word)
        if below is not None:
            found = below
            yield below


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """Turn `kill` into what Ctrl-C is, so that temporary files are removed."""
    raise KeyboardInterrupt
