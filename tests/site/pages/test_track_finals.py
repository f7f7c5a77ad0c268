"""An organiser lets people rate the finalists from the site's pages, and over the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.arena.campaigns.made import Volunteer, by_length, made_campaign, made_material
from tests.arena.finals.service import open_final
from tests.site.world import send

from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.campaigns.volunteers import enrol
from duologue.arena.competition.phases import finalists_of
from duologue.arena.finals.final_campaign import campaigns_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from tests.site.conftest import Accessibility
    from tests.site.world import World

    from duologue.arena.campaigns.campaign import Campaign

FINAL = "/tracks/service/phases/final"


@pytest.fixture
def rated(world: World) -> World:
    """Return a site with a track whose two teams are in the final."""
    open_final(world.database, world.workspace)
    return world


def newest(world: World) -> Campaign:
    with world.database.reading() as connection:
        return campaigns_of(connection, "service", "final")[0]


def test_from_the_office_to_the_board(rated: World) -> None:
    client = rated.client("organiser")
    page = f"{FINAL}/campaign"
    assert page in client.get("/tracks/service/office").text
    assert "Ann" in client.get(page).text
    begun = send(client, page, page, n="3", per_item="1")
    campaign = newest(rated)
    assert begun.headers["location"] == f"/campaigns/{campaign.id}?said=campaigns.started"
    assert campaign.title in client.get(page).text
    one = f"/campaigns/{campaign.id}"
    assert page in client.get(one).text
    assert send(client, one, f"{one}/board").headers["location"].endswith("results_none")
    person = rated.ids["volunteer"]
    Volunteer(rated.database, campaign.id, person).rate_all(by_length(campaign))
    assert send(client, one, f"{one}/board").headers["location"].endswith("on_board")
    board = client.get("/tracks/service/board").text
    assert "place 1" in board
    assert send(client, one, f"{one}/close").headers["location"].endswith("on_board")
    assert rated.client("participant").get(page).status_code == 403
    assert client.get("/tracks/service/phases/test/campaign").status_code == 404


def test_its_campaign_is_called_in_the_language_of_each_page(rated: World) -> None:
    page = f"{FINAL}/campaign"
    send(rated.client("organiser"), page, page, n="3", per_item="1")
    campaign, me = newest(rated), rated.ids["volunteer"]
    now = rated.database.now()
    rated.write(lambda connection: enrol(connection, campaign, me, now))
    places = [("organiser", "/campaigns"), ("organiser", page), ("organiser", f"/campaigns/{campaign.id}")]
    places += [("organiser", f"/open-links/campaign/{campaign.id}"), ("volunteer", "/rate")]
    for role, place in [*places, ("volunteer", f"/rate/{campaign.id}")]:
        assert "Customer service: Final" in rated.client(role).get(place).text, place
        shown = rated.client(role, language="zh").get(place).text
        assert "客服对话：决赛" in shown, place
        assert "Customer service" not in shown, place


def test_a_campaign_that_there_is_can_be_linked(rated: World) -> None:
    made = made_campaign(rated.database, "conversation", material=made_material(("Ann", "Bob", "reference")))
    client, page = rated.client("organiser"), f"{FINAL}/campaign"
    assert send(client, page, f"{FINAL}/link", campaign="none").status_code == 400
    assert send(client, page, f"{FINAL}/link", campaign=made).status_code == 303
    assert newest(rated).id == made


def test_the_same_over_the_api(rated: World) -> None:
    client = rated.api("organiser")
    begun = client.post(f"/api/v1{FINAL}/campaign", json={"n": 2, "per_item": 1})
    assert begun.status_code == 200, begun.text
    campaign = newest(rated)
    assert begun.json() == {"campaign": campaign.id}
    assert client.post(f"/api/v1{FINAL}/campaign", json={"campaign": campaign.id}).json() == begun.json()
    assert "give n" in client.post(f"/api/v1{FINAL}/campaign", json={}).text
    assert "has no ratings yet" in client.post(f"/api/v1{FINAL}/ratings").text
    Volunteer(rated.database, campaign.id, rated.ids["volunteer"]).rate_all(by_length(campaign))
    assert client.post(f"/api/v1{FINAL}/ratings").json() == {"teams": 2}
    assert client.post(f"/api/v1/campaigns/{campaign.id}/close").json()["status"] == "closed"
    (final,) = [one for one in client.get("/api/v1/tracks/service/board").json()["phases"] if one["phase"] == "final"]
    assert {one["team"] for one in final["ratings"]} == {"Ann", "Bob"}
    with rated.database.reading() as connection:
        assert not find_campaign(connection, campaign.id).open
    assert rated.api("participant").post(f"/api/v1{FINAL}/campaign", json={"n": 2}).status_code == 403


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_organiser_selects_the_finalists_that_people_put_first(
    rated: World, visitor: Callable[..., Page], accessibility: Accessibility, language: str
) -> None:
    client, page = rated.client("organiser"), f"{FINAL}/campaign"
    send(client, page, page, n="3", per_item="1")
    campaign = newest(rated)
    Volunteer(rated.database, campaign.id, rated.ids["volunteer"]).rate_all(by_length(campaign))
    send(client, f"/campaigns/{campaign.id}", f"/campaigns/{campaign.id}/board")
    window = visitor("organiser", language=language, width=375)
    window.goto("/tracks/service/office")
    boxes = {box.locator("xpath=..").inner_text().split()[0]: box for box in window.locator("input[name=team]").all()}
    assert set(boxes) == {"Ann", "Bob"}
    (first,) = [name for name, box in boxes.items() if box.is_checked()]
    assert not accessibility.violations(window), "one is proposed: whom people put first"
    boxes[first].focus()
    window.keyboard.press("Space")
    other = "Bob" if first == "Ann" else "Ann"
    boxes[other].focus()
    window.keyboard.press("Space")
    with window.expect_navigation():
        window.keyboard.press("Enter")
    assert window.locator(".said").count() == 1
    assert not accessibility.violations(window)
    with rated.database.reading() as connection:
        assert [one.name for one in finalists_of(connection, "service", "final") if one.selected] == [other]
    window.goto("/tracks/service/board")
    row = window.locator("tbody tr", has=window.get_by_role("rowheader", name=other))
    assert {"en": "selected", "zh": "入选"}[language] in row.first.inner_text()
