"""Arguments and options shared by several commands, and the progress bar."""

from __future__ import annotations

import math
import os
import re
import sys
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from duologue.core.bounds import MAX_PROCESSES
from duologue.terminal import console, paths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.shell_completion import CompletionItem

    from duologue.core.protocols import Progress, Task, World


class ResumableCommand(click.Command):
    """A command that, stopped and called again, continues where it was."""

    resumable = True


class CommandGroup(click.Group):
    """A group whose help has the first sentence of each command in full."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # click's form
        """Write the commands with what they do."""
        rows = [(name, " ".join((one.help or "").partition("\n\n")[0].split())) for name, one in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(sorted(rows))


class ResumableGroup(CommandGroup):
    """A group of commands that, stopped and called again, continue where they were."""

    resumable = True


class WholeNumber(click.IntRange):
    """A whole number within bounds; click calls what is none "not a valid integer range"."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Raises `click.BadParameter` for none, and for one that is out of bounds."""
        try:
            int(value)
        except ValueError:
            self.fail(f"'{value}' is no whole number; expected one such as {max(int(self.min or 1), 1)}.", param, ctx)
        return super().convert(value, param, ctx)


class SeedNumber(WholeNumber):
    """A whole number that can be printed, and counted on from: Python prints none of more than 4,300 digits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Raises `click.BadParameter` for none, and for one that is too large."""
        found = super().convert(value, param, ctx)
        if found >= _LARGEST_SEED:
            self.fail("it has more than 1,000 digits; give a smaller number.", param, ctx)
        return found


class CountNumber(WholeNumber):
    """A whole number that has a float to take a share of: of nothing is there more than 10^15."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Raises `click.BadParameter` for none, and for one that is out of bounds or too large."""
        found = super().convert(value, param, ctx)
        if found > _LARGEST_COUNT:
            self.fail(f"it is more than {_LARGEST_COUNT:,}; give a smaller number.", param, ctx)
        return found


Decorated = TypeVar("Decorated", bound="Callable[..., Any]")


PATH, FOLDER, ASSIGNMENT, TASK_OR_PATH = paths.PATH, paths.FOLDER, paths.ASSIGNMENT, paths.TASK_OR_PATH
OUT_FILE, OUT_LOG, OUT_FOLDER = paths.OUT_FILE, paths.OUT_LOG, paths.OUT_FOLDER
OUT_OWN_FILE, OUT_FILE_OR_FOLDER, OUT_JUNIT = paths.OUT_OWN_FILE, paths.OUT_FILE_OR_FOLDER, paths.OUT_JUNIT
demand_absent = paths.demand_absent
OUT_REPORT, OUT_PAGE, OUT_BOARD, OUT_CURVES = paths.OUT_REPORT, paths.OUT_PAGE, paths.OUT_BOARD, paths.OUT_CURVES
_LARGEST_SEED = 10**1000
_LARGEST_COUNT = 10**15
WORKSPACE = Path("workspace")
"""Default folder of outputs."""


def _tasks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001  # click's form
    """Complete task names for the shell."""
    from duologue.core.plugins import names

    return [name for name in names("tasks") if name.startswith(incomplete)]


kind_option = click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="NAME[=STRENGTH]",
    help="Kind of noise that is on, such as fillers or cuts=0.5; may be repeated; default: the task's usual ones.",
)


def complete_system(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001  # click's form
    """Complete system names, else model folders, for the shell."""
    from click.shell_completion import CompletionItem

    from duologue.core.plugins import names

    found = [CompletionItem(name) for name in names("systems") if name.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="dir")]


task_argument = click.argument("task", metavar="TASK", shell_complete=_tasks)
optional_task_argument = click.argument("task", metavar="[TASK]", required=False, shell_complete=_tasks)
SITE_PORT = 8000
"""Where the site listens unless told otherwise."""


class _SiteUrl(click.types.StringParamType):
    """Where people find a site."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the address. Raises `click.BadParameter` for what begins no link."""
        found = super().convert(value, param, ctx)
        if not re.fullmatch(r"https?://[^\s/]\S*", found):
            self.fail(f"'{found}' begins no link; give an address such as https://ratings.example.org", param, ctx)
        return found


site_url_option = click.option(
    "--site",
    "url",
    type=_SiteUrl(),
    default=f"http://127.0.0.1:{SITE_PORT}",
    show_default=True,
    help="Where people find the site: begins each link.",
)
system_option = click.option(
    "--system",
    "name",
    required=True,
    help="A system's name (duologue list) or the folder of a model.",
    shell_complete=complete_system,
)
seed_option = click.option("--seed", type=SeedNumber(min=0), default=1, show_default=True, help="Seed of all chance.")
resamples_option = click.option(
    "--resamples",
    type=WholeNumber(100, 10_000_000),
    default=10_000,
    show_default=True,
    help="Random swaps of dialogues; four times as many while a verdict is too near to call.",
)
recipe_option = click.option(
    "--recipe",
    type=PATH,
    default=None,
    help="TOML file with options, or the name of a recipe that comes with the system; what it leaves out keeps its "
    "default.",
)
recipe_file_option = click.option(
    "--recipe", type=PATH, default=None, help="TOML file with options; what it leaves out keeps its default."
)
set_option = click.option(
    "--set",
    "overrides",
    type=ASSIGNMENT,
    multiple=True,
    metavar="KEY=VALUE",
    help="Override one recipe entry; may be repeated.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
junit_option = click.option(
    "--junit",
    type=paths.OUT_JUNIT,
    default=None,
    help="Write the outcome to this file too, as JUnit XML.",
)
github_option = click.option(
    "--github", is_flag=True, help="Print the outcome on standard error too, as annotations of GitHub Actions."
)
gold_option = click.option(
    "--gold", type=PATH, multiple=True, help="A truth file; may be repeated, or left out where RESULT has its own."
)
input_option = click.option(
    "--input", "data", type=PATH, default=None, help="The data file that was answered: adds slices."
)
variant_option = click.option(
    "--variant", default=None, help="strict (default), or official: the official program to the last digit."
)
choice_option = click.option(
    "--option",
    "chosen",
    type=ASSIGNMENT,
    multiple=True,
    metavar="NAME=VALUE",
    help="A choice within the variant; may be repeated.",
)
samples_option = click.option("--samples", default=None, help="Score a subset of the samples (duologue list --scores).")
partial_option = click.option(
    "--partial", is_flag=True, help="Score a file with errors too; what is missing or wrong counts as wrong."
)
model_option = click.option(
    "--model",
    "models",
    type=PATH,
    multiple=True,
    help="Folder of a model that made a result file: what it was trained on is looked up there; may be repeated.",
)
unseen_option = click.option(
    "--require-unseen",
    is_flag=True,
    help="Refuse a result unless it is shown that its system did not see the truth in training.",
)
workspace_option = click.option(
    "--workspace",
    type=PATH,
    default=WORKSPACE,
    show_default=True,
    help="Folder of the site; its database is site/site.db below it.",
)
database_option = click.option(
    "--database",
    "address",
    default=None,
    metavar="URL",
    help="The site's database, where it is another one: postgresql://user@host/name.",
)
quiet_option = click.option("--quiet", is_flag=True, help="Show no progress.")


def force_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--force`: without it no file that is there is written over, which is found out before the command begins."""

    @click.option("--force", is_flag=True, help="Write over a file that is there.")
    @wraps(command)
    def keeping(*args: Any, force: bool, **given: Any) -> None:
        paths.keep_files(click.get_current_context(), force=force)
        command(*args, **given)

    return keeping


def demand_file_or_task(word: str) -> None:
    """Raise `UsageError` for a word that is neither a task's name nor a path."""
    from duologue.core.errors import UsageError, did_you_mean
    from duologue.core.plugins import names

    known = names("tasks")
    if word not in known and not Path(word).exists():
        raise UsageError(f"there is no file '{word}', and no task of that name{did_you_mean(word, known)}")


def refuse(why: str, *names: str) -> None:
    """Raise `UsageError` where options or arguments of these names were given, which do nothing here; `why` not."""
    from duologue.core.errors import UsageError

    context = click.get_current_context()
    given = [
        parameter.opts[0].upper() if isinstance(parameter, click.Argument) else parameter.opts[0]
        for parameter in context.command.params
        if parameter.name in names
        and context.get_parameter_source(parameter.name) is click.core.ParameterSource.COMMANDLINE
        and context.params[parameter.name] is not None
    ]
    if given:
        raise UsageError(f"{why}; leave {', '.join(given)} out")


def refuse_scoring_options() -> None:
    """Raise `UsageError` where an option was given that says how to score, beside scores that are saved already."""
    refuse(
        "a saved report says how it was scored and what its system was trained on",
        *("gold", "data", "variant", "chosen", "samples", "partial", "models"),
    )


class FiniteRange(click.FloatRange):
    """A number within bounds; `nan`, which slips through every bound, and `inf` are refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Raises `click.BadParameter` for none, and for one that is out of bounds."""
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is no number that can be reckoned with.", param, ctx)
        return found


def count_option(
    name: str, text: str, *, default: int | None = None, least: int = 1, required: bool = False
) -> Callable[[Decorated], Decorated]:
    """Return an option that takes a whole number of at least `least`; `text` is its help."""
    kind = CountNumber(min=least)
    if required:  # without a default: click 8.3 and later take None for one, and miss nothing
        return click.option(name, type=kind, required=True, help=text)
    return click.option(name, type=kind, default=default, show_default=True, help=text)


def days_option(default: int, what: str = "the link") -> Callable[[Decorated], Decorated]:
    """Return the option for how many days something lives that lets people in."""
    kind = FiniteRange(min=0.01, max=366)
    return click.option("--days", type=kind, default=default, show_default=True, help=f"How many days {what} lives.")


def workers_option(command: Decorated) -> Decorated:
    """Add the option for the number of processes; without it `workers` is that of the processors."""
    return click.option(
        "--workers",
        type=WholeNumber(1, MAX_PROCESSES),
        default=lambda: min(os.cpu_count() or 1, MAX_PROCESSES),
        help="Processes; the bytes do not depend on it.",
    )(command)


def amount_option(
    name: str, text: str, *, default: float | None = None, limit: float | None = None
) -> Callable[[Decorated], Decorated]:
    """Return an option that takes a number from 0, such as seconds or USD; `text` is its help."""
    return click.option(name, type=FiniteRange(min=0, max=limit), default=default, show_default=True, help=text)


def kb_option(tasks: str) -> Callable[[Decorated], Decorated]:
    """Return the option for the knowledge base; `tasks` are those of the verb that have a use for one, in words."""
    beside = (
        "; of mobilecs/dialogue a catalogue, documents, or a folder of both" if "mobilecs/dialogue" in tasks else ""
    )
    return click.option(
        "--kb",
        "--kg",
        "kb",
        type=PATH,
        default=None,
        help=f"{tasks}: the knowledge base or graph, in its official form (.gz is fine){beside}.",
    )


place_option = click.option(
    "--kb",
    "--kg",
    "--goals",
    "place",
    type=PATH,
    default=None,
    help="conversation, restaurant, spoken: the knowledge base that the talk is set in; mobilecs/dialogue, "
    "proactive: goals with their knowledge (default: built-in ones).",
)
"""Option for what live talks are set in."""


def world_of(task: Task, path: Path | None) -> World | None:
    """Return the task's knowledge base from a file; `None` without a file or for a task that has none."""
    from duologue.core.capabilities import lacking_capability
    from duologue.core.optional_protocols import Grounded

    if path is None:
        return None
    if not isinstance(task, Grounded):
        raise lacking_capability(task.info.name, "Grounded", "leave --kb out")
    return task.world(path)


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress | None]:
    """Show progress on the terminal; where there is none, or with `--quiet`, show nothing."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console.rich_console(err=True), transient=True) as bar:
        rows: dict[str, Any] = {}

        def show(done: int, total: int, what: str) -> None:
            if what not in rows:
                rows[what] = bar.add_task(what, total=total)
            bar.update(rows[what], completed=done, total=total)

        yield show
