"""People, for admins: who may come in, in which roles, by which links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.people.links import VOLUNTEER_DAYS, links_of, make_link, path_of, revoke_link
from duologue.arena.people.newcomer import add_newcomer
from duologue.arena.people.people import (
    LONGEST_NAME,
    close_person,
    find_person,
    list_people,
    reopen_person,
    set_roles,
)
from duologue.arena.people.secret import derived_secret
from duologue.arena.people.tables import ROLES
from duologue.site.area import Area, route
from duologue.site.navigation import NavigationEntry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.site.visit import Visit

_STAFF_DAYS = 7


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        route("/people", show_people, "admin"),
        route("/people", add, "admin", methods=("POST",)),
        route("/people/{id}", show_person, "admin"),
        route("/people/{id}/roles", change_roles, "admin", methods=("POST",)),
        route("/people/{id}/links", add_link, "admin", methods=("POST",)),
        route("/people/{id}/links/{link}/revoke", revoke, "admin", methods=("POST",)),
        route("/people/{id}/close", close, "admin", methods=("POST",)),
        route("/people/{id}/reopen", reopen, "admin", methods=("POST",)),
    ]


async def show_people(visit: Visit) -> Response:
    """Show everybody."""
    found = await visit.read(list_people)
    return visit.page("people/list.html", title=visit.t("people.title"), people=found, roles=ROLES)


async def add(visit: Visit) -> Response:
    """Add a person, and show the one link of theirs."""
    form = await visit.form()
    name, roles = form.text("name", limit=LONGEST_NAME), form.choices("role", ROLES)
    person, link = derived_secret(visit.key, form.nonce + "person"), derived_secret(visit.key, form.nonce)
    now, me = visit.now, visit.me.id
    once = not set(roles) <= {"volunteer"}
    days = _STAFF_DAYS if once else VOLUNTEER_DAYS
    person_id = await visit.submit(
        form,
        lambda connection: add_newcomer(
            connection, link, name, roles, now=now, by=me, days=days, once=once, person_id=person.id
        ),
    )
    return await _show_link(visit, person_id, path_of(link))


async def show_person(visit: Visit) -> Response:
    """Show one person with roles and links."""
    person = await visit.read(find_person, visit.at("id"))
    links = await visit.read(links_of, person.id)
    title = person.name or visit.t("people.nameless")
    return visit.page("people/person.html", title=title, who=person, links=links, roles=ROLES, now=visit.now)


async def change_roles(visit: Visit) -> Response:
    """Give a person other roles."""
    form = await visit.form()
    roles, now, me, who = form.choices("role", ROLES), visit.now, visit.me.id, visit.at("id")
    await visit.submit(form, lambda connection: set_roles(connection, who, roles, now=now, by=me))
    return visit.redirect(f"/people/{who}", said="people.saved")


async def add_link(visit: Visit) -> Response:
    """Make one more link of a person, and show it."""
    form = await visit.form()
    days, once = form.whole("days", 1, 366), form.ticked("once")
    link, now, me, who = derived_secret(visit.key, form.nonce), visit.now, visit.me.id, visit.at("id")
    await visit.submit(form, lambda connection: make_link(connection, link, who, now=now, by=me, days=days, once=once))
    return await _show_link(visit, who, path_of(link))


async def revoke(visit: Visit) -> Response:
    """Let nobody in by a link any more."""
    form = await visit.form()
    link, now, me = visit.at("link"), visit.now, visit.me.id
    await visit.submit(form, lambda connection: revoke_link(connection, link, now=now, by=me))
    return visit.redirect(f"/people/{visit.at('id')}", said="people.revoked")


async def close(visit: Visit) -> Response:
    """Let a person in no more."""
    form = await visit.form()
    now, me, who = visit.now, visit.me.id, visit.at("id")
    await visit.submit(form, lambda connection: close_person(connection, who, now=now, by=me))
    return visit.redirect(f"/people/{who}", said="people.saved")


async def reopen(visit: Visit) -> Response:
    """Let a person in again."""
    form = await visit.form()
    now, me, who = visit.now, visit.me.id, visit.at("id")
    await visit.submit(form, lambda connection: reopen_person(connection, who, now=now, by=me))
    return visit.redirect(f"/people/{who}", said="people.saved")


async def _show_link(visit: Visit, person_id: str, path: str) -> Response:
    person = await visit.read(find_person, person_id)
    return visit.page("people/link.html", title=visit.t("people.link_made"), who=person, link=visit.base + path)


AREA = Area("people", routes, (NavigationEntry("/people", "people.title", ("admin",)),))
