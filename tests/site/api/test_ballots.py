"""Volunteers' programs: corrections, items left out, norming rounds; a judge who takes part without a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.arena.campaigns.made import SYSTEMS, made_campaign
from tests.site.world import send

from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.campaigns.volunteers import codes_of, enrol

if TYPE_CHECKING:
    from tests.site.world import World

POINTS = {"informativeness": 2, "coherence": 1, "factual-accuracy": 0}


def test_own_ratings_are_listed_corrected_and_left_out(world: World) -> None:
    made, me = made_campaign(world.database, onboarding=()), world.ids["volunteer"]
    world.write(lambda c: enrol(c, find_campaign(c, made), me, 1))
    client, one = world.api("volunteer"), f"/api/v1/rate/{made}"
    assert client.get("/api/v1/rate").json() == [{"id": made, "title": "Made up", "open": True}]
    item = client.get(one).json()["view"]["item"]["assignment"]
    assert client.post(f"{one}/items/{item}", json={"points": POINTS}).status_code == 200
    assert client.get(f"{one}/items/{item}").json()["points"] == POINTS
    (listed,) = client.get(f"{one}/mine").json()
    assert (listed["assignment"], listed["version"]) == (item, 1)
    following = client.get(one).json()["view"]["item"]["assignment"]
    skipped = client.post(f"{one}/items/{following}/skip")
    assert skipped.json()["view"]["item"]["assignment"] != following
    assert client.post(f"{one}/items/{item}/skip").status_code == 400, "it is rated"
    assert client.get(f"{one}/items/none").status_code == 404
    assert world.api("annotator").get(f"{one}/mine").status_code == 404
    assert not [name for name in SYSTEMS if name in skipped.text]


def test_a_norming_round_goes_from_blind_votes_to_second_ones(world: World) -> None:
    made, organiser = made_campaign(world.database, onboarding=()), world.api("organiser")
    for role in ("volunteer", "annotator"):
        world.write(lambda c, role=role: enrol(c, find_campaign(c, made), world.ids[role], 1))
    ann, ben = world.api("volunteer"), world.api("annotator")
    step, round_ = f"/api/v1/campaigns/{made}/norm", f"/api/v1/rate/{made}/norm"
    assert ann.get(round_).json() == {"norming": None}
    assert "no norming round" in organiser.post(step, json={}).text
    assert organiser.post(step, json={"items": 2}).json() == {"number": 1, "state": "vote", "items": 2}
    unit = ann.get(round_).json()["norming"]["items"][0]["unit"]
    ann.post(f"{round_}/{unit}", json={"points": POINTS})
    blind = ben.post(f"{round_}/{unit}", json={"points": {**POINTS, "coherence": 2}}).json()["norming"]["items"][0]
    assert (blind["votes"], blind["points"]["coherence"]) == ([], 2), "others' votes are not shown"
    assert ann.post(f"{round_}/{unit}/remark", json={"text": "early"}).status_code == 400
    assert organiser.post(step, json={}).json()["state"] == "discuss"
    said = ann.post(f"{round_}/{unit}/remark", json={"text": "off the topic"}).json()["norming"]
    assert [one["points"]["coherence"] for one in said["items"][0]["votes"]] == [1, 2]
    assert said["items"][0]["remarks"] == [{"code": "r01", "text": "off the topic"}]
    assert not said["votes_now"]
    assert organiser.post(step, json={}).json()["state"] == "revote"
    assert ben.post(f"{round_}/{unit}", json={"points": POINTS}).json()["norming"]["items"][0]["points"] == POINTS
    assert organiser.post(step, json={}).json()["state"] == "closed"
    assert ann.post(step, json={}).status_code == 403


def test_a_judge_takes_part_without_a_link(world: World) -> None:
    made = made_campaign(world.database, onboarding=())
    client = world.client("judge")
    shown = client.get("/rate").text
    assert "Take part" in shown
    assert not [name for name in SYSTEMS if name in shown]
    joined = send(client, "/rate", f"/campaigns/{made}/join")
    assert joined.headers["location"] == f"/rate/{made}"
    assert "Take part" not in client.get("/rate").text
    assert world.api("judge").post(f"/api/v1/campaigns/{made}/join").json() == {"code": "r01"}
    assert world.api("volunteer").post(f"/api/v1/campaigns/{made}/join").status_code == 403
    assert client.get(f"/campaigns/{made}").status_code == 403, "what systems there are stays hidden"
    with world.database.reading() as connection:
        assert codes_of(connection, find_campaign(connection, made)) == {world.ids["judge"]: "r01"}
