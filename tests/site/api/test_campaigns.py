"""Campaigns over the JSON API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.arena.campaigns.made import SYSTEMS, made_campaign

from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.campaigns.volunteers import enrol

if TYPE_CHECKING:
    from tests.site.world import World

POINTS = {"informativeness": 2, "coherence": 1, "factual-accuracy": 0}


def test_a_volunteers_program_rates_blind_and_an_organisers_reads_results(world: World) -> None:
    made = made_campaign(world.database, onboarding=())
    me = world.ids["volunteer"]
    world.write(lambda c: enrol(c, find_campaign(c, made), me, 1))
    volunteer, organiser = world.api("volunteer"), world.api("organiser")
    told = volunteer.get(f"/api/v1/rate/{made}")
    found = told.json()
    assert [one["name"] for one in found["criteria"]] == list(POINTS)
    assert not [name for name in SYSTEMS if name in told.text]
    path = f"/api/v1/rate/{made}/items/{found['view']['item']['assignment']}"
    kept = volunteer.post(path, json={"points": POINTS, "seconds": 4}, headers={"Idempotency-Key": "one"})
    assert kept.json()["version"] == 1
    again = volunteer.post(path, json={"points": POINTS, "seconds": 4}, headers={"Idempotency-Key": "one"})
    assert again.json() == kept.json()
    assert volunteer.post(path, json={"points": {**POINTS, "coherence": 9}}).status_code == 400
    assert not [name for name in SYSTEMS if name in kept.text]
    one = organiser.get(f"/api/v1/campaigns/{made}").json()
    assert (one["progress"]["rated"], one["volunteers"][0]["rated"]) == (1, 1)
    assert len(organiser.get(f"/api/v1/campaigns/{made}/ratings").json()) == 3
    assert organiser.get(f"/api/v1/campaigns/{made}/results").json()["ratings"] == 3
    links = organiser.post(f"/api/v1/campaigns/{made}/links", json={"n": 2}).json()
    assert [link["code"] for link in links] == ["r02", "r03"]
    assert organiser.post(f"/api/v1/campaigns/{made}/close").json()["status"] == "closed"
    assert organiser.get("/api/v1/campaigns").json()[0]["status"] == "closed"


def test_others_see_nothing(world: World) -> None:
    made = made_campaign(world.database)
    volunteer = world.api("volunteer")
    assert volunteer.get(f"/api/v1/rate/{made}").status_code == 404
    for path in ("", f"/{made}", f"/{made}/results", f"/{made}/ratings"):
        assert volunteer.get(f"/api/v1/campaigns{path}").status_code == 403
    assert world.api("organiser").get("/api/v1/campaigns/nothing").status_code == 404
