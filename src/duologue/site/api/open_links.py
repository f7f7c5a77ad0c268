"""Open links over the API, for organisers: made, listed, ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from duologue.arena.people.links import LONGEST_DAYS
from duologue.arena.people.open_links import LIMIT, OpenLink, open_path, revoke_open_link
from duologue.arena.registration.open_registration import open_for_many, open_links_into
from duologue.core.errors import UsageError
from duologue.core.records import Record
from duologue.site.api.operation import Operation
from duologue.site.page_error import not_found

if TYPE_CHECKING:
    from duologue.site.api.operation import OperationCall

_ORGANISERS = ("organiser",)


class NewOpenLink(Record, frozen=True, kw_only=True):
    """A link for many people."""

    kind: str
    """`campaign` or `track`."""
    subject: str
    """The campaign's id, or the track's name."""
    limit: Annotated[int, Meta(ge=1, le=LIMIT)]
    days: Annotated[float, Meta(gt=0, le=LONGEST_DAYS)] = 14


class MadeOpenLink(Record, frozen=True, kw_only=True):
    """An open link, which nobody is told again."""

    id: str
    link: str


def operations() -> list[Operation]:
    """Return the operations."""
    listed = "/open-links/{kind}/{subject}"
    return [
        Operation(
            "POST", "/open-links", "Make a link for many people", make, takes=NewOpenLink, gives=MadeOpenLink,
            roles=_ORGANISERS,
        ),
        Operation("GET", listed, "Open links into a campaign or track", links, gives=list[OpenLink], roles=_ORGANISERS),
        Operation(
            "POST", "/open-links/{id}/revoke", "Let nobody new in by a link", revoke, gives=dict[str, Any],
            roles=_ORGANISERS,
        ),
    ]  # fmt: skip


async def make(call: OperationCall) -> MadeOpenLink:
    """Make an open link."""
    wanted: NewOpenLink = call.body
    secret, now, me = call.secret(), call.now, call.me.id
    made = await call.write(
        lambda connection: open_for_many(
            connection, secret, wanted.kind, wanted.subject, limit=wanted.limit, days=wanted.days, now=now, by=me
        )
    )
    return MadeOpenLink(id=made, link=call.base + open_path(secret))


async def links(call: OperationCall) -> list[OpenLink]:
    """Return the open links into something."""
    try:
        return await call.read(open_links_into, call.at("kind"), call.at("subject"))
    except UsageError as error:
        raise not_found() from error


async def revoke(call: OperationCall) -> dict[str, Any]:
    """End an open link."""
    link, now, me = call.at("id"), call.now, call.me.id
    await call.write(lambda connection: revoke_open_link(connection, link, now=now, by=me))
    return {"revoked": link}
