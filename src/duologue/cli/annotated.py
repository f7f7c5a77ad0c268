"""`duologue annotate status`, `agreement`, `adjudicate` and `export`: what came of annotation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from duologue.cli.annotate import project_argument
from duologue.core.amounts import amount
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.annotation.items import ItemState
    from duologue.arena.annotation.measures import EstimatedDifference


@click.command()
@click.argument("project", metavar="[PROJECT]", required=False)
@options.json_option
@options.workspace_option
@options.database_option
def status(*, project: str | None, as_json: bool, workspace: Path, address: str | None) -> None:
    """Tell what is done of PROJECT, by whom, and what suggestions do to those who see them; or list all projects.

    Anchoring is how much closer to the suggestions people end who see them than the control group who does not, as a
    difference of F1, with its 95 % interval.

    \b
    Examples:
      duologue annotate status
      duologue annotate status calls --json
    """
    from duologue.arena.annotation.measures import measure
    from duologue.arena.annotation.progress import progress_of
    from duologue.arena.annotation.projects import dialogues_in, find_project, list_projects, members
    from duologue.arena.annotation.sheets import all_work
    from duologue.arena.people.people import list_people
    from duologue.arena.storage import open_database

    with open_database(workspace, address) as database, database.reading() as connection:
        if project is None:
            known = [(one, dialogues_in(connection, one)) for one in list_projects(connection)]
            if as_json:
                console.as_json([{"name": one.name, "task": one.task, "dialogues": n} for one, n in known])
            for one, n in () if as_json else known:
                console.line(f"{one.name}: {one.task}, {amount(n, 'dialogue')}")
            if not known and not as_json:
                console.line("there is no project; `duologue annotate new TASK PROJECT` begins one")
            return
        found = find_project(connection, project)
        work = all_work(connection, found)
        progress = progress_of(work, members(connection, found))
        names = {one.id: one.name for one in list_people(connection)}
    measured = measure(work)
    if as_json:
        people = [one._asdict() for one in progress.people]
        told: dict[str, Any] = measured._asdict()
        told |= {name: one._asdict() for name, one in told.items() if hasattr(one, "_asdict")}
        console.as_json({"progress": {**progress._asdict(), "people": people}, "suggestions": told})
        return
    console.line(
        f"{progress.finished:,} of {amount(progress.dialogues, 'dialogue')} finished, {progress.begun:,} begun",
        bold=True,
    )
    console.line(
        f"{progress.several:,} are annotated by several people, {progress.control:,} are in the control group, "
        f"{progress.suggested:,} have suggestions, {progress.adjudicated:,} are adjudicated"
    )
    for person in progress.people:
        spent = f"{person.seconds / 60:.1f} min"
        who = names.get(person.person) or person.person
        console.line(f"  {who}, {person.role}: {person.done:,} done, {person.open:,} open, {spent}")
    console.line(f"Suggestions, in {measured.assisted:,} finished annotations of people who saw them", bold=True)
    words: dict[ItemState, str] = {"confirmed": "kept", "changed": "changed", "removed": "removed"}
    for state, word in words.items():
        share = measured.share(state)
        console.line(f"  {word}: {measured.states[state]:,}" + (f" ({share:.1%})" if share is not None else ""))
    console.line(f"  added beside them: {measured.states['added']:,}")
    console.line(f"  time per utterance, with by without: {_told(measured.time_ratio)}")
    console.line(f"  anchoring, of different dialogues: {_told(measured.anchoring)}")
    console.line(f"  anchoring, within dialogues: {_told(measured.anchoring_paired)}")


def _told(one: EstimatedDifference) -> str:
    if one.value is None:
        return one.why
    interval = f" [{one.low:.3f}, {one.high:.3f}]" if one.low is not None and one.high is not None else f" ({one.why})"
    return f"{one.value:.3f}{interval}"


@click.command()
@project_argument
@options.json_option
@options.workspace_option
@options.database_option
def agreement(*, project: str, as_json: bool, workspace: Path, address: str | None) -> None:
    """Tell how well the annotators of PROJECT agree, layer by layer, where several finished the same dialogue.

    F1 is between annotators, pooled over pairs, with 95 % intervals over dialogues; entities are matched by their
    mentions first. Alpha and kappa are of the set of intents of each utterance.

    \b
    Examples:
      duologue annotate agreement calls
      duologue annotate agreement calls --json
    """
    from duologue.arena.annotation.agreement import annotator_agreement
    from duologue.arena.annotation.projects import find_project
    from duologue.arena.annotation.sheets import all_work
    from duologue.arena.storage import open_database

    with open_database(workspace, address) as database, database.reading() as connection:
        found = annotator_agreement(all_work(connection, find_project(connection, project)))
    if as_json:
        layers = [one._asdict() for one in found.layers]
        intents = [one._asdict() for one in found.intents]
        console.as_json({**found._asdict(), "layers": layers, "intents": intents})
        return
    console.line(
        f"{amount(found.dialogues, 'dialogue')} that several of {amount(found.annotators, 'annotator')} finished",
        bold=True,
    )
    for one in found.layers:
        if one.value is None:
            console.line(f"  {one.layer}: nothing to compare")
            continue
        ends = f" [{one.low:.3f}, {one.high:.3f}]" if one.low is not None and one.high is not None else ""
        console.line(f"  {one.layer}: F1 {one.value:.3f}{ends}, {one.shared:,} of {one.either:,.1f} shared")
    for coefficient in found.intents:
        if coefficient.value is None:
            console.line(f"  intents, {coefficient.name}: {coefficient.why}")
            continue
        low, high = coefficient.low, coefficient.high
        ends = f" [{low:.3f}, {high:.3f}]" if low is not None and high is not None else f" ({coefficient.why})"
        console.line(f"  intents, {coefficient.name}: {coefficient.value:.3f}{ends}")


@click.command()
@project_argument
@options.json_option
@options.workspace_option
@options.database_option
def adjudicate(*, project: str, as_json: bool, workspace: Path, address: str | None) -> None:
    """List the dialogues of PROJECT that several people annotated: those that wait first, most disagreement first.

    A third person decides on the site: what all marked is confirmed already, the rest is shown with who marked it.

    \b
    Examples:
      duologue annotate adjudicate calls
    """
    from duologue.arena.annotation.adjudication import disputed
    from duologue.arena.annotation.projects import find_project
    from duologue.arena.annotation.sheets import all_work
    from duologue.arena.storage import open_database

    with open_database(workspace, address) as database, database.reading() as connection:
        found = disputed(all_work(connection, find_project(connection, project)))
    if as_json:
        console.as_json([one._asdict() for one in found])
        return
    if not found:
        console.line("no dialogue was finished by several people")
    for one in found:
        console.line(
            f"{one.dialogue}: {amount(one.differing, 'mark differs', 'marks differ')}, "
            f"{one.agreed:,} agree, {one.status}"
        )


@click.command()
@project_argument
@click.option("--out", type=options.OUT_FILE, required=True, help="The official file to write.")
@options.force_option
@click.option("--by", default=None, metavar="NAME", help="What this person annotated, and nothing else.")
@options.workspace_option
@options.database_option
def export(*, project: str, out: Path, by: str | None, workspace: Path, address: str | None) -> None:
    """Write the finished annotation of PROJECT in the official form of its task.

    A dialogue is written as adjudicated, as all its annotators agree, or as the only one says. Those that several
    differ on are left out until somebody has decided. Turns that were annotated when they came in and that nobody
    changed stay byte for byte.

    \b
    Examples:
      duologue annotate export calls --out annotated.json
      duologue annotate export calls --out anna.json --by Anna
    """
    from duologue.arena.annotation.annotators import find_annotator
    from duologue.arena.annotation.export import export as write_export
    from duologue.arena.annotation.projects import find_project
    from duologue.arena.storage import open_database

    with open_database(workspace, address) as database:
        with database.reading() as connection:
            found = find_project(connection, project)
            person = None if by is None else find_annotator(connection, by)
        made = write_export(database, found, out, person=person)
    console.line(f"{amount(made.written, 'dialogue')} in {out}")
    console.line(f"  adjudicated {made.adjudicated:,}, all agree {made.agreed:,}, one annotator {made.single:,}")
    if made.disputed:
        console.line(f"  left out, as people differ: {len(made.disputed):,} (`duologue annotate adjudicate {project}`)")
    if made.unfinished:
        console.line(f"  left out, as nobody has finished: {len(made.unfinished):,}")
