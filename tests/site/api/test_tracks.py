"""Tracks over the JSON API, and `duologue submit --site` on a real server."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner
from tests.arena.competition.booking import as_file, drain_here, result
from tests.site.track_examples import made_track

from duologue.arena.people.secret import new_secret
from duologue.arena.people.tokens import make_token
from duologue.arena.storage import open_blobs
from duologue.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

    from tests.site.world import World


def token_of(world: World, role: str) -> str:
    secret, now = new_secret(), world.database.now()
    world.write(lambda connection: make_token(connection, secret, world.ids[role], "test", now=now, by=None))
    return secret.text


def test_a_program_sees_tracks_entries_and_the_board(world: World) -> None:
    made = made_track(world)
    client = world.client()
    client.headers["Authorization"] = f"Bearer {token_of(world, 'participant')}"
    (track,) = client.get("/api/v1/tracks").json()["tracks"]
    assert [phase["time"] for phase in track["phases"]] == ["open", "open", "ahead"]
    found = {one["id"]: one for one in client.get("/api/v1/tracks/booking/entries").json()["entries"]}
    assert found[made.refused]["state"] == "refused"
    assert found[made.scored]["summary"]["difference"][0]["better"] == "a"
    assert "details" not in found[made.refused]
    board = client.get("/api/v1/tracks/booking/board").json()
    assert board["teams"][0] == "Ann"
    assert board["phases"][0]["minimum_detectable_difference"] > 0
    head = {"Idempotency-Key": "one"}
    kept = [
        client.post("/api/v1/tracks/booking/upload?name=x.json&phase=test-2", content=as_file(result(2)), headers=head)
        for _ in range(2)
    ]
    assert kept[0].status_code == 400, "the quota of test 2 is used up: one is scored, one waits"
    assert client.post(f"/api/v1/entries/{made.waiting}/cancel").json()["state"] == "cancelled"
    assert client.post(f"/api/v1/entries/{made.waiting}/cancel").status_code == 400
    kept = [
        client.post("/api/v1/tracks/booking/upload?name=x.json&phase=test-2", content=as_file(result(2)), headers=head)
        for _ in range(2)
    ]
    assert kept[0].json()["id"] == kept[1].json()["id"]
    assert world.client().get("/api/v1/tracks/booking/entries").status_code == 401
    document = client.get("/api/v1/openapi.json").json()
    assert "/api/v1/tracks/{track}/upload" in document["paths"]


def test_the_command_hands_in_on_a_site(world: World, address: str, tmp_path: Path) -> None:
    made_track(world)
    (tmp_path / "mine.json").write_bytes(as_file(result(wrong=1)))
    common = ["--track", "booking", "--site", address, "--token", token_of(world, "participant")]

    def call(*words: str) -> Any:
        return CliRunner().invoke(cli, ["submit", *words, *common, "--json"])

    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.2):
            drain_here(world.database, open_blobs(world.workspace))

    worker = threading.Thread(target=work)
    worker.start()
    try:
        full = call(str(tmp_path / "mine.json"), "--phase", "test-1", "--wait")
        assert "quota of 2 a day is used up" in str(full.exception)
        told = call("--status")
        assert "mine.json" not in told.output
        states = {one["state"] for one in json.loads(told.output)["entries"]}
        assert {"scored", "refused"} <= states
    finally:
        stop.set()
        worker.join()
