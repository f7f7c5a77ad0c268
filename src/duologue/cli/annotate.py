"""`duologue annotate`: people annotate dialogues; projects, suggestions and who does what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.cli.lazy_group import LazyGroup
from duologue.core.amounts import amount
from duologue.core.errors import DuologueError, UsageError
from duologue.terminal import console, options

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from duologue.core.records import Dialogue

_COMMANDS = {
    "Projects": {
        "new": ("duologue.cli.annotate:new", "Begin a project: what is annotated, and how much of it twice."),
        "import": ("duologue.cli.annotate:import_files", "Add dialogues, or annotation that somebody made elsewhere."),
        "suggest": ("duologue.cli.annotate:suggest", "Let a system or a file suggest annotation beforehand."),
        "assign": ("duologue.cli.annotate:assign", "Let people annotate or adjudicate, each by a link."),
    },
    "Results": {
        "status": ("duologue.cli.annotated:status", "Tell what is done, and what suggestions do to annotators."),
        "agreement": ("duologue.cli.annotated:agreement", "Tell how well annotators agree, layer by layer."),
        "adjudicate": ("duologue.cli.annotated:adjudicate", "List what annotators differ on, most of it first."),
        "export": ("duologue.cli.annotated:export", "Write finished annotation in the official form."),
    },
}


@click.group(cls=LazyGroup, sections=_COMMANDS, prefix="annotate.")
def annotate() -> None:
    """Annotate dialogues: entities with coreference, slots and intents, by the guideline of their task.

    What is suggested is never taken for confirmed: a dialogue is finished when a person has decided on every mark and
    the task's own check finds no error.

    \b
    Examples:
      duologue annotate new mobilecs/extraction calls
      duologue annotate import calls march.json
      duologue annotate suggest calls --system extractor-model
      duologue annotate assign calls --to Anna --to Ben --adjudicator Cleo
      duologue site
      duologue annotate export calls --out annotated.json
    """


project_argument = click.argument("project", metavar="PROJECT")


@click.command()
@options.task_argument
@project_argument
@options.amount_option("--overlap", "Share of the dialogues that several people annotate.", default=0.2, limit=1)
@options.count_option("--annotators", "How many annotate each of those.", default=2, least=2)
@options.amount_option("--unassisted", "Share that somebody annotates without suggestions.", default=0.1, limit=1)
@options.count_option("--lease", "Minutes after which a dialogue that nobody works on goes to others.", default=120)
@options.seed_option
@options.workspace_option
@options.database_option
def new(
    *, task: str, project: str, overlap: float, annotators: int, unassisted: float, lease: int, seed: int,
    workspace: Path, address: str | None,
) -> None:  # fmt: skip
    """Begin the annotation PROJECT for dialogues of TASK.

    The seed draws which dialogues several people annotate, for their agreement, and which somebody annotates without
    seeing suggestions: that control group shows what suggestions do.

    \b
    Examples:
      duologue annotate new mobilecs/extraction calls
      duologue annotate new mobilecs/extraction calls --overlap 1 --annotators 3 --unassisted 0
    """
    from duologue.arena.annotation.projects import new_project
    from duologue.arena.storage import open_database

    with open_database(workspace, address) as database:
        new_project(
            database, project, task, overlap=overlap, annotators=annotators, unassisted=unassisted,
            lease_minutes=lease, seed=seed,
        )  # fmt: skip
    console.line(f"project '{project}' is there; `duologue annotate import {project} FILE` adds dialogues")


@click.command(name="import")
@project_argument
@click.argument("files", type=options.PATH, nargs=-1, required=True)
@click.option("--by", default=None, metavar="NAME", help="Take the annotation in FILES as this person's, finished.")
@click.option(
    "--keep-personal-data", is_flag=True, help="Store what looks like personal data; annotators read it as it stands."
)
@options.workspace_option
@options.database_option
def import_files(
    *, project: str, files: tuple[Path, ...], by: str | None, keep_personal_data: bool,
    workspace: Path, address: str | None,
) -> None:  # fmt: skip
    """Add the dialogues of FILES to PROJECT: official files of the task, such as `duologue data import calls` writes.

    Annotation that they hold is not shown to annotators. With --by it is taken over as what a person has annotated;
    what the task's check finds an error in stays open. Texts stay as they are, since annotation has places in them:
    files with what looks like personal data are refused, and `duologue data import calls` replaces it before anything
    is annotated.

    \b
    Examples:
      duologue annotate import calls march.json april.json
      duologue annotate import calls annotated-by-anna.json --by Anna
      duologue annotate import calls made-up.json --keep-personal-data
    """
    from duologue.arena.annotation.annotators import invite
    from duologue.arena.annotation.items import items_of
    from duologue.arena.annotation.projects import add_members, annotatable, find_project, import_dialogues, members
    from duologue.arena.annotation.sheets import record_sheet
    from duologue.arena.storage import open_database

    with open_database(workspace, address) as database:
        with database.reading() as connection:
            found = find_project(connection, project)
        task = annotatable(found.task)
        dialogues = [one for path in files for one in task.read_annotated(path)]
        _look_for_personal_data(dialogues, keep=keep_personal_data)
        added, known = import_dialogues(database, found, dialogues)
        console.line(f"{amount(added, 'dialogue is', 'dialogues are')} new in '{project}', {known:,} were there")
        if by is None:
            return
        (person,) = invite(database, found, [by], links="none")
        with database.reading() as connection:
            part = members(connection, found).get(person.id)
        if part is None:
            add_members(database, found, [person.id], "annotator")
        done = sum(
            record_sheet(database, found, person.id, one, items_of(one, "i", confirmed=True)) for one in dialogues
        )
        console.line(
            f"{by} has annotated {done:,} of them; {len(dialogues) - done:,} are open, as the check finds errors"
        )


def _look_for_personal_data(dialogues: Iterable[Dialogue], *, keep: bool) -> None:
    """Refuse utterances that hold what looks like personal data, or tell how many there are where they are kept."""
    from duologue.text.anonymiser import Anonymiser
    from duologue.text.personal.spans import PATTERN_KINDS

    anonymiser = Anonymiser(kinds=PATTERN_KINDS)
    for dialogue in dialogues:
        one = anonymiser.dialogue()
        for turn in dialogue.turns:
            one.text(turn.text)
    found = anonymiser.replaced()
    if not found.changed:
        return
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in found.counts.items())
    holds = amount(found.changed, "utterance holds", "utterances hold")
    told = f"{holds} what looks like personal data ({kinds}), and annotators read them"
    if not keep:
        raise DuologueError(
            f"{told}; nothing was stored. `duologue data import calls` replaces it before anything is annotated; where "
            "it is made up, or everybody who is in it agreed, --keep-personal-data stores it"
        )
    console.remark(f"{told}: it was kept, as --keep-personal-data says")


@click.command()
@project_argument
@click.argument("result", type=options.PATH, required=False, metavar="[RESULT]")
@click.option("--system", "name", default=None, help="A system's name (duologue list) or the folder of a model.")
@click.option("--annotated", type=options.PATH, default=None, help="An annotated official file; intents too.")
@options.recipe_option
@options.set_option
@options.seed_option
@options.quiet_option
@options.workspace_option
@options.database_option
def suggest(
    *, project: str, result: Path | None, name: str | None, annotated: Path | None, recipe: Path | None,
    overrides: tuple[str, ...], seed: int, quiet: bool, workspace: Path, address: str | None,
) -> None:  # fmt: skip
    """Suggest annotation for the dialogues of PROJECT: of a RESULT file, a --system, or an --annotated file.

    People who get a dialogue from now on see the suggestions hatched, and decide on each; those of the control group
    do not see them. Dialogues that somebody has begun stay as they are. A system sees the bare words alone.

    \b
    Examples:
      duologue annotate suggest calls --system extractor-model
      duologue annotate suggest calls --system process --set command="python my_tagger.py"
      duologue annotate suggest calls march.pred.json
      duologue annotate suggest calls --annotated older.json
    """
    from duologue.arena.annotation.projects import find_project
    from duologue.arena.annotation.suggestions import suggest_by_annotation, suggest_by_result, suggest_by_system
    from duologue.arena.storage import open_database

    if sum(one is not None for one in (result, name, annotated)) != 1:
        raise UsageError("give one of RESULT, --system and --annotated")
    if name is None and (recipe is not None or overrides):
        raise UsageError("--recipe and --set go with --system")
    with open_database(workspace, address) as database:
        with database.reading() as connection:
            found = find_project(connection, project)
        if name is not None:
            with options.progress_bar(quiet=quiet) as progress:
                made = suggest_by_system(database, found, name, recipe, overrides, seed=seed, progress=progress)
        elif result is not None:
            made = suggest_by_result(database, found, result)
        else:
            assert annotated is not None
            made = suggest_by_annotation(database, found, annotated)
    console.line(
        f"{amount(made.items, 'mark is', 'marks are')} suggested in {amount(made.dialogues, 'dialogue')}; "
        f"{made.lacking:,} have none"
    )


@click.command()
@project_argument
@click.option("--to", multiple=True, metavar="NAME", help="Who annotates: a name or an id; may be repeated.")
@click.option("--adjudicator", multiple=True, metavar="NAME", help="Who decides where annotators differ; repeatable.")
@options.count_option("--count", "Dialogues that each gets at once.", default=0, least=0)
@click.option("--link", is_flag=True, help="Make new links for people who are known already, too.")
@options.workspace_option
@options.database_option
def assign(
    *, project: str, to: tuple[str, ...], adjudicator: tuple[str, ...], count: int, link: bool,
    workspace: Path, address: str | None,
) -> None:  # fmt: skip
    """Let people annotate or adjudicate in PROJECT, and print a link for each who is new.

    Dialogues are given out one by one, when somebody asks for the next; with --count so many at once. A dialogue goes
    to others when its lease runs out, and what was saved stays.

    \b
    Examples:
      duologue annotate assign calls --to Anna --to Ben --adjudicator Cleo
      duologue annotate assign calls --to Anna --count 20
    """
    from duologue.arena.annotation.annotators import invite
    from duologue.arena.annotation.leases import give_out
    from duologue.arena.annotation.projects import add_members, find_project
    from duologue.arena.storage import open_database

    if not to and not adjudicator:
        raise UsageError("give --to NAME or --adjudicator NAME")
    with open_database(workspace, address) as database:
        with database.reading() as connection:
            found = find_project(connection, project)
        for role, words in (("annotator", to), ("adjudicator", adjudicator)):
            for person in invite(database, found, words, links="all" if link else "new"):
                add_members(database, found, [person.id], role)
                way = f"; link: {person.path}" if person.path else ""
                console.line(f"{person.name} ({person.id}), {role}{way}")
                if role == "annotator" and count:
                    console.line(f"  has {amount(give_out(database, found, person.id, count), 'dialogue')} more")
