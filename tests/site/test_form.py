from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from tests.site.world import hidden, send

from duologue.arena.people.people import list_people
from duologue.site.form import token_of

if TYPE_CHECKING:
    from tests.site.world import World


def names(world: World) -> list[str]:
    with world.database.reading() as connection:
        return [one.name for one in list_people(connection)]


NEW = {"name": "Wei", "role": ["volunteer"]}


def test_a_form_is_done_once_however_often_it_is_sent(world: World) -> None:
    client = world.client("admin")
    fields = hidden(client.get("/people").text) | NEW
    with ThreadPoolExecutor(5) as senders:
        answers = list(senders.map(lambda _: client.post("/people", data=fields), range(5)))
    assert [one.status_code for one in answers] == [200] * 5
    links = {one.text.partition('<p class="secret">')[2].partition("</p>")[0] for one in answers}
    assert len(links) == 1  # the same link is shown again
    assert names(world).count("Wei") == 1


def test_the_nonce_of_somebody_else_gives_nothing_of_theirs(world: World) -> None:
    ada = world.client("admin")
    fields = hidden(ada.get("/people").text)
    assert ada.post("/people", data=fields | NEW).status_code == 200
    other = world.add("Other", "admin")
    bo = world.client()
    bo.cookies.set("duologue-session", world.session(other))
    own = hidden(bo.get("/people").text)
    answer = bo.post("/people", data={**own, "form_nonce": fields["form_nonce"], "name": "Bo2", "role": ["judge"]})
    assert answer.status_code == 200
    assert "Bo2" in names(world)


@pytest.mark.parametrize("wrong", ["none", "empty", "other", "visitor"])
def test_a_form_without_the_token_of_this_session_is_refused(world: World, wrong: str) -> None:
    client = world.client("admin")
    fields: dict[str, Any] = hidden(client.get("/people").text) | NEW
    if wrong == "none":
        del fields["form_token"]
    else:
        keys = {"empty": "", "other": world.cookie("judge"), "visitor": "x" * 43}
        fields["form_token"] = "" if wrong == "empty" else token_of(keys[wrong])
    answer = client.post("/people", data=fields)
    assert answer.status_code == 403
    assert "earlier visit" in answer.text
    assert "Wei" not in names(world)


@pytest.mark.parametrize("nonce", ["", "a b", "x" * 65, "é!"])
def test_a_form_without_a_nonce_is_refused(world: World, nonce: str) -> None:
    client = world.client("admin")
    fields = hidden(client.get("/people").text) | NEW | {"form_nonce": nonce}
    assert client.post("/people", data=fields).status_code == 400


@pytest.mark.parametrize(
    ("page", "path", "fields", "said"),
    [
        ("/people", "/people", {"name": "", "role": "judge"}, "is empty"),
        ("/people", "/people", {"name": "x" * 101, "role": "judge"}, "longer than 100"),
        ("/people", "/people", {"name": "a\0b", "role": "judge"}, "not offered"),
        ("/people", "/people", {"name": "Wei", "role": "king"}, "not offered"),
        ("/people", "/people", {"name": "a\u202eb", "role": "judge"}, "printable"),
        ("/account", "/account/tokens", {"label": "x", "days": "367"}, "from 1 to 366"),
        ("/account", "/account/tokens", {"label": "x", "days": "²"}, "whole number"),
        ("/account", "/account/tokens", {"label": "x", "days": "1e3"}, "whole number"),
        ("/account", "/account/language", {"language": "de"}, "not offered"),
        ("/account", "/account/delete", {}, "not ticked"),
    ],
)
def test_a_field_that_is_not_as_it_should_be_is_named(
    world: World, page: str, path: str, fields: dict[str, str], said: str
) -> None:
    answer = send(world.client("admin"), page, path, **fields)
    assert answer.status_code == 400
    assert said in answer.text


def test_odd_bodies_of_forms_are_refused(world: World) -> None:
    client = world.client("admin")
    many = "&".join(f"a{number}=1" for number in range(5_000))
    multipart = {"content-type": "multipart/form-data; boundary=x"}
    for body, fields in (
        (many, {"content-type": "application/x-www-form-urlencoded"}),
        ("--x\r\nno head", multipart),
        ("", {"content-type": "multipart/form-data"}),
        ('{"name": "Wei"}', {"content-type": "application/json"}),
    ):
        assert client.post("/people", content=body, headers=fields).status_code in {400, 403}


@pytest.mark.parametrize("charset", ["punycode", "undefined", "unicode_escape", "a\\0b", "idna", "utf-7", "x" * 5_000])
def test_a_form_in_another_encoding_than_utf_8_is_refused_before_it_is_read(world: World, charset: str) -> None:
    part = '--x\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    for client, length in ((world.client(), 1_000_000), (world.client("admin"), 10)):
        fields = hidden(client.get("/sign-in").text)
        body = (
            "".join(part.format(*one) for one in {**fields, "link": "a" * length, "name": "\\ud800"}.items()) + "--x--"
        )
        kind = {"content-type": f'multipart/form-data; boundary=x; charset="{charset}"'}
        begun = time.monotonic()
        assert client.post("/sign-in", content=body, headers=kind).status_code == 400
        assert time.monotonic() - begun < 5


def test_a_form_may_say_that_it_is_utf_8(world: World) -> None:
    client = world.client("admin")
    fields = {**hidden(client.get("/people").text), "name": "\u674e", "role": "judge"}
    part = '--x\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    body = "".join(part.format(*one) for one in fields.items()) + "--x--"
    kind = {"content-type": "multipart/form-data; boundary=x; charset=UTF-8"}
    assert client.post("/people", content=body.encode(), headers=kind).status_code == 200
    assert "\u674e" in names(world)
