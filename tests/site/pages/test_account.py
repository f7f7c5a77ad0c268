from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import insert
from tests.site.world import send

from duologue.arena.campaigns.typed_words import REMOVED
from duologue.arena.people.people import list_people
from duologue.arena.talks import sessions
from duologue.arena.talks.tables import talk_turns

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from tests.site.world import World


def test_a_token_is_shown_once_and_lets_programs_in_until_it_is_revoked(world: World) -> None:
    client = world.client("judge")
    made = send(client, "/account", "/account/tokens", label="laptop", days="30")
    token = re.search(r"<code>([^<]+)</code>", made.text)
    assert token
    program = world.client()
    fields = {"Authorization": f"Bearer {token[1]}"}
    assert program.get("/api/v1/me", headers=fields).json()["name"] == "Some judge"
    assert token[1] not in client.get("/account").text
    assert program.get("/account", headers=fields).status_code == 303  # pages want a session
    assert client.get("/api/v1/me").status_code == 401  # and programs no cookie
    name = token[1].partition(".")[0]
    assert send(client, "/account", f"/account/tokens/{name}/revoke").status_code == 303
    assert program.get("/api/v1/me", headers=fields).status_code == 401


def test_signing_out_ends_this_session_or_all(world: World) -> None:
    client = world.client("judge")
    assert send(client, "/account", "/sign-out").headers["location"] == "/sign-in?said=site.signed_out"
    assert world.client("judge").get("/account").status_code == 303
    one, other = world.client(), world.client()
    for client in (one, other):
        client.cookies.set("duologue-session", world.session(world.ids["judge"]))
    assert send(one, "/account", "/account/sign-out").status_code == 303
    assert other.get("/account").status_code == 303


def test_my_data_are_given_out_and_deleted(world: World) -> None:
    client = world.client("volunteer")
    given = client.get("/account/data")
    assert given.headers["content-disposition"].startswith("attachment")
    assert given.json()["people"][0]["name"] == "Some volunteer"
    assert "hash" not in given.text
    assert send(client, "/account", "/account/delete").status_code == 400
    gone = send(client, "/account", "/account/delete", sure="1")
    assert gone.headers["location"] == "/sign-in?said=account.deleted"
    assert client.get("/account").status_code == 303
    with world.database.reading() as connection:
        assert "Some volunteer" not in [one.name for one in list_people(connection)]


def test_an_admin_is_not_deleted(world: World) -> None:
    client = world.client("admin")
    assert "cannot be deleted" in client.get("/account").text
    assert send(client, "/account", "/account/delete", sure="1").status_code == 400


@pytest.mark.parametrize(("ticked", "stays"), [({}, "my number is 5"), ({"words": "1"}, REMOVED)])
def test_what_i_typed_in_talks_goes_where_i_say_so(world: World, ticked: dict[str, str], stays: str) -> None:
    me = world.ids["volunteer"]

    def talk(connection: Connection) -> str:
        said = sessions.start(connection, task="restaurant", system="solver", scene="1", person=me, now=1)
        values = {"talk_id": said, "position": 0, "speaker": "user", "kind": "words", "text": "my number is 5"}
        connection.execute(insert(talk_turns).values(**values, remarks=[], created_at=1))
        return said

    held = world.database.write(talk)
    send(world.client("volunteer"), "/account", "/account/delete", sure="1", **ticked)
    with world.database.reading() as connection:
        (turn,) = sessions.turns_of(connection, held)
    assert turn.text == stays
