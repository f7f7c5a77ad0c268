"""One's own account over the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.people.people import list_people

if TYPE_CHECKING:
    from tests.site.world import World


def test_a_program_chooses_a_language_and_reads_what_is_kept(world: World) -> None:
    client = world.api("judge")
    assert client.post("/api/v1/me/language", json={"language": "zh"}).json()["language"] == "zh"
    assert client.post("/api/v1/me/language", json={"language": "fr"}).status_code == 400
    kept = client.get("/api/v1/me/data")
    assert "people" in kept.json()
    assert client.headers["authorization"].split(".")[-1] not in kept.text
    assert "hash" not in kept.text


def test_a_token_is_revoked_by_itself_and_makes_none(world: World) -> None:
    client, other = world.api("judge"), world.api("organiser")
    (token,) = client.get("/api/v1/me/tokens").json()
    assert other.post(f"/api/v1/me/tokens/{token['id']}/revoke").status_code == 404, "it is nobody else's"
    assert client.post("/api/v1/me/tokens", json={"label": "more"}).status_code in {404, 405}
    assert client.post(f"/api/v1/me/tokens/{token['id']}/revoke").json()[0]["revoked_at"]
    assert client.get("/api/v1/me").status_code == 401


def test_sessions_end_everywhere_and_tokens_stay(world: World) -> None:
    browser, client = world.client("judge"), world.api("judge")
    assert browser.get("/account").status_code == 200
    assert client.post("/api/v1/me/sign-out").status_code == 200
    assert browser.get("/account").headers["location"] == "/sign-in"
    assert client.get("/api/v1/me").status_code == 200


def test_nobody_is_deleted_who_is_not_sure(world: World) -> None:
    client = world.api("judge")
    assert "sure" in client.post("/api/v1/me/delete", json={}).json()["error"]["message"]
    assert client.post("/api/v1/me/delete", json={"sure": True, "words": True}).status_code == 200
    assert client.get("/api/v1/me").status_code == 401
    with world.database.reading() as connection:
        assert world.ids["judge"] not in {one.id for one in list_people(connection)}
