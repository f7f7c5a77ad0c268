"""An organiser makes a link for many, and people come in by it, on pages and over the API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.arena.campaigns.made import made_campaign
from tests.arena.finals.service import open_service
from tests.site.world import hidden, send

from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.campaigns.volunteers import codes_of

if TYPE_CHECKING:
    from tests.site.world import World


def made_link(world: World, page: str, limit: int) -> str:
    client = world.client("organiser")
    shown = send(client, page, page, limit=str(limit), days="3")
    (link,) = re.findall(r'<a href="http://127.0.0.1(/join/[^"]+)"', shown.text)
    assert link not in client.get(page).text, "nobody is told it again"
    return str(link)


def test_strangers_become_volunteers_of_their_own(world: World) -> None:
    campaign = made_campaign(world.database)
    page = f"/open-links/campaign/{campaign}"
    assert page in world.client("organiser").get(f"/campaigns/{campaign}").text
    link = made_link(world, page, 2)
    for _ in range(2):
        stranger = world.client()
        asked = stranger.get(link)
        assert "rate what dialogue systems said" in asked.text
        fields = hidden(asked.text)
        twin = world.client()
        twin.cookies.update(stranger.cookies)
        welcome, again = stranger.post(link, data=fields), twin.post(link, data=fields)
        own = re.findall(r"/enter/[^\"<]+", welcome.text)
        assert re.findall(r"/enter/[^\"<]+", again.text) == own, "the same form twice is one person"
        assert stranger.get(f"/rate/{campaign}").status_code == 200
        assert send(world.client(), own[0], own[0]).headers["location"] == f"/rate/{campaign}"
    assert world.client().get(link).status_code == 403
    with world.database.reading() as connection:
        assert len(codes_of(connection, find_campaign(connection, campaign))) == 2
    assert "2 of 2" in world.client("organiser").get(page).text


def test_strangers_become_participants_and_who_is_signed_in_stays_who_they_are(world: World) -> None:
    open_service(world.database, world.workspace)
    page = "/open-links/track/service"
    link = made_link(world, page, 9)
    stranger = world.client()
    assert send(stranger, link, link, name="").status_code == 400
    assert "/enter/" in send(stranger, link, link, name="<b>Wei</b>").text
    assert "&lt;b&gt;Wei" in stranger.get("/tracks/service/register").text
    known = world.client("volunteer")
    assert send(known, link, link).headers["location"] == "/tracks/service/register"
    assert known.get("/tracks/service/register").status_code == 200
    organiser = world.client("organiser")
    (revoke,) = re.findall(rf'action="({page}/\w+/revoke)"', organiser.get(page).text)
    assert send(organiser, page, revoke).headers["location"].endswith("open_links.revoked")
    assert send(organiser, page, f"{page}/none/revoke").status_code == 404
    assert world.client().get(link).status_code == 403


def test_links_are_made_by_organisers_alone(world: World) -> None:
    campaign = made_campaign(world.database)
    for path in (f"/open-links/campaign/{campaign}", "/open-links/track/none"):
        assert world.client("volunteer").get(path).status_code == 403
    for path in ("/open-links/campaign/none", "/open-links/track/none", "/open-links/people/none"):
        assert world.client("organiser").get(path).status_code == 404


@pytest.mark.slow
def test_the_same_over_the_api(world: World) -> None:
    campaign = made_campaign(world.database)
    client, asked = world.api("organiser"), {"kind": "campaign", "subject": campaign, "limit": 3}
    made = client.post("/api/v1/open-links", json=asked).json()
    assert "/join/" in made["link"]
    (kept,) = client.get(f"/api/v1/open-links/campaign/{campaign}").json()
    assert (kept["id"], kept["limit"], kept["used"]) == (made["id"], 3, 0)
    assert client.post(f"/api/v1/open-links/{made['id']}/revoke").json() == {"revoked": made["id"]}
    assert client.get(f"/api/v1/open-links/campaign/{campaign[:8]}").json()[0]["id"] == made["id"]
    for nothing in ("campaign/none", "track/none", "people/none"):
        assert client.get(f"/api/v1/open-links/{nothing}").status_code == 404
    assert client.post("/api/v1/open-links/none/revoke").status_code == 404
    assert world.api("judge").post("/api/v1/open-links", json=asked).status_code == 403
