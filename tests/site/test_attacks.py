"""What strangers try: scripts in every field, other people's objects, paths, redirects, heads, bodies, sessions."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import contextmanager
from html.parser import HTMLParser
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import pytest
from tests.site.annotated import annotation_project
from tests.site.examples import AREAS
from tests.site.world import hidden, send

from duologue.arena.people.people import list_people
from duologue.site.server import make_server
from duologue.site.settings import SiteSettings
from duologue.web import connections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page
    from tests.site.world import World

    from duologue.web.server import Server

SCRIPT = """{{7*7}}'"><script>document.title='XSS'</script><img src=x onerror="document.title='XSS'">"""


class Elements(HTMLParser):
    """The elements of a page that can run something."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and not (given.get("src") or "").startswith("/static/"):
            self.found.append("script")
        if tag in {"style", "iframe", "object", "embed", "base"}:
            self.found.append(tag)
        self.found += [name for name in given if name.startswith("on") or name == "style"]
        self.found += [f"{name}={given[name]}" for name in ("href", "src", "action") if foreign(given.get(name))]


def foreign(url: str | None) -> bool:
    return bool(url) and urlsplit(str(url)).scheme not in ("", "http", "https")


def dangerous(page: str) -> list[str]:
    parser = Elements()
    parser.feed(page)
    return parser.found


@contextmanager
def serving(world: World, **settings: Any) -> Iterator[Server]:
    server = make_server(world.database, SiteSettings(workspace=world.workspace, **settings))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join(10)
        assert not thread.is_alive()


@pytest.mark.slow
def test_no_page_can_run_what_somebody_typed(world: World) -> None:
    client = world.client("admin")
    name = SCRIPT[:100]
    answer = send(client, "/people", "/people", name=name, role="judge")
    assert answer.status_code == 200
    assert "&lt;script&gt;" in answer.text
    pages = [answer.text, send(client, "/account", "/account/tokens", label=SCRIPT[:60], days="1").text]
    with world.database.reading() as connection:
        villain = next(one for one in list_people(connection) if "script" in one.name)
    query = urlencode({"action": SCRIPT, "before": SCRIPT, "said": SCRIPT, "next": SCRIPT})
    paths = ["/people", f"/people/{villain.id}", "/audit", f"/audit?{query}", "/account", f"/nothing{SCRIPT}"]
    paths += [f"{one.path}?{query}" for area in AREAS for one in area(world) if one.role == "admin"]
    pages += [client.get(path).text for path in paths]
    client.cookies.set("duologue-session", world.session(villain.id))
    pages += [client.get(path).text for path in ("/", "/account")]
    assert sum("&lt;script&gt;" in one for one in pages) >= 6
    for page in pages:
        assert dangerous(page) == []
        assert page.count("&lt;script") <= page.count("7*7")


@pytest.mark.slow
def test_nor_does_a_real_browser(world: World, visitor: Callable[..., Page]) -> None:
    villain = world.add(SCRIPT[:100], "admin")
    page = visitor(person_id=villain)
    for path in ("/", "/people", f"/people/{villain}", "/audit", "/account"):
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert "XSS" not in page.title() or "<script>" in page.title()


def test_the_check_for_dangerous_pages_sees_them() -> None:
    for bad in ("<script>1</script>", "<p onclick=x>", "<p style=x>", "<a href='javascript:x'>", "<base href=/>"):
        assert dangerous(bad), bad


def test_what_is_nested_too_deeply_is_refused(world: World) -> None:
    _, sheet = annotation_project(world)
    annotator, program = world.client("annotator"), world.api("volunteer")
    deep = "[" * 100_000 + "]" * 100_000
    form = {**hidden(annotator.get("/account").text), "version": "1", "active": "0", "items": deep}
    assert annotator.post(f"/sheets/{sheet}", data=form).status_code == 400
    assert program.post("/api/v1/talks/x/turns", content='{"text": "a", "more": ' + deep + "}").status_code == 400


@pytest.mark.parametrize("role", ["organiser", "judge", "annotator", "participant", "volunteer", ""])
def test_what_is_an_admins_is_nobody_elses(world: World, role: str) -> None:
    admin, client = world.client("admin"), world.client(role)
    other = world.ids["judge"]
    shown = client.get("/account" if role else "/sign-in")
    paths = [f"/people/{other}/roles", f"/people/{other}/links", f"/people/{other}/close", "/people"]
    for path in paths:
        answer = client.post(path, data={**hidden(shown.text), "role": "admin", "name": "x", "days": "1"})
        assert (answer.status_code, answer.headers.get("location")) in {(403, None), (303, "/sign-in")}
    for path in ("/people", f"/people/{other}", "/audit"):
        assert client.get(path).status_code == (403 if role else 303)
    assert admin.get(f"/people/{other}").status_code == 200
    with world.database.reading() as connection:
        assert len(list_people(connection, "admin")) == 1


def test_a_token_of_somebody_else_cannot_be_revoked(world: World) -> None:
    judge, volunteer = world.client("judge"), world.client("volunteer")
    made = send(judge, "/account", "/account/tokens", label="mine", days="1")
    token = re.search(r"<code>(\w+)\.", made.text)
    assert token
    answer = send(volunteer, "/account", f"/account/tokens/{token[1]}/revoke")
    assert answer.status_code == 404
    assert f"/account/tokens/{token[1]}/revoke" in judge.get("/account").text


def test_a_session_that_somebody_planted_is_not_taken_over(world: World) -> None:
    link = f"/enter/{world.link(world.ids['judge'], once=False)}"
    client = world.client()
    planted = "planted." + "x" * 43
    client.cookies.set("duologue-session", planted)
    client.cookies.set("duologue-visitor", "y" * 43)
    answer = send(client, link, link)
    assert answer.status_code == 303
    fresh = answer.headers["set-cookie"]
    assert planted not in fresh
    attacker = world.client()
    attacker.cookies.set("duologue-session", planted)
    assert attacker.get("/account").status_code == 303
    # Whoever is signed in and opens a link of somebody else becomes them by a new session; the old one stays theirs.
    ada = world.client("admin")
    assert send(ada, link, link).status_code == 303
    assert "Some judge" in ada.get("/account").text


def test_looking_at_a_link_does_not_use_it(world: World) -> None:
    link = f"/enter/{world.link(world.ids['judge'])}"
    client = world.client()
    assert [client.get(link).status_code for _ in range(3)] == [200] * 3
    assert send(client, link, link).status_code == 303
    assert client.get(link).status_code == 403


@pytest.mark.parametrize(
    "target",
    ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/\t/evil.example", "evil"],
)
def test_nobody_is_led_elsewhere(world: World, target: str) -> None:
    client = world.client()
    answer = client.get("/language/zh?" + urlencode({"next": target}))
    assert answer.headers["location"] == "/"
    answer = send(client, "/sign-in", "/sign-in", link=target)
    assert answer.status_code == 400 or answer.headers["location"].startswith("/enter/")


def test_no_field_of_an_answer_is_made_by_a_stranger(world: World) -> None:
    client = world.client()
    for path in ("/language/zh?next=/a%0d%0aX-Evil:%201", "/language/zh%0d%0aX-Evil:%201", "/enter/a%0d%0aX-Evil: 1"):
        assert "x-evil" not in client.get(path).headers


@pytest.mark.parametrize(
    "path",
    [
        "/static/../../../../etc/passwd",
        "/static/x/..%2f..%2fwords.py",
        "/static/x/%2e%2e/site.toml",
        "/people/..%2f..%2fetc",
        "/enter/%00",
        "/%ff%fe",
        "/static/x/site.css%00.js",
    ],
)
def test_paths_lead_nowhere_else(world: World, path: str) -> None:
    assert world.client("admin").get(path).status_code in {303, 400, 403, 404}


def test_the_server_answers_its_own_hosts_and_pages_alone(world: World) -> None:
    with serving(world, hosts=("dialogue.example.org",)) as server:
        for fields, status in (
            ({"Host": "dialogue.example.org"}, 200),
            ({"Host": "evil.example"}, 421),
            ({"Host": "dialogue.example.org", "Origin": "https://evil.example"}, 403),
            ({"Host": "dialogue.example.org", "Origin": "https://dialogue.example.org"}, 200),
        ):
            connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
            connection.request("GET", "/sign-in", headers={**fields})
            reply = connection.getresponse()
            body = reply.read().decode()
            connection.close()
            assert reply.status == status
            if status != 200:
                assert reply.headers["content-type"] == "text/html; charset=utf-8"
                assert 'lang="zh-Hans"' in body
                assert "evil" not in body


def test_only_uploads_are_long(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "LARGEST_BODY", 10_000)
    with serving(world, largest_upload=200_000) as server:

        def post(path: str, size: int) -> int:
            connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
            connection.request("POST", path, b"x" * size, {"Content-Type": "text/plain"})
            status = connection.getresponse().status
            connection.close()
            return status

        assert post("/sign-in", 9_000) == 403  # no form token
        assert post("/sign-in", 11_000) == 413
        assert post("/nothing/upload", 190_000) == 404
        assert post("/nothing/upload?a=/b", 190_000) == 404
        assert post("/sign-in?x=/upload", 11_000) == 413
        assert post("/nothing/upload", 210_000) == 413


def test_uploads_that_never_end_take_no_more_than_their_places(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "LARGEST_BODY", 10_000)
    head = b"POST /x/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n"
    with serving(world, largest_upload=200_000) as server:
        slow = [socket.create_connection(("127.0.0.1", server.server_port), timeout=10) for _ in range(6)]
        for one in slow:
            one.sendall(head)
        refused = sum(b"503" in one.recv(100) for one in slow[connections.UPLOADS :])
        assert refused == 2
        connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        connection.request("GET", "/sign-in")
        assert connection.getresponse().status == 200
        connection.close()
        for one in slow:
            one.close()
