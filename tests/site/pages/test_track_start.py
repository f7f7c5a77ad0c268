"""An organiser opens a track from an archive, on a page and over the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.arena.finals.service import TRACK, archive
from tests.site.world import hidden

if TYPE_CHECKING:
    from tests.site.world import World

PAGE, UPLOAD = "/new-track", "/new-track/upload"


def test_an_organiser_opens_and_changes_a_track(world: World) -> None:
    client = world.client("organiser")
    assert PAGE in client.get("/tracks").text
    assert PAGE not in world.client("participant").get("/tracks").text
    assert world.client("participant").get(PAGE).status_code == 403

    def upload(data: bytes, **more: str) -> str:
        fields = hidden(client.get(PAGE).text) | more
        answer = client.post(UPLOAD, data=fields, files={"archive": ("track.zip", data)})
        return str(answer.headers["location"] if answer.status_code == 303 else answer.text)

    assert upload(archive()) == "/tracks/service?said=tracks.saved"
    assert "Answer each customer." in client.get("/tracks/service").text
    assert "there is a track" in upload(archive())
    assert upload(archive(TRACK.replace("Answer each", "Please answer each")), change="1").startswith("/tracks/service")
    assert "Please answer each" in client.get("/tracks/service").text
    assert "no gold file" in upload(archive(TRACK.replace("truth.txt", "x.txt")))


def test_the_same_over_the_api(world: World) -> None:
    client = world.api("organiser")
    assert client.post(f"/api/v1{UPLOAD}", content=archive()).json()["name"] == "service"
    assert client.post(f"/api/v1{UPLOAD}", content=archive()).status_code == 400
    assert client.post(f"/api/v1{UPLOAD}?change=1", content=archive()).status_code == 200
    assert world.api("judge").post(f"/api/v1{UPLOAD}", content=archive()).status_code == 403
