from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text
from starlette.testclient import TestClient
from tests.site.world import hidden, send

from duologue.arena.people.people import close_person, set_roles
from duologue.arena.people.personal_data import delete_person
from duologue.arena.talks import rooms, sessions
from duologue.core.errors import NoSpaceError
from duologue.site import gate
from duologue.site.gate import Gate
from duologue.site.settings import SiteSettings
from duologue.site.site import Site

if TYPE_CHECKING:
    from tests.site.world import World


@pytest.mark.parametrize("path", ["/", "/sign-in", "/people", "/nothing", "/api/v1/me", "/static/x/y", "/healthz"])
def test_every_answer_has_the_policy_of_the_site(world: World, path: str) -> None:
    fields = world.client().get(path).headers
    policy = fields["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert fields["x-content-type-options"] == "nosniff"
    assert fields["referrer-policy"] == "same-origin"
    if not path.startswith(("/static/", "/healthz")):
        assert fields["cache-control"] == "no-store"


@pytest.mark.parametrize("gone", [delete_person, close_person])
def test_who_has_left_since_the_request_came_does_nothing_more(world: World, gone: Any) -> None:
    me, now = world.ids["volunteer"], world.database.now()
    room = world.write(
        lambda c: rooms.open_room(c, title="A caller", task="mobilecs/dialogue", system="rule-agent", now=now)
    )
    client, program = world.client("volunteer"), world.api("volunteer")
    fields = hidden(client.get(f"/talks/rooms/{room}").text)
    busy = threading.Event()
    holding = world.database.submit(lambda _: busy.wait(30))  # what is sent meanwhile is let in, and waits
    leaving = world.database.submit(lambda c: gone(c, me, now=now, by=None) and None)
    with ThreadPoolExecutor(2) as senders:
        answers = [
            senders.submit(client.post, f"/talks/rooms/{room}/enter", data=fields),
            senders.submit(program.post, f"/api/v1/rooms/{room}/talks"),
        ]
        time.sleep(1.0)
        busy.set()
        assert [one.result().status_code for one in answers] == [401, 401]
    assert holding.result()
    leaving.result()
    with world.database.reading() as connection:
        assert not sessions.list_talks(connection, room=room)


def test_whose_role_was_taken_since_the_request_came_does_nothing_by_it_any_more(world: World) -> None:
    me, now = world.ids["organiser"], world.database.now()
    room = world.write(
        lambda c: rooms.open_room(c, title="A caller", task="mobilecs/dialogue", system="rule-agent", now=now)
    )
    program = world.api("organiser")
    busy = threading.Event()
    holding = world.database.submit(lambda _: busy.wait(30))  # what is sent meanwhile is let in, and waits
    taking = world.database.submit(lambda c: set_roles(c, me, ["volunteer"], now=now, by=None))
    with ThreadPoolExecutor(1) as senders:
        answer = senders.submit(program.post, f"/api/v1/talk-lists/rooms/{room}/close")
        time.sleep(1.0)
        busy.set()
        assert answer.result().status_code == 403
    assert holding.result()
    taking.result()
    with world.database.reading() as connection:
        assert room in [one.id for one in rooms.list_rooms(connection, closed=False)]


def test_a_database_of_a_visit_carries_out_each_action_as_it_is_made(world: World) -> None:
    mine = world.database.with_each_action(lambda action: lambda connection: [action(connection)])
    told: Any = mine.write(lambda _: 3)
    assert told == [3]
    with mine.reading() as connection:
        assert connection is not None


@pytest.mark.parametrize("path", ["/people", "/api/v1/me"])
def test_a_database_that_cannot_say_who_asks_is_told_and_is_no_fault_of_the_site(
    world: World, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = world.client("admin")
    token = world.api("admin").headers["Authorization"]
    for table in ("sign_in_sessions", "access_tokens"):
        changed = text(f"UPDATE {table} SET hash = x'ff00'")  # the test's own words
        world.write(lambda connection, changed=changed: connection.execute(changed).rowcount)
    assert client.get(path, headers={"Authorization": token}).status_code == 503
    assert not [one for one in caplog.records if one.name.startswith("duologue")]


def test_a_full_disk_is_told_to_the_organiser_and_not_to_the_world(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    client = world.client("admin")

    def refuse() -> None:
        raise NoSpaceError("cannot write files/ab: no space left on the disk")

    monkeypatch.setattr(world.database, "reading", refuse)
    answer = client.get("/people")
    assert (answer.status_code, "files/ab" in answer.text) == (503, False)
    told = {one.getMessage() for one in caplog.records if one.name.startswith("duologue")}
    assert told == {"a request could not be answered: cannot write files/ab: no space left on the disk"}


def test_cookies_are_for_this_site_alone_and_no_script_sees_them(world: World) -> None:
    plain = world.client().get("/sign-in").headers["set-cookie"].lower()
    assert plain.startswith("duologue-visitor=")
    assert "httponly" in plain
    assert "samesite=lax" in plain
    assert "secure" not in plain
    client = TestClient(world.application(proxies=("127.0.0.1",)), base_url="http://a.example", client=("127.0.0.1", 1))
    behind = client.get("/sign-in", headers={"X-Forwarded-Proto": "https"}).headers["set-cookie"].lower()
    assert behind.startswith("__host-duologue-visitor=")
    assert "secure" in behind


def test_what_a_stranger_says_of_a_proxy_is_not_believed(world: World) -> None:
    client = TestClient(world.application(proxies=("10.0.0.0/8",)), client=("192.0.2.7", 1))
    fields = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "198.51.100.1"}
    assert "secure" not in client.get("/sign-in", headers=fields).headers["set-cookie"].lower()


def test_too_many_requests_of_one_address_wait_and_those_of_others_do_not(world: World) -> None:
    app = world.application(per_minute=3, proxies=("10.0.0.1",))
    client = TestClient(app, client=("10.0.0.1", 1))

    def ask(address: str) -> Any:
        return client.get("/sign-in", headers={"X-Forwarded-For": address, "Accept-Language": "zh"})

    assert [ask("192.0.2.1").status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = ask("192.0.2.1")
    assert 0 < int(refused.headers["retry-after"]) <= 60
    assert "请求过于频繁" in refused.text
    assert ask("192.0.2.2").status_code == 200
    # An address that somebody makes up before the one that the proxy saw counts for nothing.
    assert ask("198.51.100.9, 192.0.2.1").status_code == 429
    assert ask("2001:db8::1").status_code == 200
    assert [ask(f"2001:db8::{number}").status_code for number in range(2, 5)] == [200, 200, 429]


def test_people_who_share_an_address_have_each_their_own_limit(world: World) -> None:
    app = world.application(per_minute=3)
    for role in ("judge", "volunteer"):
        client = TestClient(app)
        client.cookies.set("duologue-session", world.cookie(role))
        assert [client.get("/account").status_code for _ in range(4)] == [200, 200, 200, 429]


def test_a_body_beyond_the_limit_is_refused_as_a_page(world: World) -> None:
    client = world.client("admin", largest_body=2_000, language="zh")
    fields = hidden(client.get("/people").text)
    answer = client.post("/people", data={**fields, "name": "x" * 3_000, "role": "judge"})
    assert answer.status_code == 413
    assert "内容过大" in answer.text


def test_a_fault_of_ours_tells_nothing_of_the_machine(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("/secret/path of the machine")

    monkeypatch.setattr("duologue.site.pages.people.list_people", fail)
    answer = world.client("admin").get("/people")
    assert answer.status_code == 500
    assert "Something went wrong here" in answer.text
    assert "secret" not in answer.text
    assert "/secret/path" in caplog.text


def test_an_answer_that_takes_too_long_is_given_up_unless_it_has_begun(world: World) -> None:
    async def slow(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/stream":
            await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(0.3)
        if scope["path"] == "/stream":
            await send({"type": "http.response.body", "body": b"at last"})

    settings = SiteSettings(workspace=world.workspace, seconds=0.05)
    site = Site(world.database, settings)
    application = world.application()
    slow.state = application.app._app.state  # type: ignore[attr-defined]
    client = TestClient(Gate(slow, site))
    assert client.get("/wait").status_code == 504
    assert client.get("/stream").text == "at last"


def test_a_session_of_nobody_is_as_none(world: World) -> None:
    client = world.client()
    for cookie in ("x", "x.y", "x" * 5_000, world.cookie("judge")[:-1]):
        client.cookies.set("duologue-session", cookie)
        assert client.get("/people").headers["location"] == "/sign-in"


def test_the_language_of_the_account_counts_before_that_of_the_browser(world: World) -> None:
    client = world.client("judge")
    assert "My account" in client.get("/account").text
    assert send(client, "/account", "/account/language", language="zh").status_code == 303
    assert "我的账户" in client.get("/account").text
    assert client.get("/language/en?next=/account").headers["location"] == "/account"
    assert "My account" in client.get("/account").text


def test_open_paths_are_no_pages_of_people() -> None:
    assert gate.OPEN == ("/static/", "/healthz")
