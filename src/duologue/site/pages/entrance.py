"""Coming in and leaving: the first page, links, sign-out, and the language."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from duologue.arena.people.links import find_link, follow_link, is_local
from duologue.arena.people.people import find_person
from duologue.arena.people.secret import derived_secret
from duologue.arena.people.sessions import end_session
from duologue.site.area import SIGN_IN, Area, open_route, route
from duologue.site.cookies import LANGUAGE, SESSION, VISITOR, drop_cookie, set_cookie
from duologue.site.page_error import PageError, not_found
from duologue.site.words import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection
    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.arena.people.people import Person
    from duologue.site.visit import Visit

_ENTER = "/enter/"


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        open_route("/", show_home),
        open_route(SIGN_IN, ask_for_link),
        open_route(SIGN_IN, take_link, methods=("POST",)),
        open_route(_ENTER + "{secret}", ask_to_enter),
        open_route(_ENTER + "{secret}", enter, methods=("POST",)),
        route("/sign-out", sign_out, methods=("POST",)),
        open_route("/language/{language}", choose_language),
    ]


async def show_home(visit: Visit) -> Response:
    """Show who is signed in what there is to do."""
    if visit.person is None:
        return visit.redirect(SIGN_IN)
    return visit.page("site/home.html", title=visit.t("site.home"))


async def ask_for_link(visit: Visit) -> Response:
    """Say how people come in."""
    return visit.page("site/sign_in.html", title=visit.t("site.sign_in"))


async def take_link(visit: Visit) -> Response:
    """Lead on to a link that was typed in."""
    form = await visit.form()
    secret = form.text("link", limit=2000).rstrip("/").rpartition("/")[2]
    if not secret.isascii() or not secret.replace(".", "").replace("-", "").replace("_", "").isalnum():
        raise PageError(HTTPStatus.BAD_REQUEST, "site.link_bad")
    return visit.redirect(_ENTER + secret)


async def ask_to_enter(visit: Visit) -> Response:
    """Show whose link this is; only the button uses it, so that programs that look ahead do not."""
    person = await visit.read(_whose, visit.at("secret"), visit.now)
    if person is None:
        raise PageError(HTTPStatus.FORBIDDEN, "site.link_bad")
    return visit.page("site/enter.html", title=visit.t("site.enter_title"), who=person, action=visit.request.url.path)


async def enter(visit: Visit) -> Response:
    """Begin a session: always a new one, whatever cookie was there."""
    form = await visit.form()
    secret, now = visit.at("secret"), visit.now
    session = derived_secret(secret + visit.key, form.nonce)

    def action(connection: Connection) -> str | None:
        return follow_link(connection, secret, session, now=now)

    target = await visit.submit(form, action)
    if target is None:
        raise PageError(HTTPStatus.FORBIDDEN, "site.link_bad")
    answer = visit.redirect(target)
    set_cookie(answer, visit.request, SESSION, session.text)
    drop_cookie(answer, visit.request, VISITOR)
    return answer


async def sign_out(visit: Visit) -> Response:
    """End the session."""
    form = await visit.form()
    key, me, now = visit.key, visit.me, visit.now
    await visit.submit(form, lambda connection: end_session(connection, key, me, now=now))
    answer = visit.redirect(SIGN_IN, said="site.signed_out")
    drop_cookie(answer, visit.request, SESSION)
    return answer


async def choose_language(visit: Visit) -> Response:
    """Remember the language in this browser, and go back."""
    language, back = visit.at("language"), visit.asked("next", "/", limit=1000)
    if language not in LANGUAGES:
        raise not_found()
    answer = visit.redirect(back if is_local(back) else "/")
    set_cookie(answer, visit.request, LANGUAGE, language, days=365)
    return answer


def _whose(connection: Connection, secret: str, now: int) -> Person | None:
    link = find_link(connection, secret, now=now)
    return find_person(connection, link.person_id) if link is not None else None


AREA = Area("entrance", routes)
