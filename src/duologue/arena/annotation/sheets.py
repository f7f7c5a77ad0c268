"""One person's annotation of one dialogue: opened, saved as versions, of which old ones are thinned, finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import delete, func, insert, or_, select, update

from duologue.arena.annotation.items import AnnotationItem, annotated, pack, read_items, undecided, unpack
from duologue.arena.annotation.projects import AnnotationProject, annotatable, read_dialogue
from duologue.arena.annotation.tables import (
    annotation_dialogues,
    annotation_projects,
    annotation_sheets,
    annotation_versions,
)
from duologue.arena.database.tables import new_id
from duologue.core.errors import RequestError, UsageError
from duologue.core.records import Dialogue, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Select

    from duologue.arena.database.database import Database
    from duologue.core.annotation import PlacedProblem

MAX_VERSIONS = 100
"""Versions that are given at once with all their marks."""
_THINNED = ((100, 10), (1_000, 100))
"""Of versions that are so many saves old, each so manieth is kept."""
_OLDEST = 10_000
"""Saves after which a version is not kept at all, unless it is the first."""
LONGEST_STEP_MS = 30 * 60 * 1000
"""Work between two saves that is believed at most."""


class Sheet(Record, frozen=True, kw_only=True):
    """One person's annotation of one dialogue as it is now."""

    id: str
    dialogue_id: str
    person_id: str
    role: str
    status: str
    assisted: bool
    """Whether the suggestions were shown."""
    suggested: list[AnnotationItem]
    """What was suggested when the dialogue was given out, shown or not."""
    suggested_by: str | None
    """Which system or file suggested it; `None`: nothing was suggested."""
    items: list[AnnotationItem]
    version: int
    """How often it was saved."""
    active_ms: int
    leased_until: int
    started_at: int
    saved_at: int
    done_at: int | None = None

    @property
    def shown(self) -> list[AnnotationItem]:
        """The suggestions that the person saw."""
        return self.suggested if self.assisted else []


class OpenSheet(NamedTuple):
    """A sheet with what it is about."""

    sheet: Sheet
    dialogue: Dialogue
    """Without annotation."""
    project: AnnotationProject


class SavedVersion(NamedTuple):
    """One version that was saved."""

    id: str
    number: int
    aside: bool
    """Saved from a version that was not the last any more."""
    items: list[AnnotationItem]
    saved_at: int


class ListedVersion(NamedTuple):
    """One version that was saved, in a list."""

    id: str
    number: int
    aside: bool
    marks: int
    """How many it has."""
    saved_at: int


def find_sheet(connection: Connection, sheet_id: str) -> OpenSheet:
    """Return a sheet with its dialogue and project. Raises `UsageError` where there is none."""
    row = connection.execute(select(annotation_sheets).where(annotation_sheets.c.id == sheet_id)).mappings().first()
    if row is None:
        raise UsageError(f"there is no sheet '{sheet_id[:40]}'")
    dialogues = annotation_dialogues.c
    columns = select(dialogues.content, annotation_projects).join(annotation_projects)
    found = dict(connection.execute(columns.where(dialogues.id == row["dialogue_id"])).mappings().one())
    dialogue = bare(read_dialogue(found.pop("content")))
    return OpenSheet(sheet_of(row), dialogue, AnnotationProject(**found))


def sheet_of(row: Mapping[Any, Any]) -> Sheet:
    """Return the sheet of a row."""
    values: dict[str, Any] = {str(key): value for key, value in row.items()}
    return Sheet(**values | {"suggested": unpack(row["suggested"]), "items": unpack(row["items"])})


def bare(dialogue: Dialogue) -> Dialogue:
    """Return a dialogue without the annotation of its turns; its source stays."""
    turns = tuple(type(turn)(speaker=turn.speaker, text=turn.text, meta=turn.meta) for turn in dialogue.turns)
    return Dialogue(id=dialogue.id, turns=turns, meta=dialogue.meta, source=dialogue.source)


def check_items(project: AnnotationProject, dialogue: Dialogue, items: Sequence[AnnotationItem]) -> list[PlacedProblem]:
    """Return all problems of an annotation, by the task's own check."""
    return list(annotatable(project.task).check_annotation(annotated(dialogue, items)))


def save_sheet(
    database: Database, sheet_id: str, person: str, base: int, given: Any, *,
    active_ms: int = 0, done: bool = False, nonce: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Save items as the next version and say what the task's check finds.

    Returns `version`, `aside`, `done`, `undecided` (suggestions that nobody has decided on) and `problems`. Where
    `base` is not the last version any more, the items are kept beside it (`aside`) and the sheet stays as it is. The
    sheet becomes done where that is asked for, nothing is undecided and the check finds no error. Raises
    `RequestError` for items that cannot be, and for somebody else's sheet.
    """
    with database.reading() as connection:
        sheet, dialogue, project = find_sheet(connection, sheet_id)
    if sheet.person_id != person:
        raise RequestError("this sheet belongs to somebody else; open your own from the list")
    items = read_items(given, dialogue)
    found = check_items(project, dialogue, items)
    left = undecided(sheet.shown, items)
    finished = done and not left and not any(one.problem.severity == "error" for one in found)
    told = {
        "done": finished,
        "undecided": left,
        "problems": [
            {"turn": turn, "rule": one.rule, "severity": one.severity, "message": one.message, "advice": one.advice}
            for one, turn in found
        ],
    }

    def action(connection: Connection) -> dict[str, Any]:
        now = database.now()
        last = connection.execute(
            select(annotation_sheets.c.version, annotation_sheets.c.saved_at, annotation_sheets.c.active_ms)
            .where(annotation_sheets.c.id == sheet_id)
            .with_for_update()
        ).one()
        aside = last.version != base
        rows = pack(items)
        number = _next_number(connection, sheet_id)
        values = {"id": new_id(), "sheet_id": sheet_id, "number": number, "aside": aside, "items": rows}
        connection.execute(insert(annotation_versions).values(**values, saved_at=now))
        _thin(connection, sheet_id, number, holds=last.version if aside else number)
        if aside:
            return {**told, "version": last.version, "aside": True, "done": False}
        worked = max(0, min(active_ms, now - last.saved_at, LONGEST_STEP_MS))
        changed = {
            "items": rows,
            "version": number,
            "saved_at": now,
            "active_ms": last.active_ms + worked,
            "leased_until": now + project.lease_ms,
            "status": "done" if finished else "open",
            "done_at": now if finished else None,
        }
        connection.execute(update(annotation_sheets).where(annotation_sheets.c.id == sheet_id).values(changed))
        return {**told, "version": number, "aside": False}

    return database.write(action, nonce=nonce)


def _next_number(connection: Connection, sheet_id: str) -> int:
    highest = select(func.max(annotation_versions.c.number)).where(annotation_versions.c.sheet_id == sheet_id)
    return (connection.execute(highest).scalar() or 0) + 1


def _thin(connection: Connection, sheet_id: str, last: int, *, holds: int) -> None:
    """Delete the versions that are too many: an editor saves without being asked, each time with all the marks.

    The first version stays, and the one that `holds`.
    """
    at = annotation_versions.c
    age = last - at.number
    many = or_(age >= _OLDEST, *((age >= old) & (at.number % each != 0) for old, each in _THINNED))
    its = (at.sheet_id == sheet_id) & at.number.not_in((1, holds))
    connection.execute(delete(annotation_versions).where(its & many))


def versions(
    connection: Connection, sheet_id: str, *, before: int | None = None, limit: int = MAX_VERSIONS
) -> list[SavedVersion]:
    """Return what is kept of what was saved, the last first: `limit` versions, of those with a number below `before`.

    All at once, with their marks, would take hundreds of megabytes.
    """
    query = _of_sheet(sheet_id).order_by(annotation_versions.c.number.desc()).limit(limit)
    if before is not None:
        query = query.where(annotation_versions.c.number < before)
    return [_version(row) for row in connection.execute(query).mappings()]


def find_version(connection: Connection, sheet_id: str, version_id: str) -> SavedVersion | None:
    """Return a version of a sheet; `None` where it has none of that id."""
    row = connection.execute(_of_sheet(sheet_id).where(annotation_versions.c.id == version_id)).mappings().first()
    return None if row is None else _version(row)


def list_versions(connection: Connection, sheet_id: str) -> list[ListedVersion]:
    """Return the kept versions of a sheet without their marks, the last first."""
    at = annotation_versions.c
    marks = func.json_array_length(at["items"])
    query = select(at.id, at.number, at.aside, marks, at.saved_at).where(at.sheet_id == sheet_id)
    return [ListedVersion(*row) for row in connection.execute(query.order_by(at.number.desc()))]


def _of_sheet(sheet_id: str) -> Select[Any]:
    return select(annotation_versions).where(annotation_versions.c.sheet_id == sheet_id)


def _version(row: Mapping[Any, Any]) -> SavedVersion:
    return SavedVersion(row["id"], row["number"], row["aside"], unpack(row["items"]), row["saved_at"])


def record_sheet(database: Database, project: AnnotationProject, person: str, dialogue: Dialogue,
                 items: Sequence[AnnotationItem]) -> bool:  # fmt: skip
    """Take over a person's annotation that was made elsewhere; return whether it is done, or open with its errors.

    Raises `UsageError` where the person has a sheet of the dialogue already.
    """
    wrong = any(one.problem.severity == "error" for one in check_items(project, bare(dialogue), items))

    def action(connection: Connection) -> bool:
        now = database.now()
        at, sheets = annotation_dialogues.c, annotation_sheets.c
        query = select(at.id).where(at.project_id == project.id, at.name == dialogue.id)
        place = connection.execute(query).scalar_one()
        there = select(sheets.id).where(sheets.dialogue_id == place, sheets.person_id == person)
        if connection.execute(there).first():
            raise UsageError(f"dialogue '{dialogue.id}': there is an annotation by this person already")
        sheet, rows = new_id(), pack(items)
        values = {"id": sheet, "dialogue_id": place, "person_id": person, "role": "annotator", "items": rows}
        values |= {"status": "open" if wrong else "done", "assisted": False, "suggested": [], "suggested_by": None}
        times: dict[str, int | None] = {
            "leased_until": now + project.lease_ms,
            "started_at": now,
            "saved_at": now,
            "active_ms": 0,
        }
        times |= {"done_at": None if wrong else now, "version": 1}
        connection.execute(insert(annotation_sheets).values({**values, **times}))
        version = {"id": new_id(), "sheet_id": sheet, "number": 1, "aside": False, "items": rows, "saved_at": now}
        connection.execute(insert(annotation_versions).values(version))
        return not wrong

    return database.write(action)


class DialogueWork(NamedTuple):
    """A dialogue with all that was made of it."""

    id: str
    name: str
    dialogue: Dialogue
    wanted: int
    control: bool
    suggested: list[AnnotationItem] | None
    sheets: list[Sheet]

    def done(self, role: str = "annotator") -> list[Sheet]:
        """Return the finished sheets of a role, those that began first first."""
        return [one for one in self.sheets if one.role == role and one.status == "done"]


def all_work(connection: Connection, project: AnnotationProject, name: str | None = None) -> list[DialogueWork]:
    """Return all dialogues of a project with their sheets, in their order; with a `name` that one alone, if any."""
    at, sheets = annotation_dialogues.c, annotation_sheets.c
    wanted = at.project_id == project.id if name is None else (at.project_id == project.id) & (at.name == name)
    query = select(annotation_sheets).join(annotation_dialogues).where(wanted)
    by_dialogue: dict[str, list[Sheet]] = {}
    for row in connection.execute(query.order_by(sheets.started_at, sheets.id)).mappings():
        by_dialogue.setdefault(row["dialogue_id"], []).append(sheet_of(row))
    rows = select(annotation_dialogues).where(wanted).order_by(at.position)
    return [
        DialogueWork(
            id=row["id"],
            name=row["name"],
            dialogue=bare(read_dialogue(row["content"])),
            wanted=row["wanted"],
            control=row["control"],
            suggested=None if row["suggested"] is None else unpack(row["suggested"]),
            sheets=by_dialogue.get(row["id"], []),
        )
        for row in connection.execute(rows).mappings()
    ]
