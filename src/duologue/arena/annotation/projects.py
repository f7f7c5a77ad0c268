"""Annotation projects: what is annotated, by whom, and how much of it twice or without suggestions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from sqlalchemy import delete, func, insert, select

from duologue.arena.annotation.tables import annotation_dialogues, annotation_members, annotation_projects
from duologue.arena.database.tables import new_id
from duologue.core.annotation import AnnotationScheme  # noqa: TC001 - of a record
from duologue.core.capabilities import lacking_capability
from duologue.core.decoded import as_json
from duologue.core.errors import UsageError, did_you_mean
from duologue.core.optional_protocols import Annotatable
from duologue.core.plugins import load_task
from duologue.core.records import Dialogue, Record
from duologue.core.rng import digest
from duologue.core.typed import decode_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from duologue.arena.database.database import Database

MEMBER_ROLES = ("annotator", "adjudicator")
_YEAR = 366 * 24 * 60
"""Minutes."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class AnnotationProject(Record, frozen=True, kw_only=True):
    """A project as it was made."""

    id: str
    name: str
    task: str
    overlap: float
    """Share of the dialogues that several people annotate."""
    annotators: int
    """How many annotate each of those."""
    unassisted: float
    """Share that somebody annotates without seeing the suggestions: the control group."""
    lease_ms: int
    seed: int
    created_at: int

    @property
    def scheme(self) -> AnnotationScheme:
        """The layers of its task."""
        return annotatable(self.task).scheme


class Imported(NamedTuple):
    """What came of importing dialogues."""

    added: int
    known: int
    """Dialogues that the project had already, with the same words."""


def annotatable(task: str) -> Annotatable:
    """Return a task that people can annotate. Raises `UsageError` for any other."""
    found = load_task(task)
    if not isinstance(found, Annotatable):
        raise lacking_capability(task, "Annotatable")
    return found


def new_project(
    database: Database, name: str, task: str, *, overlap: float = 0.2, annotators: int = 2, unassisted: float = 0.1,
    lease_minutes: float = 120.0, seed: int = 1,
) -> AnnotationProject:  # fmt: skip
    """Make a project. Raises `UsageError` for a name that is taken or none, a task without layers, odd shares."""
    annotatable(task)
    if not _NAME.fullmatch(name):
        raise UsageError(f"'{name}' is no name of a project; small letters, digits, - and _ are, such as calls-2026")
    if not 0 <= overlap <= 1 or not 0 <= unassisted <= 1:
        raise UsageError(f"shares are from 0 to 1, not {overlap:g} and {unassisted:g}")
    if annotators < 2 or lease_minutes <= 0:
        raise UsageError("it takes two annotators for an overlap, and a lease of more than 0 minutes")
    if not lease_minutes <= _YEAR:
        raise UsageError(f"a lease of {lease_minutes:g} minutes is asked for; it is at most {_YEAR:,}, a year")
    made = AnnotationProject(
        id=new_id(), name=name, task=task, overlap=overlap, annotators=annotators, unassisted=unassisted,
        lease_ms=round(lease_minutes * 60_000), seed=seed, created_at=database.now(),
    )  # fmt: skip

    def action(connection: Connection) -> None:
        columns = annotation_projects.c
        if connection.execute(select(columns.id).where(columns.name == name)).first():
            raise UsageError(f"there is a project '{name}' already")
        connection.execute(insert(annotation_projects).values(msgspec.to_builtins(made)))

    database.write(action)
    return made


def list_projects(connection: Connection) -> list[AnnotationProject]:
    """Return all projects by name."""
    rows = connection.execute(select(annotation_projects).order_by(annotation_projects.c.name)).mappings()
    return [AnnotationProject(**row) for row in rows]


def find_project(connection: Connection, name: str) -> AnnotationProject:
    """Return a project. Raises `UsageError` where there is none of that name."""
    known = list_projects(connection)
    for one in known:
        if one.name == name:
            return one
    raise UsageError(f"there is no project '{name}'{did_you_mean(name, [one.name for one in known])}")


def import_dialogues(database: Database, project: AnnotationProject, dialogues: Sequence[Dialogue]) -> Imported:
    """Add dialogues in their order; those that are there already stay as they are.

    Which of them several people annotate, and which one without suggestions, is drawn by the project's seed so that
    the shares hold for all dialogues. Raises `UsageError` for a known id with other words.
    """

    def action(connection: Connection) -> list[int]:
        columns = annotation_dialogues.c
        rows = connection.execute(select(annotation_dialogues).where(columns.project_id == project.id)).mappings().all()
        known = {row["name"]: read_dialogue(row["content"]) for row in rows}
        fresh = {one.id: one for one in dialogues if one.id not in known}
        for one in dialogues:
            before = known.get(one.id) or fresh[one.id]
            if [turn.text for turn in before.turns] != [turn.text for turn in one.turns]:
                raise UsageError(f"dialogue '{one.id}' is given twice with different words; give it another id")
        total = len(rows) + len(fresh)
        several = _drawn(project, "overlap", fresh, round(project.overlap * total) - sum(r["wanted"] > 1 for r in rows))
        alone = _drawn(project, "control", fresh, round(project.unassisted * total) - sum(r["control"] for r in rows))
        for position, (name, one) in enumerate(fresh.items(), start=len(rows)):
            values = {"id": new_id(), "project_id": project.id, "position": position, "name": name}
            values |= {"content": as_json(one, f"dialogue '{name}'").decode(), "control": name in alone}
            values |= {"wanted": project.annotators if name in several else 1, "suggested": None}
            connection.execute(insert(annotation_dialogues).values(values))
        return [len(fresh), len(dialogues) - len(fresh)]

    return Imported(*database.write(action))


def _drawn(project: AnnotationProject, part: str, names: dict[str, Dialogue], count: int) -> set[str]:
    """Return so many of the names, by a hash of seed, part and name."""
    ordered = sorted(names, key=lambda name: digest(project.seed, part, name))
    return set(ordered[: max(0, count)])


def read_dialogue(content: str) -> Dialogue:
    """Return a dialogue as the database keeps it."""
    return decode_json(content, Dialogue)


def add_members(database: Database, project: AnnotationProject, people: Sequence[str], role: str) -> None:
    """Let people annotate, or adjudicate; whoever had another part in the project has this one now."""
    if role not in MEMBER_ROLES:
        raise UsageError(f"'{role}' is no part in a project; {' and '.join(MEMBER_ROLES)} are")

    def action(connection: Connection) -> None:
        columns = annotation_members.c
        for person in dict.fromkeys(people):
            there = (columns.project_id == project.id) & (columns.person_id == person)
            connection.execute(delete(annotation_members).where(there))
            values = {"project_id": project.id, "person_id": person, "role": role}
            connection.execute(insert(annotation_members).values(values))

    database.write(action)


def members(connection: Connection, project: AnnotationProject) -> dict[str, str]:
    """Return by person the part that they have."""
    columns = annotation_members.c
    query = select(columns.person_id, columns.role).where(columns.project_id == project.id).order_by(columns.person_id)
    return {row.person_id: row.role for row in connection.execute(query)}


def projects_of(connection: Connection, person: str) -> list[AnnotationProject]:
    """Return the projects that a person has a part in, by name."""
    query = select(annotation_members.c.project_id).where(annotation_members.c.person_id == person)
    mine = set(connection.execute(query).scalars())
    return [one for one in list_projects(connection) if one.id in mine]


def dialogues_in(connection: Connection, project: AnnotationProject) -> int:
    """Return how many dialogues a project has."""
    query = select(func.count()).where(annotation_dialogues.c.project_id == project.id)
    return connection.execute(query).scalar_one()
