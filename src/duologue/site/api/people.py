"""People over the API, for admins: who there is, roles, links, and what was done."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from duologue.arena.people.audit import AuditEntry, AuditPlace, audit_entries
from duologue.arena.people.links import LONGEST_DAYS, SignInLink, links_of, make_link, path_of, revoke_link
from duologue.arena.people.newcomer import add_newcomer
from duologue.arena.people.people import (
    LONGEST_NAME,
    Person,
    close_person,
    find_person,
    list_people,
    reopen_person,
    set_roles,
)
from duologue.core.records import Record
from duologue.site.api.operation import Operation, QueryParameter

if TYPE_CHECKING:
    from duologue.site.api.operation import OperationCall

_ROWS = 100


class NewPerson(Record, frozen=True, kw_only=True):
    """Somebody to let in."""

    name: Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
    roles: tuple[str, ...]
    days: Annotated[float, Meta(gt=0, le=LONGEST_DAYS)] = 7
    """How long the link lives."""
    once: bool = True
    """Whether it lets in one time only."""


class InvitedPerson(Record, frozen=True, kw_only=True):
    """Who was added, and the link, which nobody is told again."""

    id: str
    link: str


class NewRoles(Record, frozen=True, kw_only=True):
    """The roles of a person, and no others."""

    roles: tuple[str, ...]


class NewSignInLink(Record, frozen=True, kw_only=True):
    """One more link of a person."""

    days: Annotated[float, Meta(gt=0, le=LONGEST_DAYS)] = 7
    once: bool = True


class PersonWithLinks(Record, frozen=True, kw_only=True):
    """A person with what is kept of their links."""

    person: Person
    links: list[SignInLink]


def operations() -> list[Operation]:
    """Return the operations."""
    ours = partial(Operation, gives=PersonWithLinks, roles=("admin",))
    one = "/people/{id}"
    return [
        ours("GET", "/people", "Everybody who may come in", everybody, gives=list[Person]),
        ours("POST", "/people", "Add a person with a link", add, takes=NewPerson, gives=InvitedPerson),
        ours("GET", one, "A person with their links", show),
        ours("POST", f"{one}/roles", "Give a person these roles, and no others", change_roles, takes=NewRoles),
        ours("POST", f"{one}/links", "Make one more link", add_link, takes=NewSignInLink, gives=InvitedPerson),
        ours("POST", f"{one}/links/{{link}}/revoke", "Let nobody in by a link, and end its sessions", revoke),
        ours("POST", f"{one}/close", "Let a person in no more", close),
        ours("POST", f"{one}/reopen", "Let a person in again", reopen),
        ours(
            "GET", "/audit", "What was done, the last first", audit, gives=list[AuditEntry],
            asks=(
                QueryParameter("before", "A time in milliseconds, or TIME-ID of an entry: what was done before it."),
                QueryParameter("action", "An action, or how several begin, such as `person.`."),
            ),
        ),
    ]  # fmt: skip


async def everybody(call: OperationCall) -> list[Person]:
    """Return everybody."""
    return await call.read(list_people)


async def add(call: OperationCall) -> InvitedPerson:
    """Add a person with a link."""
    wanted: NewPerson = call.body
    link, now, by = call.secret(), call.now, call.me.id

    added = await call.write(
        lambda connection: add_newcomer(
            connection, link, wanted.name, wanted.roles, now=now, by=by, days=wanted.days, once=wanted.once
        )
    )
    return InvitedPerson(id=added, link=call.base + path_of(link))


async def show(call: OperationCall) -> PersonWithLinks:
    """Return a person."""
    person = await call.read(find_person, call.at("id"))
    return PersonWithLinks(person=person, links=await call.read(links_of, person.id))


async def change_roles(call: OperationCall) -> PersonWithLinks:
    """Give a person other roles."""
    who, roles, now, by = call.at("id"), call.body.roles, call.now, call.me.id
    await call.write(lambda connection: set_roles(connection, who, roles, now=now, by=by))
    return await show(call)


async def add_link(call: OperationCall) -> InvitedPerson:
    """Make one more link of a person."""
    wanted: NewSignInLink = call.body
    who, link, now, by = call.at("id"), call.secret(), call.now, call.me.id
    await call.write(
        lambda connection: make_link(connection, link, who, now=now, by=by, days=wanted.days, once=wanted.once)
    )
    return InvitedPerson(id=who, link=call.base + path_of(link))


async def revoke(call: OperationCall) -> PersonWithLinks:
    """Let nobody in by a link any more."""
    link, now, by = call.at("link"), call.now, call.me.id
    await call.write(lambda connection: revoke_link(connection, link, now=now, by=by))
    return await show(call)


async def close(call: OperationCall) -> PersonWithLinks:
    """Let a person in no more."""
    who, now, by = call.at("id"), call.now, call.me.id
    await call.write(lambda connection: close_person(connection, who, now=now, by=by))
    return await show(call)


async def reopen(call: OperationCall) -> PersonWithLinks:
    """Let a person in again."""
    who, now, by = call.at("id"), call.now, call.me.id
    await call.write(lambda connection: reopen_person(connection, who, now=now, by=by))
    return await show(call)


async def audit(call: OperationCall) -> list[AuditEntry]:
    """Return what was done."""
    before, action = AuditPlace.read(call.asked("before")), call.asked("action", limit=60)
    return await call.read(audit_entries, limit=_ROWS, before=before, action=action)
