"""What organisers see of campaigns, and how a new one gets to its first rating."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.arena.campaigns.made import SYSTEMS, Volunteer, by_length, made_campaign
from tests.site.world import hidden, send

from duologue.arena.campaigns.campaign import find_campaign, status_of
from duologue.arena.campaigns.norm_round import current_round, open_round_of, votes_of
from duologue.arena.people.audit import audit_entries
from duologue.cli.campaign_start import start

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from tests.site.world import World


def test_an_organiser_invites_norms_closes_and_reads_results(world: World) -> None:
    made = made_campaign(world.database, per_item=1)
    client = world.client("organiser")
    page = f"/campaigns/{made}"
    assert made in client.get("/campaigns").text
    assert "Nobody has rated anything" in client.get(f"{page}/results").text
    links = send(client, page, f"{page}/links", n="2").text
    paths = re.findall(r'href="http://127.0.0.1(/enter/[^"]+)"', links)
    assert len(set(paths)) == 2
    newcomer = world.client()
    assert send(newcomer, paths[0], paths[0]).headers["location"] == f"/rate/{made}"
    assert send(client, page, f"{page}/norm", items="1").status_code == 303
    assert send(client, page, f"{page}/norm", part="1-vote").status_code == 303
    with world.database.reading() as connection:
        campaign = find_campaign(connection, made)
        norm = current_round(connection, campaign)
    assert norm is not None
    assert norm.state == "discuss"
    Volunteer(world.database, made, "ann").rate_all(by_length(campaign))
    assert all(name in client.get(page).text for name in SYSTEMS)
    shown = client.get(f"{page}/results").text
    assert "alpha (ordinal)" in shown
    assert "agreement takes two" in shown, "what is not defined says why"
    table = client.get(f"{page}/ratings.csv")
    assert table.text.startswith("item,system,rater,criterion,value")
    assert send(client, page, f"{page}/join").headers["location"] == f"/rate/{made}"
    assert send(client, page, f"{page}/close").status_code == 303
    assert "Let it go on" in client.get(page).text
    assert send(client, page, f"{page}/reopen").status_code == 303
    with world.database.reading() as connection:
        logged = {one.action: one.person_id for one in audit_entries(connection, limit=1000)}
    for action in ("norm.open", "norm.discuss", "campaign.close", "campaign.reopen"):
        assert logged[action] == world.ids["organiser"], action


def test_a_norming_round_goes_on_by_one_part_though_two_windows_say_so(world: World) -> None:
    made = made_campaign(world.database, per_item=1)
    client, rater = world.client("organiser"), world.client("volunteer")
    Volunteer(world.database, made, world.ids["volunteer"]).join()
    page = f"/campaigns/{made}"
    assert send(client, page, f"{page}/norm", items="1").status_code == 303
    with world.database.reading() as connection:
        campaign = find_campaign(connection, made)
        norm = open_round_of(connection, campaign)
    windows = [client.get(page).text for _ in range(2)]
    blind = rater.get(f"/rate/{made}/norm").text
    assert 'name="part" value="1-vote"' in windows[0]
    assert 'name="part" value="1-vote"' in blind
    sent = [client.post(f"{page}/norm", data={**hidden(one), "part": "1-vote"}) for one in windows]
    assert [one.status_code for one in sent] == [303, 400]
    assert "has gone on since" in sent[1].text
    assert send(client, page, f"{page}/norm", part="1-discuss").status_code == 303
    points = {f"points-{one.name}": "1" for one in campaign.rating.criterion}
    late = rater.post(f"/rate/{made}/norm/{norm.units[0]}", data={**hidden(blind), **points, "part": "1-vote"})
    assert late.status_code == 400, "a blind vote is none of those after the discussion"
    with world.database.reading() as connection:
        assert votes_of(connection, campaign, open_round_of(connection, campaign)) == ()


def test_where_no_rating_counts_the_page_says_why(world: World) -> None:
    made = made_campaign(world.database, check_every=4, per_item=3)
    with world.database.reading() as connection:
        campaign = find_campaign(connection, made)
    honest = by_length(campaign)
    Volunteer(world.database, made, "cy").rate_all(
        lambda item: honest(item) if item.onboarding else {one.name: 1 for one in campaign.rating.criterion}
    )
    page = f"/campaigns/{made}/results"
    assert "failed more than half of the attention checks" in world.client("organiser").get(page).text
    assert "注意力检查" in world.client("organiser", language="zh").get(page).text


def test_volunteers_see_none_of_it(world: World) -> None:
    made = made_campaign(world.database)
    for path in ("/campaigns", f"/campaigns/{made}", f"/campaigns/{made}/results", f"/campaigns/{made}/ratings.csv"):
        assert world.client("volunteer").get(path).status_code == 403
    assert world.client("organiser").get("/campaigns/nothing").status_code == 404


@pytest.mark.slow
def test_the_first_rating_comes_within_a_minute_of_the_start(
    world: World, address: str, visitor: Callable[..., Page]
) -> None:
    began = time.monotonic()
    for name, replies in {"gold.txt": "S: yes yes {}", "a.txt": "S_HYP: yes {}", "b.txt": "S_HYP: no {}"}.items():
        rows = [f"U: my parcel {number} is late\n{replies.format(number)}\n" for number in range(5)]
        (world.workspace / name).write_text("\n".join(rows), encoding="utf-8")
    here = world.workspace
    words = [
        "conversation",
        "--systems",
        f"one={here / 'a.txt'},two={here / 'b.txt'}",
        "--gold",
        str(here / "gold.txt"),
    ]
    words += ["--n", "5", "--volunteers", "1", "--site", address, "--workspace", str(here), "--json"]
    told = CliRunner().invoke(start, words, catch_exceptions=False)
    made = json.loads(told.output)
    page = visitor()
    page.goto(made["links"][0]["link"])
    page.locator("main button[type=submit]").first.click()
    for key, going_on in (("5", True), ("1", True), ("4", False)):  # two items to learn from, and the first that counts
        page.wait_for_selector("form.ballot")
        page.keyboard.press(key)
        page.keyboard.press("Enter")
        if going_on:
            page.wait_for_selector(".said")
            page.locator("main a.button").click()
    page.wait_for_url("**said=rate.kept")
    taken = time.monotonic() - began
    with world.database.reading() as connection:
        assert status_of(connection, find_campaign(connection, made["id"])).rated == 1
    assert taken < 60
