"""People over the API: who I am, and for admins who there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from duologue.arena.people.links import LONGEST_DAYS, path_of
from duologue.arena.people.newcomer import add_newcomer
from duologue.arena.people.people import LONGEST_NAME, Person, list_people
from duologue.arena.people.secret import new_secret
from duologue.core.records import Record
from duologue.site.api.operation import Operation

if TYPE_CHECKING:
    from duologue.site.api.operation import OperationCall


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


def operations() -> list[Operation]:
    """Return the operations."""
    return [
        Operation("GET", "/me", "Who the token belongs to", me, gives=Person),
        Operation("GET", "/people", "Everybody who may come in", everybody, gives=list[Person], roles=("admin",)),
        Operation(
            "POST", "/people", "Add a person with a link", add, takes=NewPerson, gives=InvitedPerson, roles=("admin",)
        ),
    ]


async def me(call: OperationCall) -> Person:
    """Return who asks."""
    return call.me


async def everybody(call: OperationCall) -> list[Person]:
    """Return everybody."""
    return await call.read(list_people)


async def add(call: OperationCall) -> InvitedPerson:
    """Add a person with a link."""
    wanted: NewPerson = call.body
    link, now, by = new_secret(), call.now, call.me.id

    added = await call.site.write(
        lambda connection: add_newcomer(
            connection, link, wanted.name, wanted.roles, now=now, by=by, days=wanted.days, once=wanted.once
        )
    )
    return InvitedPerson(id=added, link=call.base + path_of(link))
