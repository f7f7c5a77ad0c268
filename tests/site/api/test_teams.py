"""Teams, phases and finals over the API; data of a phase; the chosen entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.arena.competition.booking import drain_here
from tests.arena.finals.service import GOOD, POOR, TRACK, archive

from duologue.arena.storage import open_blobs

if TYPE_CHECKING:
    from tests.site.world import World

ONE = "/api/v1/tracks/service"


def test_from_registration_to_the_selected(world: World) -> None:
    organiser, ann, bob = world.api("organiser"), world.api("participant"), world.api("annotator")
    opened = organiser.post(
        "/api/v1/new-track/upload", content=archive('approval = true\nstanding = "chosen"\n' + TRACK)
    )
    assert opened.status_code == 200, opened.text
    assert bob.post(f"{ONE}/teams", json={"name": "Bob"}).status_code == 403, "an annotator is no participant"
    assert "agreement" in ann.post(f"{ONE}/teams", json={"name": "Ann"}).json()["error"]["message"]
    team = ann.post(f"{ONE}/teams", json={"name": "Ann", "agreed": True, "external": ["a word list"]}).json()
    assert (team["state"], team["external"]) == ("pending", ["a word list"])
    assert ann.get(f"{ONE}/teams").status_code == 403
    assert (
        organiser.post(f"{ONE}/teams/{team['id']}/state", json={"state": "approved"}).json()[0]["state"] == "approved"
    )
    assert organiser.post(f"{ONE}/teams/nobody/state", json={"state": "approved"}).status_code == 404
    entries = [
        ann.post(f"{ONE}/upload", params={"name": name}, content=data).json()["id"]
        for name, data in (("good.txt", GOOD), ("poor.txt", POOR))
    ]
    drain_here(world.database, open_blobs(world.workspace))
    assert not ann.get(f"/api/v1/entries/{entries[0]}").json()["chosen"]
    assert ann.post(f"/api/v1/entries/{entries[0]}/choose").json()["chosen"]
    assert world.api("organiser").get(f"/api/v1/entries/{entries[1]}").json()["chosen"] is False
    final = f"{ONE}/phases/final"
    assert organiser.get(final).json() == {"finalists": [], "entries": []}
    (inside,) = organiser.post(f"{final}/fill").json()["finalists"]
    assert (inside["team"], inside["entry"]) == ("Ann", entries[0]), "the chosen entry counts"
    assert "filled already" in organiser.post(f"{final}/fill").text
    assert organiser.post(f"{final}/select", json={"teams": ["Ann"]}).json()["finalists"][0]["selected"]
    assert organiser.post(f"{final}/select", json={"teams": ["Rob"]}).status_code == 400
    assert ann.post(f"{final}/fill").status_code == 403
