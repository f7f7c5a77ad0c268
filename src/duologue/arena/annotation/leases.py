"""Giving out dialogues: each to as many people as it wants, for a time, with or without suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select, update

from duologue.arena.annotation.projects import members
from duologue.arena.annotation.tables import annotation_dialogues, annotation_sheets
from duologue.arena.database.tables import new_id
from duologue.core.errors import UsageError
from duologue.core.rng import digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from duologue.arena.annotation.projects import AnnotationProject
    from duologue.arena.database.database import Database


def next_sheet(database: Database, project: AnnotationProject, person: str) -> str | None:
    """Return the sheet that a person goes on with or gets now; `None` when nothing is left for them.

    A lease that has run out frees its place for others; what was saved stays, and its owner may still go on. Raises
    `UsageError` for somebody who does not annotate in the project.
    """

    def action(connection: Connection) -> str | None:
        _expect_annotator(connection, project, person)
        now = database.now()
        sheets = annotation_sheets.c
        query = select(annotation_sheets.c.id).join(annotation_dialogues)
        mine = query.where(annotation_dialogues.c.project_id == project.id, sheets.person_id == person)
        own = mine.where(sheets.status == "open", sheets.role == "annotator").order_by(sheets.started_at, sheets.id)
        found: str | None = connection.execute(own).scalars().first()
        if found is None:
            row = _free(connection, project, person, now)
            return None if row is None else _give(connection, project, row, person, now)
        renewed = update(annotation_sheets).where(sheets.id == found).values(leased_until=now + project.lease_ms)
        connection.execute(renewed)
        return found

    return database.write(action)


def give_out(database: Database, project: AnnotationProject, person: str, count: int) -> int:
    """Lease up to so many dialogues to a person now and return how many there were."""

    def action(connection: Connection) -> int:
        _expect_annotator(connection, project, person)
        now = database.now()
        for given in range(count):
            row = _free(connection, project, person, now)
            if row is None:
                return given
            _give(connection, project, row, person, now)
        return count

    return database.write(action)


def _expect_annotator(connection: Connection, project: AnnotationProject, person: str) -> None:
    if members(connection, project).get(person) != "annotator":
        raise UsageError(
            f"this person does not annotate in '{project.name}'; `duologue annotate assign {project.name} --to NAME`"
        )


def _free(connection: Connection, project: AnnotationProject, person: str, now: int) -> Mapping[Any, Any] | None:
    """Return the first dialogue that wants somebody and that the person has not had."""
    dialogues, sheets = annotation_dialogues.c, annotation_sheets.c
    ours = (sheets.dialogue_id == dialogues.id) & (sheets.role == "annotator")
    active = (sheets.status == "done") | (sheets.leased_until > now)
    taken = select(func.count()).where(ours, active).scalar_subquery()
    had = select(sheets.id).where(sheets.dialogue_id == dialogues.id, sheets.person_id == person).exists()
    query = select(annotation_dialogues).where(dialogues.project_id == project.id, taken < dialogues.wanted, ~had)
    return connection.execute(query.order_by(dialogues.position).limit(1)).mappings().first()


def _give(connection: Connection, project: AnnotationProject, row: Mapping[Any, Any], person: str, now: int) -> str:
    """Make the sheet of a person. In the control group one of those who annotate a dialogue sees no suggestions."""
    sheets = annotation_sheets.c
    before = connection.execute(
        select(func.count()).where(sheets.dialogue_id == row["id"], sheets.role == "annotator")
    ).scalar_one()
    place = digest(project.seed, "unassisted", row["name"])[0] % row["wanted"]
    assisted = row["suggested"] is not None and not (row["control"] and before % row["wanted"] == place)
    name = new_id()
    connection.execute(
        insert(annotation_sheets).values(
            id=name,
            dialogue_id=row["id"],
            person_id=person,
            role="annotator",
            status="open",
            assisted=assisted,
            suggested=row["suggested"] or [],
            suggested_by=row["suggested_by"],
            items=(row["suggested"] or []) if assisted else [],
            version=0,
            active_ms=0,
            leased_until=now + project.lease_ms,
            started_at=now,
            saved_at=now,
        )
    )
    return name
