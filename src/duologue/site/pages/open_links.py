"""Open links: an organiser makes one for many people, and each of them comes in by it."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.competition.tracks import find_track
from duologue.arena.people.links import LONGEST_DAYS, path_of
from duologue.arena.people.open_links import LIMIT, open_links_of, open_path, revoke_open_link
from duologue.arena.people.people import LONGEST_NAME
from duologue.arena.people.secret import derived_secret
from duologue.arena.people.tables import OPEN_KINDS
from duologue.arena.registration.open_registration import door_of, join, join_as, open_for_many
from duologue.core.errors import UsageError
from duologue.site.area import Area, open_route, route
from duologue.site.cookies import SESSION, VISITOR, drop_cookie, set_cookie
from duologue.site.page_error import PageError, not_found
from duologue.site.pages.tracks import in_language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection
    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.arena.registration.open_registration import OpenDoor
    from duologue.site.visit import Visit

ORGANISER = "organiser"


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        open_route("/join/{secret}", ask),
        open_route("/join/{secret}", come_in, methods=("POST",)),
        route("/open-links/{kind}/{subject}", show, ORGANISER),
        route("/open-links/{kind}/{subject}", make, ORGANISER, methods=("POST",)),
        route("/open-links/{kind}/{subject}/{link}/revoke", revoke, ORGANISER, methods=("POST",)),
    ]


async def ask(visit: Visit) -> Response:
    """Say what an open link leads into; only the button uses it, so that programs that look ahead do not."""
    door = await _door(visit)
    title = in_language(visit, door.title, door.title_zh)
    return visit.page(
        "open_links/join.html", title=title, door=door, action=visit.request.url.path, most_name=LONGEST_NAME
    )


async def come_in(visit: Visit) -> Response:
    """Let somebody in: a new person with a link of their own, or who is signed in already."""
    form, secret, now = await visit.form(), visit.at("secret"), visit.now
    if visit.person is not None:
        me = visit.me.id
        target = await visit.submit(form, lambda connection: join_as(connection, secret, me, now=now))
        if target is None:
            raise PageError(HTTPStatus.FORBIDDEN, "site.link_bad")
        return visit.redirect(target)
    name = form.text("name", limit=LONGEST_NAME, needed=False)
    own = derived_secret(secret + visit.key, f"{form.nonce}own")
    session = derived_secret(secret + visit.key, form.nonce)

    def action(connection: Connection) -> str | None:
        return join(connection, secret, own, session, name=name, now=now)

    target = await visit.submit(form, action)
    if target is None:
        raise PageError(HTTPStatus.FORBIDDEN, "site.link_bad")
    link = visit.base + path_of(own)
    answer = visit.page("open_links/welcome.html", title=visit.t("open_links.welcome"), link=link, target=target)
    set_cookie(answer, visit.request, SESSION, session.text)
    drop_cookie(answer, visit.request, VISITOR)
    return answer


async def show(visit: Visit) -> Response:
    """Show the open links into a campaign or a track, with the form that makes one."""
    kind, subject, title = await _subject(visit)
    links = await visit.read(open_links_of, kind, subject)
    return visit.page(
        "open_links/list.html",
        title=visit.t("open_links.of", title=title),
        links=links,
        here=f"/open-links/{kind}/{subject}",
        back=f"/campaigns/{subject}" if kind == "campaign" else f"/tracks/{subject}/office",
        now=visit.now,
        limit=LIMIT,
        max_days=LONGEST_DAYS,
    )


async def make(visit: Visit) -> Response:
    """Make an open link, and show it."""
    kind, subject, title = await _subject(visit)
    form = await visit.form()
    limit, days = form.whole("limit", 1, LIMIT), form.whole("days", 1, LONGEST_DAYS)
    secret, now, me = derived_secret(visit.key, form.nonce), visit.now, visit.me.id
    await visit.submit(
        form,
        lambda connection: open_for_many(connection, secret, kind, subject, limit=limit, days=days, now=now, by=me),
    )
    link = visit.base + open_path(secret)
    return visit.page("open_links/made.html", title=visit.t("open_links.made"), link=link, what=title, limit=limit)


async def revoke(visit: Visit) -> Response:
    """Let nobody new in by a link."""
    kind, subject, _ = await _subject(visit)
    form, link = await visit.form(), visit.at("link")
    if link not in {one.id for one in await visit.read(open_links_of, kind, subject)}:
        raise not_found()
    now, me = visit.now, visit.me.id
    await visit.submit(form, lambda connection: revoke_open_link(connection, link, now=now, by=me))
    return visit.redirect(f"/open-links/{kind}/{subject}", said="open_links.revoked")


async def _door(visit: Visit) -> OpenDoor:
    door = await visit.read(door_of, visit.at("secret"), now=visit.now)
    if door is None:
        raise PageError(HTTPStatus.FORBIDDEN, "site.link_bad")
    return door


async def _subject(visit: Visit) -> tuple[str, str, str]:
    """Return kind, id and title of what links lead into. Raises `PageError` where it is not there."""
    kind, subject = visit.at("kind"), visit.at("subject")
    if kind not in OPEN_KINDS:
        raise not_found()
    try:
        if kind == "campaign":
            campaign = await visit.read(find_campaign, subject)
            return kind, campaign.id, campaign.title_in(visit.language)
        track = await visit.read(find_track, subject)
    except UsageError as error:
        raise not_found() from error
    return kind, track.name, in_language(visit, track.title, track.title_zh)


AREA = Area("open_links", routes)
