"""Talks for organisers: rooms and campaigns of pairs, watched, read, judged and written out."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from duologue.arena.talks import pairs, rooms, sessions
from duologue.arena.talks.exports import anonymous, dialogue_lines, official_file, room_dialogues
from duologue.arena.talks.offers import talk_offers
from duologue.core.errors import UsageError
from duologue.site.area import Area, route
from duologue.site.messages import in_language
from duologue.site.navigation import NavigationEntry
from duologue.site.page_error import PageError, not_found

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sqlalchemy import Connection
    from starlette.routing import Route

    from duologue.site.visit import Visit

STAFF = ("organiser",)


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        route("/talk-lists", show, *STAFF),
        route("/talk-lists/rooms", open_room, *STAFF, methods=("POST",)),
        route("/talk-lists/{kind}/{id}", show_list, *STAFF),
        route("/talk-lists/{kind}/{id}/export", export, *STAFF),
        route("/talk-lists/{kind}/{id}/close", close, *STAFF, methods=("POST",)),
        route("/talk-lists/talks/{id}/verdict", judge, *STAFF, methods=("POST",)),
    ]


async def show(visit: Visit) -> Response:
    """Show all rooms and campaigns of pairs."""

    def read(connection: Connection) -> dict[str, Any]:
        listed = pairs.list_pairings(connection)
        return {
            "rooms": rooms.list_rooms(connection),
            "pairings": [(one, pairs.scene_counts(connection, one.id)) for one in listed],
        }

    offers = await run_in_threadpool(talk_offers, visit.site.settings.workspace)
    found = await visit.read(read)
    return visit.page("talks/lists.html", title=visit.t("talks.lists"), offers=offers, shows=sessions.SHOWS, **found)


async def open_room(visit: Visit) -> Response:
    """Open a room with one of the systems that are there."""
    form = await visit.form()
    offers = {one.word: one for one in await run_in_threadpool(talk_offers, visit.site.settings.workspace)}
    chosen = offers[form.choice("offer", offers)]
    title, shows, now, me = form.text("title", limit=100), form.choices("shows", sessions.SHOWS), visit.now, visit.me.id

    room = await visit.submit(
        form,
        lambda connection: rooms.open_room(
            connection, title=title, task=chosen.task, system=chosen.system, shows=shows, now=now, by=me
        ),
    )
    return visit.redirect(f"/talk-lists/rooms/{room}", said="talks.saved")


async def show_list(visit: Visit) -> Response:
    """Show the talks of a room, or the dialogues of a campaign of pairs."""
    one = await find_list(visit)

    def read(connection: Connection) -> dict[str, Any]:
        is_room = visit.at("kind") == "rooms"
        found = sessions.list_talks(connection, room=one.id * is_room, pairing=one.id * (not is_room))
        return {"talks": found, "counts": sessions.count_turns(connection, [talk.id for talk in found])}

    link = visit.base + ("/talks/rooms/" if visit.at("kind") == "rooms" else "/pairs/") + one.id
    found = await visit.read(read)
    return visit.page("talks/list.html", title=one.title, one=one, kind=visit.at("kind"), link=link, **found)


async def export(visit: Visit) -> Response:
    """Return the talks of a room as dialogues, or accepted dialogues of pairs as the challenge's official file.

    Without personal data of those who talked.
    """
    one = await find_list(visit)
    if isinstance(one, rooms.SystemRoom):
        found = await visit.read(room_dialogues, one.id)
        body = await run_in_threadpool(lambda: dialogue_lines(anonymous(found)))
    else:
        dialogues = await visit.read(pairs.accepted_dialogues, one.id)
        if not dialogues:
            raise PageError(HTTPStatus.CONFLICT, "talks.nothing")
        task = pairs.paired_task(one.task)
        body = await run_in_threadpool(lambda: official_file(task, anonymous(dialogues)))
    name = f"{visit.at('kind')}-{one.id}.jsonl"
    head = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(body, media_type="application/x-ndjson", headers=head)


async def close(visit: Visit) -> Response:
    """Let nothing begin any more."""
    form = await visit.form()
    one = await find_list(visit)
    now, me = visit.now, visit.me.id
    shut = rooms.close_room if isinstance(one, rooms.SystemRoom) else pairs.close_pairing
    await visit.submit(form, lambda connection: shut(connection, one.id, now=now, by=me))
    return visit.redirect(f"/talk-lists/{visit.at('kind')}/{one.id}", said="talks.saved")


async def judge(visit: Visit) -> Response:
    """Accept or reject a dialogue of two people by hand."""
    form = await visit.form()
    talk, verdict = visit.at("id"), form.choice("verdict", ("accepted", "rejected"))
    now, me = visit.now, visit.me.id
    try:
        pairing = await visit.submit(form, lambda connection: pairs.judge(connection, talk, verdict, now=now, by=me))
    except UsageError as error:
        problem = in_language(visit.language, str(error))
        raise PageError(HTTPStatus.CONFLICT, "talks.refused", problem=problem) from error
    return visit.redirect(f"/talk-lists/pairs/{pairing}", said="talks.saved")


async def find_list(visit: Visit) -> rooms.SystemRoom | pairs.Pairing:
    """Return the room or the campaign of pairs of a path. Raises `PageError` where it is not there."""
    if visit.at("kind") == "rooms":
        return visit.found(await visit.read(rooms.find_room, visit.at("id")))
    if visit.at("kind") == "pairs":
        return visit.found(await visit.read(pairs.find_pairing, visit.at("id")))
    raise not_found()


AREA = Area("talk-lists", routes, (NavigationEntry("/talk-lists", "talks.lists", STAFF),))
