"""Talks on the site: without and with JavaScript, with a system and between two people."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.arena.talks.test_pairs import SETTINGS, good, scenes
from tests.site.talk_examples import talk_examples
from tests.site.world import send

from duologue.arena.people.secret import new_secret
from duologue.arena.people.tokens import make_token
from duologue.arena.talks import pairs, rooms, sessions
from duologue.core.plugins import load_task
from duologue.site.pages import talk_events

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playwright.sync_api import Page
    from sqlalchemy import Connection
    from starlette.testclient import TestClient
    from tests.site.conftest import Accessibility
    from tests.site.world import World


GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams that end soon: a client in the same process reads them whole."""
    monkeypatch.setattr(talk_events, "STREAM_SECONDS", 0.4)


def begin_pairing(world: World, count: int = 3) -> str:
    return str(
        world.write(
            lambda connection: pairs.start_pairing(
                connection, title="Films", task="proactive", scenes=scenes(count), settings=SETTINGS, now=1
            )
        )
    )


def begin_calls(world: World) -> str:
    task = pairs.paired_task("mobilecs/dialogue")
    calls = task.pair_scenes(GOLDEN / "mobilecs" / "small-dialogue.json", n=1, seed=1)
    return str(
        world.write(
            lambda connection: pairs.start_pairing(
                connection,
                title="Calls",
                task="mobilecs/dialogue",
                scenes=calls,
                settings=pairs.settings_for(task),
                now=1,
            )
        )
    )


CALL = ("青松套餐多少钱", "青松套餐三十八元", "它的流量呢", "含五个g流量")
"""What customer and staff say in turn."""


def events(told: str) -> list[tuple[str, dict[str, object]]]:
    return [(name, json.loads(data)) for name, data in re.findall(r"event: (\w+)\ndata: (.*)\n", told)]


def until_my_turn(client: TestClient, talk: str, after: int) -> list[tuple[str, dict[str, object]]]:
    """Return the events of one stream after another, as a browser opens them, until the person may speak."""
    found: list[tuple[str, dict[str, object]]] = []
    for _ in range(150):
        found += events(client.get(f"{talk}/events?after={after}").text)
        if found[-1][1].get("status") == "It is your turn.":
            return found
    raise AssertionError("the system does not answer")


def test_a_talk_with_a_system_is_streamed_and_every_text_is_escaped(world: World, brief: None) -> None:
    organiser, client = world.client("organiser"), world.client("volunteer")
    assert "mobilecs/dialogue: rule-agent" in organiser.get("/talk-lists").text
    offer = "mobilecs/dialogue: rule-agent"
    made = send(organiser, "/talk-lists", "/talk-lists/rooms", title="Call <us>", offer=offer, shows="goal")
    room = made.headers["location"].partition("?")[0].rpartition("/")[2]
    assert "Call &lt;us&gt;" in client.get("/talks").text
    assert "rule-agent" not in client.get(f"/talks/rooms/{room}").text  # nobody is told whom they talk with
    talk = send(client, f"/talks/rooms/{room}", f"/talks/rooms/{room}/enter").headers["location"]
    assert until_my_turn(client, talk, -1)[0][1]["status"] == "The system is getting ready."
    shown = client.get(talk).text
    assert "You are the customer" in shown
    assert "晴空套餐" in shown  # the goal card
    assert "rule-agent" not in shown
    assert send(client, talk, f"{talk}/say", text="<script>alert(1)</script> 多少钱").status_code == 303
    assert send(client, talk, f"{talk}/say", text="too early").status_code == 409
    (answer,) = (data for name, data in until_my_turn(client, talk, 0) if name == "turns")
    assert answer["last"] == 1
    shown = client.get(talk).text
    assert "&lt;script&gt;alert(1)" in shown
    assert "<script>alert" not in shown
    assert 'class="trace"' not in shown
    assert 'class="trace"' in organiser.get(talk).text
    own = send(organiser, f"/talks/rooms/{room}", f"/talks/rooms/{room}/enter").headers["location"]
    until_my_turn(organiser, own, -1)
    assert send(organiser, own, f"{own}/say", text="多少钱").status_code == 303
    until_my_turn(organiser, own, 0)
    assert 'class="trace"' not in organiser.get(own).text  # who rates blind is told no more than others
    after = send(client, talk, f"{talk}/finish?next=%2Frate%2Fx%3Fa%3D1%26b%3D2").headers["location"]
    assert after == f"{talk}?next=%2Frate%2Fx%3Fa%3D1%26b%3D2"
    assert "you ended it" in client.get(talk).text
    assert send(organiser, f"/talk-lists/rooms/{room}", f"/talk-lists/rooms/{room}/close").status_code == 303
    assert "closed" in client.get(f"/talks/rooms/{room}").text
    lines = organiser.get(f"/talk-lists/rooms/{room}/export").text.splitlines()
    assert json.loads(lines[0])["turns"][0]["text"].startswith("<script>")
    assert world.ids["volunteer"] not in lines[0]


def test_a_talk_is_for_its_people_and_the_staff_alone(world: World, brief: None) -> None:
    room, talk, pairing, dialogue = talk_examples(world)
    for path in (f"/talks/{talk}", f"/talks/{talk}/events", f"/talks/{dialogue}"):
        assert world.client("judge" if "events" not in path else "volunteer").get(path).status_code == 200
        other = world.client("volunteer" if dialogue in path else "participant")
        assert other.get(path).status_code == 404
    outsider = world.client("participant")
    assert send(outsider, "/talks", f"/talks/{talk}/say", text="hi").status_code in {403, 404}
    assert send(world.client("judge"), f"/talks/rooms/{room}", f"/talks/{talk}/say", text="hi").status_code == 409
    assert world.client("volunteer").get(f"/talk-lists/pairs/{pairing}").status_code == 403
    assert world.client("organiser").get("/talk-lists/other/x").status_code == 404


def test_two_people_talk_without_javascript_and_the_file_is_official(world: World, tmp_path: Path, brief: None) -> None:
    pairing = begin_pairing(world)
    ann, ben, organiser = world.client("volunteer"), world.client("participant"), world.client("organiser")
    assert send(ann, f"/pairs/{pairing}", f"/pairs/{pairing}/wait").headers["location"] == f"/pairs/{pairing}"
    assert 'http-equiv="refresh"' in ann.get(f"/pairs/{pairing}").text
    talk = send(ben, f"/pairs/{pairing}", f"/pairs/{pairing}/wait").headers["location"]
    assert ann.get(f"/pairs/{pairing}").headers["location"] == talk
    assert events(ann.get(f"/pairs/{pairing}/events").text) == [("talk", {"path": talk})]
    assert "You lead" in ann.get(talk).text
    assert "导演" in ann.get(talk).text
    assert "Just talk" in ben.get(talk).text
    assert "导演" not in ben.get(talk).text  # whoever follows sees neither goal nor knowledge
    assert send(ben, talk, f"{talk}/say", text="me first").status_code == 409
    for at, text in enumerate(good()):
        assert send((ann, ben)[at % 2], talk, f"{talk}/say", text=text).status_code == 303
    assert send(ben, talk, f"{talk}/finish").status_code == 409
    assert send(ann, talk, f"{talk}/finish").status_code == 303
    listed = organiser.get(f"/talk-lists/pairs/{pairing}").text
    assert "accepted" in listed
    body = organiser.get(f"/talk-lists/pairs/{pairing}/export").text
    assert json.loads(body)["goal"][0] == ["START", "片0", "人0"]
    judged = send(organiser, f"/talk-lists/pairs/{pairing}", f"/talk-lists{talk}/verdict", verdict="rejected")
    assert judged.status_code == 303
    assert organiser.get(f"/talk-lists/pairs/{pairing}/export").status_code == 409


def test_a_call_of_two_people_shows_each_their_own_side(world: World, brief: None) -> None:
    pairing = begin_calls(world)
    ann, ben = world.client("volunteer"), world.client("participant")
    send(ann, f"/pairs/{pairing}", f"/pairs/{pairing}/wait")
    talk = send(ben, f"/pairs/{pairing}", f"/pairs/{pairing}/wait").headers["location"]
    pages = {"staff" if "You are the staff" in one.get(talk).text else "customer": one for one in (ann, ben)}
    staff, customer = pages["staff"], pages["customer"]
    seen = {name: one.get(talk).text for name, one in pages.items()}
    assert "You are the customer, and begin" in seen["customer"]
    assert "ask for 青松套餐" in seen["customer"]
    assert "ask for" not in seen["staff"]
    assert "四十二块" in seen["staff"]  # the balance, which the customer is to hear
    assert "四十二块" not in seen["customer"]
    for at, text in enumerate(CALL):
        send((customer, staff)[at % 2], talk, f"{talk}/say", text=text)
    assert send(staff, talk, f"{talk}/finish").status_code == 303
    with world.database.reading() as connection:
        (dialogue,) = pairs.accepted_dialogues(connection, pairing)
    assert [turn.speaker for turn in dialogue.turns] == ["user", "system"] * 2


def test_who_gives_up_comes_back_to_the_waiting_room(world: World) -> None:
    pairing = begin_pairing(world)
    ann, ben = world.client("volunteer"), world.client("participant")
    send(ann, f"/pairs/{pairing}", f"/pairs/{pairing}/wait")
    assert send(ann, f"/pairs/{pairing}", f"/pairs/{pairing}/leave").status_code == 303
    send(ann, f"/pairs/{pairing}", f"/pairs/{pairing}/wait")
    talk = send(ben, f"/pairs/{pairing}", f"/pairs/{pairing}/wait").headers["location"]
    gone = send(ann, talk, f"{talk}/give-up")
    assert gone.headers["location"].startswith(f"/pairs/{pairing}?said=")
    assert "gave up" in ben.get(talk).text


def test_a_silent_dialogue_is_over_for_whoever_looks(world: World) -> None:
    settings = pairs.settings_for(pairs.paired_task("proactive"), turn_seconds=10)
    made = world.database.now() - 20_000

    def begin(connection: Connection) -> str:
        pairing = pairs.start_pairing(
            connection, title="Films", task="proactive", scenes=scenes(1), settings=settings, now=made
        )
        pairs.wait(connection, pairing, world.ids["volunteer"], now=made)
        return pairs.wait(connection, pairing, world.ids["participant"], now=made).talk_id or ""

    assert "silent for too long" in world.client("volunteer").get(f"/talks/{world.write(begin)}").text


def test_a_program_talks_over_the_api(world: World) -> None:
    secret, now, me = new_secret(), world.database.now(), world.ids["volunteer"]
    world.write(lambda connection: make_token(connection, secret, me, "program", now=now, by=me))
    room = world.write(
        lambda connection: rooms.open_room(connection, title="T", task="restaurant", system="solver", now=now)
    )
    client = world.client()
    client.headers["Authorization"] = f"Bearer {secret.text}"
    assert client.get("/api/v1/rooms").json() == [{"id": room, "title": "T"}]
    talk = client.post(f"/api/v1/rooms/{room}/talks").json()["id"]

    def settled() -> dict[str, Any]:
        for _ in range(300):
            found: dict[str, Any] = client.get(f"/api/v1/talks/{talk}").json()
            if not found["due"]:
                return found
            time.sleep(0.1)
        raise AssertionError("the system does not answer")

    assert settled()["turns"] == []
    assert client.post(f"/api/v1/talks/{talk}/turns", json={"text": "hello"}).json()["due"]
    assert [one["speaker"] for one in settled()["turns"]][:2] == ["user", "system"]
    assert client.post(f"/api/v1/talks/{talk}/end").json()["state"] == "finished"
    assert client.post(f"/api/v1/talks/{talk}/turns", json={"text": "x"}).status_code == 400
    assert client.get("/api/v1/talks/nothing").status_code == 404


def test_a_program_says_nothing_in_a_dialogue_of_two_people(world: World) -> None:
    pairing = begin_pairing(world)
    now, ann, ben = world.database.now(), world.ids["volunteer"], world.ids["participant"]
    world.write(lambda connection: pairs.wait(connection, pairing, ann, now=now))
    talk = world.write(lambda connection: pairs.wait(connection, pairing, ben, now=now).talk_id)
    client = world.api("volunteer")
    assert client.post(f"/api/v1/talks/{talk}/turns", json={"text": "hi"}).status_code == 404
    assert client.post(f"/api/v1/talks/{talk}/end").status_code == 404
    with world.database.reading() as connection:
        found = sessions.find_talk(connection, str(talk))
        assert found is not None
        assert found.open
        assert sessions.turns_of(connection, found.id) == []


def come(page: Page, pairing: str) -> None:
    """Let somebody come to the page of a campaign of pairs, to wait for another."""
    page.goto(f"/pairs/{pairing}")
    page.get_by_role("button").first.click()


def take_turns(speakers: tuple[Page, Page], texts: Sequence[str]) -> None:
    """Let two people say texts in turn; each is seen by both."""
    for at, text in enumerate(texts):
        page = speakers[at % 2]
        page.locator("#text:not([disabled])").wait_for()
        page.locator("#text").fill(text)
        page.keyboard.press("Enter")
        for reader in speakers:
            reader.locator(f"[data-position='{at}']").get_by_text(text).wait_for()


@pytest.mark.slow
def test_two_browsers_make_a_call(
    world: World, visitor: Callable[..., Page], accessibility: Accessibility, tmp_path: Path
) -> None:
    pairing = begin_calls(world)
    ann, ben = visitor("volunteer", width=375), visitor("participant", language="zh")
    come(ann, pairing)
    ann.locator("[data-hall]").wait_for()
    come(ben, pairing)
    for page in (ann, ben):
        page.wait_for_url("**/talks/*")
    leads = "You are the staff" in ann.inner_text("main")
    staff, customer = (ann, ben) if leads else (ben, ann)
    assert "四十二块" in staff.inner_text("main")
    assert "四十二块" not in customer.inner_text("main"), "the knowledge base is for the staff alone"
    assert staff.locator("#text").is_disabled(), "the customer begins"
    take_turns((customer, staff), CALL)
    assert not accessibility.violations(ann)
    assert not accessibility.violations(ben)
    assert customer.locator("#complete").is_hidden(), "the staff end the call"
    staff.locator("#complete button").click()
    customer.locator("a.button").wait_for()
    body = world.client("organiser").get(f"/talk-lists/pairs/{pairing}/export").content
    made = tmp_path / "made.json"
    made.write_bytes(body)
    assert len(list(load_task("mobilecs/dialogue").load(made))) == 2, "the file is official: an example for each turn"
    with world.database.reading() as connection:
        (dialogue,) = pairs.accepted_dialogues(connection, pairing)
    assert [turn.text for turn in dialogue.turns] == list(CALL)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_browsers_talk_with_each_other(
    world: World, visitor: Callable[..., Page], accessibility: Accessibility, language: str
) -> None:
    pairing = begin_pairing(world)
    ann = visitor("volunteer", language=language, width=375)
    ben = visitor("participant", language=language)
    come(ann, pairing)
    ann.locator("[data-hall]").wait_for()
    assert not accessibility.violations(ann)
    come(ben, pairing)
    for page in (ann, ben):
        page.wait_for_url("**/talks/*")
    take_turns((ann, ben), good())
    assert not accessibility.violations(ann)
    assert not accessibility.violations(ben)
    ann.locator("#complete button").click()
    ben.locator("a.button").wait_for()  # the other page follows by itself
    with world.database.reading() as connection:
        (dialogue,) = pairs.accepted_dialogues(connection, pairing)
    assert [turn.meta["typed"] for turn in dialogue.turns] == good()


@pytest.mark.slow
def test_a_browser_talks_with_a_system_and_finds_its_talk_again(
    world: World, visitor: Callable[..., Page], accessibility: Accessibility
) -> None:
    room = world.write(
        lambda connection: rooms.open_room(
            connection, title="Tables", task="restaurant", system="solver", shows=("trace",), now=1
        )
    )
    page = visitor("volunteer", width=375)
    page.goto(f"/talks/rooms/{room}")
    page.get_by_role("button", name="Begin").click()
    page.locator(".how").wait_for()
    page.locator("#text").fill("may i have a table for four in a cheap price range please")
    page.locator("#send").click()
    page.locator(".turn.system, .turn.other").first.wait_for()
    page.locator("#text:not([disabled])").wait_for()
    count = page.locator("#turns > li").count()
    page.reload()
    assert page.locator("#turns > li").count() == count
    assert not accessibility.violations(page)
    with world.database.reading() as connection:
        (talk,) = sessions.list_talks(connection, room=str(room))
    assert talk.open
