"""Annotation over the API: projects with their figures, and sheets to read and save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta
from starlette.concurrency import run_in_threadpool

from duologue.arena.annotation.adjudication import adjudicate, disputed
from duologue.arena.annotation.agreement import annotator_agreement
from duologue.arena.annotation.items import AnnotationItem, pack
from duologue.arena.annotation.leases import next_sheet
from duologue.arena.annotation.measures import measure
from duologue.arena.annotation.progress import progress_of
from duologue.arena.annotation.projects import (
    AnnotationProject,
    find_project,
    list_projects,
    members,
    projects_of,
)
from duologue.arena.annotation.sheets import (
    MAX_VERSIONS,
    Sheet,
    all_work,
    find_sheet,
    find_version,
    save_sheet,
    versions,
)
from duologue.core.records import Record, Turn
from duologue.site.api.operation import Operation, QueryParameter
from duologue.site.page_error import forbidden, not_found

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from duologue.arena.annotation.sheets import OpenSheet
    from duologue.site.api.operation import OperationCall

WORKERS = ("annotator", "organiser")


class AnnotationFigures(Record, frozen=True, kw_only=True):
    """How far a project is, and what suggestions do to its annotators."""

    progress: dict[str, Any]
    suggestions: dict[str, Any]


class LayersAgreed(Record, frozen=True, kw_only=True):
    """How well annotators agree."""

    dialogues: int
    """Dialogues that several people finished."""
    annotators: int
    layers: list[dict[str, Any]]
    """F1 between annotators, with its interval."""
    intents: list[dict[str, Any]]
    """Alpha and kappa of the set of intents of each utterance."""


class NextSheet(Record, frozen=True, kw_only=True):
    """The sheet that somebody goes on with; none where nothing is left."""

    id: str | None


class SheetToEdit(Record, frozen=True, kw_only=True):
    """A sheet with the turns that it is about."""

    sheet: Sheet
    turns: tuple[Turn, ...]


class SheetSave(Record, frozen=True, kw_only=True):
    """Marks to save as the next version."""

    version: Annotated[int, Meta(ge=0)]
    """The version that they were made from."""
    items: list[AnnotationItem]
    active_ms: Annotated[int, Meta(ge=0)] = 0
    done: bool = False


class SavedSheet(Record, frozen=True, kw_only=True):
    """What came of saving."""

    version: int
    aside: bool
    """Kept beside a newer version, which holds."""
    done: bool
    undecided: int
    """Suggestions that nobody has decided on."""
    problems: list[dict[str, Any]]
    """What the task's check finds, each with its utterance."""


class KeptVersion(Record, frozen=True, kw_only=True):
    """One version of a sheet."""

    id: str
    number: int
    aside: bool
    """Saved from a version that was not the last any more."""
    saved_at: int
    items: list[AnnotationItem]


class WantedVersion(Record, frozen=True, kw_only=True):
    """A version that comes back."""

    id: str


class WantedDialogue(Record, frozen=True, kw_only=True):
    """A dialogue by its id in the file."""

    dialogue: str


def operations() -> list[Operation]:
    """Return the operations."""
    one, sheet = "/annotation/projects/{project}", "/annotation/sheets/{id}"
    return [
        Operation(
            "GET", "/annotation/projects", "Projects to annotate", projects, list[AnnotationProject], None, WORKERS
        ),
        Operation("GET", one, "Progress and figures", figures, AnnotationFigures, None, ("organiser",)),
        Operation("GET", f"{one}/agreement", "Agreement by layer", agree, LayersAgreed, None, ("organiser",)),
        Operation("POST", f"{one}/next", "The next dialogue to annotate", give, NextSheet, None, ("annotator",)),
        Operation("GET", sheet, "A sheet with its turns", read_sheet, SheetToEdit, None, WORKERS),
        Operation("POST", sheet, "Save marks as a version", save, SavedSheet, SheetSave, ("annotator",)),
        Operation(
            "GET",
            f"{sheet}/versions",
            f"What was saved of a sheet, the last {MAX_VERSIONS} first",
            kept,
            list[KeptVersion],
            None,
            WORKERS,
            (QueryParameter("before", "A number: the versions before it."),),
        ),
        Operation(
            "POST",
            f"{sheet}/restore",
            "Make an earlier version the last one",
            restore,
            SavedSheet,
            WantedVersion,
            ("annotator",),
        ),
        Operation("GET", f"{one}/disputed", "What annotators differ on", differ, list[dict[str, Any]], None, WORKERS),
        Operation(
            "POST", f"{one}/adjudicate", "Decide on a dialogue", decide, NextSheet, WantedDialogue, ("annotator",)
        ),
    ]


async def projects(call: OperationCall) -> list[AnnotationProject]:
    """Return the projects that somebody has a part in; to organisers all."""
    if call.me.may("organiser"):
        return await call.read(list_projects)
    return await call.read(projects_of, call.me.id)


async def figures(call: OperationCall) -> AnnotationFigures:
    """Return progress and what suggestions do."""

    def read(connection: Connection) -> AnnotationFigures:
        project = find_project(connection, call.at("project"))
        work = all_work(connection, project)
        progress = progress_of(work, members(connection, project))
        return AnnotationFigures(progress=_named(progress), suggestions=_named(measure(work)))

    return await call.read(read)


def _named(found: Any) -> Any:
    """Return named tuples as objects with their names, wherever they stand."""
    if hasattr(found, "_asdict"):
        return {name: _named(one) for name, one in found._asdict().items()}
    return [_named(one) for one in found] if isinstance(found, tuple) else found


async def agree(call: OperationCall) -> LayersAgreed:
    """Return how well annotators agree."""

    def read(connection: Connection) -> LayersAgreed:
        found = annotator_agreement(all_work(connection, find_project(connection, call.at("project"))))
        return LayersAgreed(**_named(found))

    return await call.read(read)


async def give(call: OperationCall) -> NextSheet:
    """Return the sheet that somebody goes on with."""
    project = await call.read(find_project, call.at("project"))
    return NextSheet(id=await run_in_threadpool(next_sheet, call.database, project, call.me.id))


async def differ(call: OperationCall) -> list[dict[str, Any]]:
    """Return what annotators differ on, to adjudicators and organisers."""

    def read(connection: Connection) -> list[dict[str, Any]]:
        project = find_project(connection, call.at("project"))
        if members(connection, project).get(call.me.id) != "adjudicator" and not call.me.may("organiser"):
            raise forbidden()
        return [one._asdict() for one in disputed(all_work(connection, project))]

    return await call.read(read)


async def decide(call: OperationCall) -> NextSheet:
    """Return the sheet on which the caller decides."""
    project, name = await call.read(find_project, call.at("project")), call.body.dialogue
    return NextSheet(id=await run_in_threadpool(adjudicate, call.database, project, name, call.me.id))


async def read_sheet(call: OperationCall) -> SheetToEdit:
    """Return a sheet; somebody else's to organisers alone."""
    found = await _sheet(call)
    return SheetToEdit(sheet=found.sheet, turns=found.dialogue.turns)


async def _sheet(call: OperationCall) -> OpenSheet:
    """Return the sheet of a path. Raises `PageError` for somebody else's, which organisers may read."""
    found = await call.read(find_sheet, call.at("id"))
    if found.sheet.person_id != call.me.id and not call.me.may("organiser"):
        raise forbidden()
    return found


async def kept(call: OperationCall) -> list[KeptVersion]:
    """Return versions, the last first."""
    told = call.asked("before", limit=9)
    before = int(told) if told.isascii() and told.isdigit() else None
    found = await call.read(versions, (await _sheet(call)).sheet.id, before=before)
    return [KeptVersion(**one._asdict()) for one in found]


async def restore(call: OperationCall) -> SavedSheet:
    """Save an earlier version once more."""
    sheet = (await _sheet(call)).sheet
    wanted = await call.read(find_version, sheet.id, call.body.id)
    if wanted is None:
        raise not_found()
    told = await run_in_threadpool(
        save_sheet, call.database, sheet.id, call.me.id, sheet.version, pack(wanted.items), nonce=call.nonce
    )
    return SavedSheet(**told)


async def save(call: OperationCall) -> SavedSheet:
    """Save marks; the same `Idempotency-Key` again does nothing."""
    wanted: SheetSave = call.body
    told = await run_in_threadpool(
        save_sheet,
        call.database,
        call.at("id"),
        call.me.id,
        wanted.version,
        pack(wanted.items),
        active_ms=wanted.active_ms,
        done=wanted.done,
        nonce=call.nonce,
    )
    return SavedSheet(**told)
