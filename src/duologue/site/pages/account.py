"""My account: the language, tokens for programs, where I am signed in."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

import msgspec
from starlette.responses import Response

from duologue.arena.campaigns.typed_words import data_and_words_of, delete_person_and_words
from duologue.arena.people.people import set_language
from duologue.arena.people.personal_data import delete_person
from duologue.arena.people.secret import derived_secret
from duologue.arena.people.sessions import end_sessions
from duologue.arena.people.tables import LANGUAGES
from duologue.arena.people.tokens import make_token, revoke_token, tokens_of
from duologue.site.area import SIGN_IN, Area, route
from duologue.site.cookies import LANGUAGE, SESSION, drop_cookie
from duologue.site.navigation import NavigationEntry
from duologue.site.page_error import PageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.routing import Route

    from duologue.site.visit import Visit


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [
        route("/account", show),
        route("/account/language", choose_language, methods=("POST",)),
        route("/account/tokens", add_token, methods=("POST",)),
        route("/account/tokens/{token}/revoke", revoke, methods=("POST",)),
        route("/account/sign-out", sign_out_everywhere, methods=("POST",)),
        route("/account/data", give_data),
        route("/account/delete", delete, methods=("POST",)),
    ]


async def show(visit: Visit) -> Response:
    """Show what a person can set."""
    found = await visit.read(tokens_of, visit.me.id)
    tokens = [(one, one.revoked_at is None and one.expires_at > visit.now) for one in found]
    return visit.page("account/account.html", title=visit.t("account.title"), tokens=tokens)


async def choose_language(visit: Visit) -> Response:
    """Remember the language for every browser."""
    form = await visit.form()
    chosen, me = form.choice("language", LANGUAGES[1:]), visit.me.id
    await visit.submit(form, lambda connection: set_language(connection, me, chosen))
    answer = visit.redirect("/account", said="account.saved")
    drop_cookie(answer, visit.request, LANGUAGE)
    return answer


async def add_token(visit: Visit) -> Response:
    """Make a token and show it, this once."""
    form = await visit.form()
    label, days = form.text("label", limit=60), form.whole("days", 1, 366)
    secret, now, me = derived_secret(visit.key, form.nonce), visit.now, visit.me.id
    await visit.submit(form, lambda connection: make_token(connection, secret, me, label, now=now, by=me, days=days))
    return visit.page("account/token.html", title=visit.t("account.token_made"), token=secret.text)


async def revoke(visit: Visit) -> Response:
    """Make one of my tokens worthless."""
    form = await visit.form()
    token, now, me = visit.at("token"), visit.now, visit.me.id
    await visit.submit(form, lambda connection: revoke_token(connection, token, me, now=now, by=me))
    return visit.redirect("/account", said="account.saved")


async def sign_out_everywhere(visit: Visit) -> Response:
    """End all my sessions, this one too."""
    form = await visit.form()
    now, me = visit.now, visit.me.id
    await visit.submit(form, lambda connection: end_sessions(connection, me, now=now, by=me))
    return visit.redirect(SIGN_IN, said="site.signed_out")


async def give_data(visit: Visit) -> Response:
    """Give out all that there is of me, as a JSON file."""
    found = await visit.read(data_and_words_of, visit.me.id)
    body = msgspec.json.format(msgspec.json.encode(found), indent=2)
    fields = {"Content-Disposition": 'attachment; filename="duologue-data.json"'}
    return Response(body, media_type="application/json", headers=fields)


async def delete(visit: Visit) -> Response:
    """Delete me with all that is mine, where the box that says so is ticked."""
    form = await visit.form()
    if not form.ticked("sure"):
        raise PageError(HTTPStatus.BAD_REQUEST, "account.delete_unsure")
    now, me = visit.now, visit.me.id
    remove = delete_person_and_words if form.ticked("words") else delete_person
    await visit.submit(form, lambda connection: msgspec.to_builtins(remove(connection, me, now=now, by=me)))
    answer = visit.redirect(SIGN_IN, said="account.deleted")
    drop_cookie(answer, visit.request, SESSION)
    return answer


AREA = Area("account", routes, (NavigationEntry("/account", "account.title"),))
