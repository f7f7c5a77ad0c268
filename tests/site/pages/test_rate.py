"""What volunteers see and send: blind, resumable, corrected, and kept once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.arena.campaigns.made import SYSTEMS, made_campaign, made_material
from tests.site.world import hidden, send

from duologue.arena.campaigns.campaign import CampaignSettings, close_campaign, find_campaign, status_of
from duologue.arena.campaigns.campaign_protocol import find_campaign_protocol
from duologue.arena.campaigns.proposal import propose
from duologue.arena.campaigns.volunteers import enrol

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from starlette.testclient import TestClient
    from tests.site.world import World

ITEM = re.compile(r'action="(/rate/\w+/items/\w+)"')
POINTS = {"points-informativeness": "2", "points-coherence": "1", "points-factual-accuracy": "0"}


def joined(world: World, protocol: str = "spoken", **chosen: Any) -> str:
    made = made_campaign(world.database, protocol, onboarding=(), **chosen)
    me = world.ids["volunteer"]
    world.write(lambda c: enrol(c, find_campaign(c, made), me, world.database.now()))
    return made


def rated(world: World, made: str) -> int:
    with world.database.reading() as connection:
        return status_of(connection, find_campaign(connection, made)).rated


def next_item(client: TestClient, made: str) -> str:
    found = ITEM.search(client.get(f"/rate/{made}").text)
    assert found
    return found[1]


def test_a_rating_is_kept_once_and_the_place_is_found_again(world: World) -> None:
    made = joined(world)
    client = world.client("volunteer")
    path = next_item(client, made)
    assert next_item(world.client("volunteer"), made) == path, "another browser, the same item"
    page = client.get(f"/rate/{made}").text
    fields = {**hidden(page), **POINTS, "seconds": "7", "remark": "<b>odd</b>"}
    assert client.post(path, data=fields).headers["location"].endswith("said=rate.kept")
    assert client.post(path, data=fields).headers["location"].endswith("said=rate.kept")
    assert rated(world, made) == 1
    assert next_item(client, made) != path
    mine = client.get(f"/rate/{made}/mine").text
    assert path in mine
    again = client.get(path).text
    assert "&lt;b&gt;odd&lt;/b&gt;" in again
    corrected = client.post(path, data={**hidden(again), **POINTS, "points-coherence": "2"})
    assert corrected.headers["location"].endswith("said=rate.corrected")
    assert rated(world, made) == 1


def test_what_lacks_or_is_out_of_the_scale_is_refused(world: World) -> None:
    made = joined(world)
    client = world.client("volunteer")
    path = next_item(client, made)
    for points in ({**POINTS, "points-coherence": "3"}, {"points-coherence": "1"}):
        assert send(client, f"/rate/{made}", path, **points).status_code == 400
    assert rated(world, made) == 0


def test_onboarding_tells_what_is_right(world: World) -> None:
    made = made_campaign(world.database)
    me = world.ids["volunteer"]
    world.write(lambda c: enrol(c, find_campaign(c, made), me, 1))
    client = world.client("volunteer", language="zh")
    path = next_item(client, made)
    wrong = send(client, f"/rate/{made}", path, **POINTS)
    assert "不正确" in wrong.text
    assert next_item(client, made) == path
    right = send(client, f"/rate/{made}", path, **dict.fromkeys(POINTS, "2"))
    assert "正确。" in right.text
    assert next_item(client, made) != path


def test_pairs_need_a_reason(world: World) -> None:
    made = joined(world, "arena")
    client = world.client("volunteer")
    path = next_item(client, made)
    assert send(client, f"/rate/{made}", path, better="a").status_code == 400
    assert send(client, f"/rate/{made}", path, better="a", reason="goal").status_code == 303
    assert rated(world, made) == 1


@pytest.mark.parametrize("protocol", ["spoken", "arena"])
def test_no_page_of_a_volunteer_names_a_system_or_an_item(world: World, protocol: str) -> None:
    made = joined(world, protocol, material=made_material(items=4), per_item=1)
    client = world.client("volunteer")
    answer = {"better": "a", "reason": "goal"} if protocol == "arena" else POINTS
    told = []
    for _ in range(5):
        path = next_item(client, made)
        sent = send(client, f"/rate/{made}", path, **answer)
        told += [client.get(f"/rate/{made}").text, client.get(path).text, str(sent.headers), sent.text]
    told += [client.get("/rate").text, client.get(f"/rate/{made}/mine").text]
    assert not [page for page in told if any(name in page for name in SYSTEMS) or "item-0" in page]


def test_only_volunteers_of_a_campaign_come_in(world: World) -> None:
    made = joined(world)
    path = next_item(world.client("volunteer"), made)
    for role in ("annotator", "organiser"):
        client = world.client(role)
        assert client.get(f"/rate/{made}").status_code == 404
        assert client.get(path).status_code == 404
    assert world.client("volunteer").get("/rate/nothing").status_code == 404
    assert world.client("volunteer").get(f"/rate/{made}/items/nothing").status_code == 404


def test_a_closed_campaign_says_so(world: World) -> None:
    made = joined(world)
    client = world.client("volunteer")
    path, page = next_item(client, made), client.get(f"/rate/{made}").text
    world.write(lambda c: close_campaign(c, find_campaign(c, made), world.database.now()))
    assert "This campaign is closed" in client.get(f"/rate/{made}").text
    assert client.post(path, data={**hidden(page), **POINTS}).status_code == 400
    assert rated(world, made) == 0


def test_an_item_can_be_left_out(world: World) -> None:
    made = joined(world)
    client = world.client("volunteer")
    path = next_item(client, made)
    assert send(client, f"/rate/{made}", f"{path}/skip").status_code == 303
    assert next_item(client, made) != path


@pytest.mark.slow
def test_an_item_is_rated_by_number_keys_alone(world: World, visitor: Callable[..., Page]) -> None:
    made = joined(world)
    page = visitor("volunteer", width=375)
    page.goto(f"/rate/{made}")
    for key in ("2", "1", "0"):
        page.keyboard.press(key)
    assert page.locator("input:checked").count() == 3
    page.keyboard.press("Enter")
    page.wait_for_url("**said=rate.kept")
    assert rated(world, made) == 1


def test_a_live_volunteer_is_led_to_a_talk_that_names_no_system(world: World) -> None:
    protocol = msgspec.structs.replace(find_campaign_protocol("restaurant"), onboarding=())
    proposal = propose(protocol, ["bot-secret=solver"], n=1, settings=CampaignSettings(check_every=0))
    made = proposal.start(world.database)
    me = world.ids["volunteer"]
    world.write(lambda c: enrol(c, find_campaign(c, made), me, world.database.now()))
    client = world.client("volunteer")
    page = client.get(f"/rate/{made}").text
    found = re.search(r'href="(/talks/(\w+)\?next=[^"]+)"', page)
    assert found, page
    talk = client.get(found[1])
    assert talk.status_code == 200
    send(client, found[1], f"/talks/{found[2]}/finish")
    told = [page, talk.text, client.get(found[1]).text, client.get("/talks").text, client.get(f"/rate/{made}").text]
    assert f'href="/rate/{made}"' in told[2], "a finished talk leads back"
    assert not [one for one in told if "bot-secret" in one or "solver" in one.lower()]
