"""The whole story in a browser: a track is opened, two teams hand in, five people rate the final, the board says it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from tests.arena.finals.service import BROKEN, GOOD, POOR, archive

from duologue.arena.campaigns.campaign_protocol import find_campaign_protocol
from duologue.arena.competition.track_worker import worker_beside
from duologue.arena.storage import open_blobs

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import FilePayload, Page
    from tests.site.world import World

PEOPLE = 5


def file_of(name: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def press(page: Page, button: str) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=button, exact=True).click()


def hand_in(page: Page, name: str, data: bytes) -> None:
    """Hand a file in and wait for what becomes of it, which the page shows by itself."""
    page.goto("/tracks/service/entries")
    page.get_by_label("File").set_input_files(files=[file_of(name, data)])
    press(page, "Hand in")


def register(page: Page, team: str) -> None:
    page.goto("/tracks/service")
    page.get_by_role("link", name="Register a team").click()
    page.get_by_label("Name of the team").fill(team)
    page.get_by_label("We have read the agreement").check()
    press(page, "Register a team")


def rate_everything(page: Page, link: str) -> int:
    """Come in by a link and rate until there is nothing left, and return how many items were shown."""
    known = find_campaign_protocol("conversation").onboarding
    page.goto(link)
    with page.expect_navigation():
        page.locator("main button[type=submit]").first.click()
    start = page.url
    for done in range(100):
        if not page.locator("form.ballot").count():
            return done
        words = page.locator(".rated").inner_text()
        right = next((one.right["quality"] for one in known if one.turns[-1][1] in words), None)
        points = right[0] if right else 1 + words.count("yes")
        page.locator(f"input[name='points-quality'][value='{points}']").check()
        with page.expect_navigation():
            page.locator("form.ballot button[type=submit]").click()
        if "/items/" in page.url:
            page.goto(start)
    raise AssertionError("it never ends")


@pytest.mark.slow
def test_from_the_opening_of_a_track_to_the_ranks_by_people(world: World, visitor: Callable[..., Page]) -> None:
    began = time.monotonic()
    other = world.add("Another participant", "participant")
    organiser, ann, bob = visitor("organiser"), visitor("participant"), visitor(person_id=other, language="zh")
    with worker_beside(world.database, open_blobs(world.workspace)):
        organiser.goto("/tracks")
        organiser.get_by_role("link", name="Open a track").click()
        organiser.get_by_label("Archive").set_input_files(files=[file_of("service.zip", archive())])
        press(organiser, "Open it")
        assert "Customer service" in organiser.inner_text("h1")

        register(ann, "Ann")
        hand_in(ann, "ann.txt", BROKEN)
        ann.get_by_role("heading", name="Problems").wait_for(timeout=30_000)
        assert "refused" in ann.inner_text("#state")
        hand_in(ann, "ann.txt", GOOD)
        bob.goto("/tracks/service/register")
        bob.get_by_label("队伍名称").fill("Bob")
        bob.get_by_label("我们已阅读").check()
        press(bob, "注册队伍")
        bob.goto("/tracks/service/entries")
        bob.locator("input[type=file]").set_input_files(files=[file_of("bob.txt", POOR)])
        press(bob, "提交")
        ann.get_by_role("heading", name="Scores").wait_for(timeout=30_000)
        bob.get_by_role("heading", name="得分").first.wait_for(timeout=30_000)

        organiser.goto("/tracks/service/office")
        press(organiser, "Let them come in now")
        organiser.get_by_role("link", name="Let people rate the finalists").click()
        organiser.get_by_label("Items", exact=True).fill("2")
        organiser.get_by_label("Raters of each item").fill(str(PEOPLE))
        press(organiser, "Start")
        campaign = organiser.url.partition("?")[0]
        organiser.get_by_label("How many").fill(str(PEOPLE))
        press(organiser, "Make links")
        links = organiser.locator(".secret a").all_inner_texts()
        assert len(links) == PEOPLE
        for number, link in enumerate(links):
            assert rate_everything(visitor(language="zh" if number % 2 else "en"), link) == 2 + 2 * 3
        organiser.goto(campaign)
        assert f"{6 * PEOPLE} of {6 * PEOPLE}" in organiser.inner_text("main")
        press(organiser, "Close")

        organiser.get_by_role("link", name="Board").first.click()
        organiser.get_by_role("heading", name="Board of Customer service").wait_for()
    rows = {row.locator("th").inner_text(): row.inner_text() for row in organiser.locator("tbody tr").all()[:2]}
    assert list(rows) == ["Ann", "Bob"]
    assert "4.000" not in rows["Bob"]
    assert "place 1" in rows["Ann"]
    assert "place 2" in rows["Bob"]
    assert "ranks" in rows["Ann"].lower(), "automatic ranks stand beside those of people"
    public = visitor()
    public.goto("/tracks/service/board")
    assert "place 1" in public.inner_text("main")
    assert time.monotonic() - began < 90
