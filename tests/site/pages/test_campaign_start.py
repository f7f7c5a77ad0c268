"""An organiser starts a campaign from a page, and over the API; a judge's scores join people's there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.arena.campaigns.made import Volunteer, by_length, made_campaign
from tests.arena.finals.service import GOOD, POOR, TRUTH
from tests.site.world import hidden

from duologue.arena.campaigns.campaign import all_campaigns, find_campaign
from duologue.arena.talks.offers import talk_offers

if TYPE_CHECKING:
    from typing import Any

    from starlette.testclient import TestClient
    from tests.site.world import World

    from duologue.arena.campaigns.campaign import Campaign


def newest(world: World) -> Campaign:
    with world.database.reading() as connection:
        return all_campaigns(connection)[0]


def begin(client: TestClient, *files: tuple[str, tuple[str, bytes]], **fields: Any) -> Any:
    asked = {
        "protocol": "conversation",
        "n": "3",
        "seed": "1",
        "task": "",
        "title": "",
        "per_item": "",
        "overlap": "100",
        **fields,
    }
    page = client.get("/campaigns/new").text
    return client.post("/campaigns/upload", data={**hidden(page), **asked}, files=files or None)


def test_of_result_files(world: World) -> None:
    client = world.client("organiser")
    files = [("results", ("one.txt", GOOD)), ("results", ("two.txt", POOR)), ("gold", ("truth.txt", TRUTH))]
    begun = begin(client, *files, title="Replies", title_zh="回复", per_item="2", overlap="34")
    made = newest(world)
    assert begun.headers["location"] == f"/campaigns/{made.id}?said=campaigns.started"
    assert (made.title, made.settings.per_item, made.settings.several) == ("Replies", 2, 1)
    assert "<h1>回复</h1>" in world.client("organiser", language="zh").get(f"/campaigns/{made.id}").text
    assert set(made.systems) == {"one", "two", "reference"}
    wrong = begin(client, ("results", ("one.txt", b"nonsense")), files[2])
    assert wrong.status_code == 400
    assert "results/one.txt" in wrong.text
    assert "/tmp" not in wrong.text
    assert begin(client).status_code == 400, "neither files nor systems"
    assert world.client("participant").get("/campaigns/new").status_code == 403


def test_of_systems_that_volunteers_talk_with(world: World) -> None:
    client = world.client("organiser")
    offers = talk_offers(world.workspace)
    chosen = next(one for one in offers if one.task == "restaurant")
    other = next(one for one in offers if one.task != "restaurant")
    mixed = begin(client, protocol="restaurant", n="2", offer=[chosen.word, other.word])
    assert mixed.status_code == 400, "none is left out without a word"
    assert f"is a system of {other.task}" in mixed.text
    begun = begin(client, protocol="restaurant", n="2", offer=chosen.word)
    assert begun.status_code == 303, begun.text
    assert newest(world).protocol.live
    assert newest(world).systems == (chosen.system,)


def test_the_same_over_the_api(world: World) -> None:
    client = world.api("organiser")
    files = {
        "results": [{"name": "one.txt", "text": GOOD.decode()}, {"name": "two.txt", "text": POOR.decode()}],
        "gold": [{"name": "truth.txt", "text": TRUTH.decode()}],
    }
    begun = client.post("/api/v1/campaigns/upload", json={"protocol": "conversation", "n": 2, **files})
    assert begun.status_code == 200, begun.text
    assert begun.json()["id"] == newest(world).id
    told = client.post("/api/v1/campaigns/upload", json={"protocol": "restaurant", "n": 2, "systems": ["nobody"]})
    assert "offers no system" in told.text
    with_system = {"protocol": "restaurant", "n": 2, "task": "restaurant", "systems": ["solver"]}
    assert client.post("/api/v1/campaigns/upload", json=with_system).status_code == 200
    assert world.api("volunteer").post("/api/v1/campaigns/upload", json=with_system).status_code == 403


def test_a_judge_stands_beside_people(world: World) -> None:
    made = made_campaign(world.database, per_item=2)
    with world.database.reading() as connection:
        campaign = find_campaign(connection, made)
    for person in ("ann", "ben"):
        Volunteer(world.database, made, person).rate_all(by_length(campaign))
    names = [one.name for one in campaign.rating.criterion]
    rows = [",".join(["item", "system", *names])]
    rows += [f"item-{n:03},{system},1,1.5,{n % 2}" for n in range(9) for system in campaign.systems]
    client, page = world.client("organiser"), f"/campaigns/{made}/results"
    assert "PPI++" not in client.get(page).text
    upload = f"/campaigns/{made}/judge/upload"

    def keep(text: str) -> Any:
        return client.post(upload, data=hidden(client.get(page).text), files={"judge": ("judge.csv", text.encode())})

    assert keep("\n".join(rows)).headers["location"] == f"{page}?said=campaigns.judge_kept"
    shown = client.get(page).text
    assert "PPI++" in shown
    assert "judge.csv" in shown
    assert "too few to tell" in shown
    assert "which is no system" in keep(f"item,system,{names[0]}\nitem-000,x,1\n").text
    api = world.api("organiser")
    kept = api.post(f"/api/v1{upload}?name=again.csv", content="\n".join(rows).encode())
    assert kept.json() == {"scores": 81}
    assert api.get(f"/api/v1/campaigns/{made}/results").json()["judge"] is not None
