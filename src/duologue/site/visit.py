"""A visit: one request, with who asks, in which language, and what a handler does with it."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, RedirectResponse, Response

from duologue.arena.people.people import roles_held
from duologue.site.form import read_form
from duologue.site.page_error import PageError, forbidden, not_found
from duologue.site.words import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from markupsafe import Markup
    from sqlalchemy import Connection
    from starlette.requests import Request

    from duologue.arena.database.database import Database
    from duologue.arena.people.people import Person
    from duologue.site.form import Form
    from duologue.site.site import Site

Read = TypeVar("Read")


class Visit:
    """One request."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.site: Site = request.app.state.site
        self.person: Person | None = request.scope.get("duologue.person")
        self.language: str = request.scope.get("duologue.language", "en")
        self.key: str = request.scope.get("duologue.key", "")
        """The secret of the browser's session, of a browser that nobody has signed in with, or of a program's token."""

    @property
    def me(self) -> Person:
        """Who asks, behind a `route`."""
        assert self.person is not None
        return self.person

    @property
    def now(self) -> int:
        """The time, in milliseconds since 1970."""
        return self.site.database.now()

    @property
    def here(self) -> str:
        """The path of this page with its query, where it can be shown again; else the first page."""
        url = self.request.url
        query = urlencode([pair for pair in self.request.query_params.multi_items() if pair[0] != "said"])
        return f"{url.path}?{query}" if query else str(url.path)

    def within(self, path: str) -> bool:
        """Whether this page is the one of a path, or below it."""
        return f"{self.request.url.path}/".startswith(f"{path}/")

    def at(self, name: str) -> str:
        """Return a part of the path."""
        return str(self.request.path_params[name])

    def asked(self, name: str, default: str = "", *, limit: int = 200) -> str:
        """Return a parameter of the query; one that is too long is not there."""
        found = str(self.request.query_params.get(name, default))
        return found if len(found) <= limit else default

    @property
    def database(self) -> Database:
        """The database, for what writes more than one action: each is carried out as by `by_me`."""
        return self.site.database.with_each_action(self.by_me)

    async def read(self, action: Callable[..., Read], /, *arguments: Any, **options: Any) -> Read:
        """Return `action(connection, *arguments, **options)`, read in one snapshot."""
        return await self.site.read(action, *arguments, **options)

    async def form(self) -> Form:
        """Return the form that was sent. Raises `PageError` for one without its token, or too large."""
        return await read_form(self.request, self.key, self.person.id if self.person else "")

    async def submit(self, form: Form, action: Callable[[Connection], Any]) -> Any:
        """Do what a form asks for, once, and return the result (JSON) after the commit."""
        return await self.site.write(self.by_me(action), nonce=form.nonce)

    def by_me(self, action: Callable[[Connection], Read]) -> Callable[[Connection], Read]:
        """Return an action as it is carried out for who asks.

        It raises `PageError` where that person has been deleted or closed since the request came: what they leave would
        name nobody. So it does where one of their roles was taken meanwhile, by which they may have been let in.
        """

        def carried_out(connection: Connection) -> Read:
            if self.person is not None:
                roles = roles_held(connection, self.person.id)
                if roles is None:
                    raise PageError(HTTPStatus.UNAUTHORIZED)
                if not roles.issuperset(self.person.roles):
                    raise forbidden()
            return action(connection)

        return carried_out

    def t(self, key: str, **values: object) -> Markup:
        """Return a text of the site in the reader's language."""
        return text(self.language, key, **values)

    def page(self, template: str, /, *, status: int = 200, **values: Any) -> Response:
        """Return a page. `title` names it; templates may use `visit`, `t` and `person` beside `values`."""
        values |= {"visit": self, "t": self.t, "person": self.person, "language": self.language}
        body = self.site.renderer.render(template, values)
        return HTMLResponse(body, status)

    def redirect(self, path: str, *, said: str = "") -> Response:
        """Return the answer that leads on to a page, with a word of what was done."""
        query = "?" + urlencode({"said": said}) if said else ""
        return RedirectResponse(path + query, 303)

    def found(self, what: Read | None) -> Read:
        """Return what is there. Raises `PageError` for `None`."""
        if what is None:
            raise not_found()
        return what

    @property
    def base(self) -> str:
        """Where people find the site, such as `https://host`; the host was held against those that are allowed."""
        url = self.request.url
        return f"{url.scheme}://{url.netloc}"
