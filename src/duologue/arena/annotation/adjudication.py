"""Adjudication: a third person decides where annotators differ, with what all of them marked confirmed already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from sqlalchemy import insert, select

from duologue.arena.annotation.alignment import align, highest, renamed
from duologue.arena.annotation.items import pack
from duologue.arena.annotation.projects import members
from duologue.arena.annotation.sheets import all_work
from duologue.arena.annotation.tables import annotation_dialogues, annotation_sheets
from duologue.arena.database.tables import new_id
from duologue.core.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from duologue.arena.annotation.items import AnnotationItem
    from duologue.arena.annotation.projects import AnnotationProject
    from duologue.arena.annotation.sheets import DialogueWork
    from duologue.arena.database.database import Database


class Disputed(NamedTuple):
    """A dialogue that several people annotated."""

    dialogue: str
    """Its id in the file."""
    annotators: int
    agreed: int
    """Marks that all of them have."""
    differing: int
    """Marks that some of them have."""
    status: str
    """`waiting`, `open` (somebody adjudicates), `done`, or `agreed`, where nothing differs."""


def disputed(work: Sequence[DialogueWork]) -> list[Disputed]:
    """Return the dialogues that several people finished: those that wait first, most disagreement before less."""
    found = []
    for one in work:
        if len(one.done()) > 1:
            merged = merge([sheet.items for sheet in one.done()], "ent-")
            differing = sum(not item.confirmed for item in merged)
            sheets = [sheet for sheet in one.sheets if sheet.role == "adjudicator"]
            status = "waiting" if differing else "agreed"
            if sheets:
                status = "done" if one.done("adjudicator") else "open"
            found.append(Disputed(one.name, len(one.done()), len(merged) - differing, differing, status))
    order = ("waiting", "open", "done", "agreed")
    return sorted(found, key=lambda one: (order.index(one.status), -one.differing, one.dialogue))


def merge(sheets: Sequence[Sequence[AnnotationItem]], prefix: str) -> list[AnnotationItem]:
    """Return all that any of the annotators marked, once each: confirmed where all did, else suggested by some.

    Entities are those of the first annotator; what others call otherwise is renamed by shared mentions. `by` says who
    marked it, as A, B, ... in the order of the sheets. Items are in the order of the text.
    """
    known: list[AnnotationItem] = []
    said: dict[tuple[object, ...], list[str]] = {}
    for place, items in enumerate(sheets):
        own = list(items)
        if place:
            own = renamed(own, align(own, known), prefix, taken=highest(known, prefix))
        for one in own:
            who = said.setdefault(one.content, [])
            if not who:
                known.append(one)
            letter = chr(ord("A") + place)
            if letter not in who:
                who.append(letter)
    ordered = sorted(known, key=lambda one: (one.turn, one.layer, one.start, one.end))  # intents as they came
    return [
        msgspec.structs.replace(
            one, id=f"d{number}", by=tuple(said[one.content]), confirmed=len(said[one.content]) == len(sheets)
        )
        for number, one in enumerate(ordered, 1)
    ]


def adjudicate(database: Database, project: AnnotationProject, dialogue: str, person: str) -> str:
    """Return the sheet of a person who adjudicates a dialogue, made of what the annotators marked.

    Raises `UsageError` for a dialogue that fewer than two finished, or that somebody else adjudicates, and for a
    person who has annotated it.
    """

    def action(connection: Connection) -> str:
        if members(connection, project).get(person) != "adjudicator":
            raise UsageError(
                f"this person does not adjudicate in '{project.name}'; "
                f"`duologue annotate assign {project.name} --adjudicator NAME`"
            )
        one = next(iter(all_work(connection, project, dialogue)), None)  # everybody's saves wait meanwhile
        if one is None:
            at = annotation_dialogues.c
            known = connection.execute(select(at.name).where(at.project_id == project.id)).scalars().all()
            raise UsageError(f"'{project.name}' has no dialogue '{dialogue}'{did_you_mean(dialogue, known)}")
        for sheet in one.sheets:
            if sheet.person_id == person and sheet.role == "annotator":
                raise UsageError("whoever annotated a dialogue does not adjudicate it; a third person does")
            if sheet.role == "adjudicator":
                if sheet.person_id != person:
                    raise UsageError(f"dialogue '{dialogue}' is adjudicated by somebody else")
                return sheet.id
        if len(one.done()) < 2:
            raise UsageError(f"dialogue '{dialogue}' was finished by {len(one.done())}; adjudication takes two")
        rows = pack(merge([sheet.items for sheet in one.done()], project.scheme.entity_prefix))
        now, name = database.now(), new_id()
        values: dict[str, Any] = {
            "id": name,
            "dialogue_id": one.id,
            "person_id": person,
            "role": "adjudicator",
            "status": "open",
        }
        values |= {"assisted": True, "suggested": rows, "suggested_by": "annotators", "items": rows, "version": 0}
        times = {"active_ms": 0, "leased_until": now + project.lease_ms, "started_at": now, "saved_at": now}
        connection.execute(insert(annotation_sheets).values({**values, **times}))
        return name

    return database.write(action)
