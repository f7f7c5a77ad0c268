"""A site to visit: a database with a person of each role, and what opens pages as one of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.testclient import TestClient

from duologue.arena.people.links import make_link
from duologue.arena.people.people import add_person
from duologue.arena.people.secret import new_secret
from duologue.arena.people.sessions import start_session
from duologue.arena.people.tables import ROLES
from duologue.arena.people.tokens import make_token
from duologue.site.application import create_application
from duologue.site.cookies import SESSION
from duologue.site.settings import SiteSettings

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database

HIDDEN = re.compile(r'<input type="hidden" name="(form_\w+)" value="(\w+)">')


class Example(NamedTuple):
    """A page to visit."""

    route: str
    """The path of the route that it is an example of, such as `/people/{id}`."""
    path: str
    role: str = ""
    """As whom; empty: as somebody who is not signed in."""


class World:
    """A database with a person for each role (`ids`), and a session of each."""

    def __init__(self, database: Database, workspace: Path) -> None:
        self.database, self.workspace = database, workspace
        self.ids: dict[str, str] = {}
        self._sessions: dict[str, str] = {}
        for role in ROLES:
            self.ids[role] = self.add(f"Some {role}", role)
            self._sessions[role] = self.session(self.ids[role])

    def write(self, action: Any) -> Any:
        return self.database.write(action)

    def add(self, name: str, *roles: str) -> str:
        now = self.database.now()
        return str(self.write(lambda connection: add_person(connection, name, roles, now=now, by=None)))

    def link(self, person_id: str, **options: Any) -> str:
        """Return the text of a new link of a person."""
        secret, now = new_secret(), self.database.now()
        self.write(lambda connection: make_link(connection, secret, person_id, now=now, by=None, **options))
        return secret.text

    def session(self, person_id: str) -> str:
        """Return the cookie of a new session of a person."""
        link, session, now = new_secret(), new_secret(), self.database.now()

        def action(connection: Any) -> None:
            make_link(connection, link, person_id, now=now, by=None)
            start_session(connection, session, person_id, link.id, now=now)

        self.write(action)
        return session.text

    def cookie(self, role: str) -> str:
        """Return the cookie of the person with a role."""
        return self._sessions[role]

    def application(self, **settings: Any) -> Any:
        return create_application(self.database, SiteSettings(**{"workspace": self.workspace, **settings}))

    def client(self, role: str = "", *, language: str = "en", **settings: Any) -> TestClient:
        """Return a client that is signed in with a role."""
        client = TestClient(
            self.application(**settings),
            base_url="http://127.0.0.1",
            raise_server_exceptions=False,
            headers={"Accept-Language": language},
            follow_redirects=False,
        )
        if role:
            client.cookies.set(SESSION, self.cookie(role))
        return client

    def api(self, role: str) -> TestClient:
        """Return a client that carries the token of a person with a role, as programs do."""
        secret, now = new_secret(), self.database.now()
        self.write(lambda connection: make_token(connection, secret, self.ids[role], "test", now=now, by=None))
        client = self.client()
        client.headers["Authorization"] = f"Bearer {secret.text}"
        return client


def hidden(page: str) -> dict[str, str]:
    """Return the token and the nonce of the first form of a page."""
    return dict(HIDDEN.findall(page)[:2])


def send(client: TestClient, page: str, path: str, **fields: Any) -> Any:
    """Send a form to `path` as a reader of `page` does."""
    shown = client.get(page)
    assert shown.status_code == 200, shown.text
    return client.post(path, data={**hidden(shown.text), **fields})
