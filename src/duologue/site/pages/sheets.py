"""One person's annotation of one dialogue: the editor, the same to read, and all its versions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from duologue.arena.annotation.items import AnnotationItem, pack, states
from duologue.arena.annotation.sheets import check_items, find_sheet, find_version, list_versions, save_sheet
from duologue.arena.people.people import list_people
from duologue.core.errors import RequestError
from duologue.site.area import Area, route
from duologue.site.assets import asset_path
from duologue.site.form import TOKEN_FIELD, token_of
from duologue.site.messages import in_language
from duologue.site.page_error import forbidden
from duologue.site.pages.annotate import WORKERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection
    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.arena.annotation.sheets import OpenSheet
    from duologue.core.annotation import AnnotationScheme
    from duologue.site.visit import Visit

_LARGEST = 1 << 20
_SAID_BY_THE_EDITOR = (
    "annotate.kind_mention", "annotate.kind_value", "annotate.kind_intent", "annotate.new_entity", "annotate.user",
    "annotate.state_suggested", "annotate.state_confirmed", "annotate.state_changed", "annotate.state_added",
    "annotate.confirm", "annotate.remove", "annotate.add_intent", "annotate.add_argument", "annotate.saving",
    "annotate.saved", "annotate.unsaved", "annotate.done_now", "annotate.not_done", "annotate.aside",
    "annotate.undecided", "annotate.no_entities", "annotate.chosen", "annotate.nothing_chosen", "annotate.label",
    "annotate.entity", "annotate.owner", "annotate.argument", "annotate.by", "annotate.refused",
    "annotate.versions", "annotate.keep_mine",
)  # fmt: skip


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        route("/sheets/{id}", show_sheet, *WORKERS),
        route("/sheets/{id}", save, *WORKERS, methods=("POST",)),
        route("/sheets/{id}/versions", show_versions, *WORKERS),
        route("/sheets/{id}/restore", restore, *WORKERS, methods=("POST",)),
    ]


async def show_sheet(visit: Visit) -> Response:
    """Show the editor to its owner; without JavaScript, and to organisers, the same to read."""
    found = await _own(visit)
    names = {one.id: one.name for one in await visit.read(list_people)}
    sheet, dialogue, project = found
    problems = check_items(project, dialogue, sheet.items)
    said = states(sheet.shown, sheet.items)
    utterances = [
        {
            "speaker": turn.speaker,
            "text": turn.text,
            "items": [(one, turn.text[one.start : one.end]) for one in sheet.items if one.turn == place],
            "problems": [one.problem for one in problems if one.turn == place],
        }
        for place, turn in enumerate(dialogue.turns)
    ]
    return visit.page(
        "annotate/sheet.html",
        title=visit.t("annotate.dialogue", name=dialogue.id[:12]),
        sheet=sheet,
        project=project,
        owner=names.get(sheet.person_id, ""),
        mine=sheet.person_id == visit.me.id,
        utterances=utterances,
        states=said,
        scheme=project.scheme,
        shown=_labels(project.scheme, visit.language),
        given=json.dumps(_given(visit, found), ensure_ascii=False),
    )


def _labels(scheme: AnnotationScheme, language: str) -> dict[str, str]:
    """Return what labels are called for a reader."""
    labels = (
        *scheme.types,
        *scheme.slots,
        *scheme.user_slots,
        *(one for side in scheme.intents.values() for one in side),
    )
    english = scheme.english if language == "en" else {}
    return {one: f"{one} ({english[one]})" if one in english else one for one in labels}


def _given(visit: Visit, found: OpenSheet) -> dict[str, Any]:
    """Return what the editor is given."""
    sheet, dialogue, project = found
    scheme = project.scheme
    problems = check_items(project, dialogue, sheet.items)
    return {
        "modules": [asset_path("annotate_state.js"), asset_path("annotate_store.js")],
        "path": f"/sheets/{sheet.id}",
        "token": {TOKEN_FIELD: token_of(visit.key)},
        "version": sheet.version,
        "turns": [{"speaker": turn.speaker, "text": turn.text} for turn in dialogue.turns],
        "suggested": pack(sheet.shown),
        "items": pack(sheet.items),
        "problems": [
            {"turn": turn, "severity": one.severity, "message": in_language(visit.language, one.message)}
            for one, turn in problems
        ],
        "types": scheme.types,
        "slots": scheme.slots,
        "userSlots": scheme.user_slots,
        "intents": scheme.intents,
        "withArguments": scheme.with_arguments,
        "prefix": scheme.entity_prefix,
        "labels": _labels(scheme, visit.language),
        "notes": {label: getattr(note, visit.language) for label, note in scheme.notes.items()},
        "words": {key.removeprefix("annotate."): str(visit.t(key, n="{n}")) for key in _SAID_BY_THE_EDITOR},
    }


async def save(visit: Visit) -> Response:
    """Save what the editor sends, and say what the check finds."""
    form = await visit.form()
    try:
        items = msgspec.json.decode(form.text("items", limit=_LARGEST))
    except (msgspec.DecodeError, RecursionError) as error:
        raise RequestError(f"the annotation cannot be read: {error}") from error
    told = await run_in_threadpool(
        save_sheet,
        visit.database,
        visit.at("id"),
        visit.me.id,
        form.whole("version", 0, 1 << 31),
        items,
        active_ms=form.whole("active", 0, 1 << 31),
        done=form.ticked("done"),
        nonce=form.nonce,
    )
    for problem in told["problems"]:
        problem["message"] = in_language(visit.language, problem["message"])
    return JSONResponse(told)


async def show_versions(visit: Visit) -> Response:
    """Show the kept versions of a sheet."""
    sheet, dialogue, project = await _own(visit)
    kept = await visit.read(list_versions, sheet.id)
    title = visit.t("annotate.versions_of", name=dialogue.id[:12])
    mine = sheet.person_id == visit.me.id
    return visit.page("annotate/versions.html", title=title, sheet=sheet, project=project, versions=kept, mine=mine)


async def restore(visit: Visit) -> Response:
    """Make an earlier version the last one again, as one more version."""
    form = await visit.form()
    sheet, _, _ = await _own(visit)
    wanted = form.text("version", limit=100)

    def read(connection: Connection) -> list[AnnotationItem] | None:
        found = find_version(connection, sheet.id, wanted)
        return None if found is None else found.items

    items = visit.found(await visit.read(read))
    await run_in_threadpool(
        save_sheet, visit.database, sheet.id, visit.me.id, sheet.version, pack(items), nonce=form.nonce
    )
    return visit.redirect(f"/sheets/{sheet.id}", said="annotate.restored")


async def _own(visit: Visit) -> OpenSheet:
    """Return the sheet of a path. Raises `PageError` for somebody else's, which organisers may read."""
    found = await visit.read(find_sheet, visit.at("id"))
    if found.sheet.person_id != visit.me.id and not visit.me.may("organiser"):
        raise forbidden()
    return found


AREA = Area("sheets", routes)
