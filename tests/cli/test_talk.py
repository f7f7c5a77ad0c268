"""`duologue talk` from end to end, through the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.arena.talks.made import people
from tests.arena.talks.test_pairs import good, scenes
from tests.command import demand_forced

from duologue.arena.storage import open_database
from duologue.arena.talks import pairs
from duologue.core.plugins import load_task
from duologue.run.systems import recipe_of

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

ENDPOINT = ("--system", "endpoint", "--set", "url=http://127.0.0.1:9/v1", "--set", "model=m")


def test_a_campaign_of_pairs_from_goals_to_the_official_file(duologue: Any, tmp_path: Path) -> None:
    where = ("--workspace", tmp_path / "w")
    task = pairs.paired_task("proactive")
    task.write_dialogues(scenes(2), tmp_path / "goals.jsonl")
    made = duologue("talk", "pair", "proactive", "--goals", tmp_path / "goals.jsonl", "--shortest", "4", *where)
    assert made.code == 0, made.err
    assert "2 dialogues to make" in made.out
    (one,) = json.loads(duologue("talk", "status", "--json", *where).out)["pairs"]
    assert (one["free"], one["state"]) == (2, "open")
    links = json.loads(duologue("talk", "link", one["id"][:6], "--n", "2", "--json", *where).out)
    assert len({found["link"] for found in links}) == 2
    assert duologue("talk", "export", one["id"], "--out", tmp_path / "none", *where).code == 2
    with open_database(tmp_path / "w") as database:
        ann, ben = people(database, "Ann", "Ben")
        now = database.now()
        database.write(lambda c: pairs.wait(c, one["id"], ann, now=now))
        talk = database.write(lambda c: pairs.wait(c, one["id"], ben, now=now)).talk_id or ""
        with database.reading() as connection:
            place = pairs.place_of(connection, one["id"], ann)
        assert place.talk_id == talk
        with database.reading() as connection:
            scene = pairs.list_pairings(connection)[0]
        assert scene.settings.shortest == 4

        def hold(connection: Connection) -> None:
            for at, text in enumerate(good()):
                pairs.say_to_partner(connection, talk, (ann, ben)[at % 2], text + "13812345678" * (at == 3), now=now)
            pairs.complete(connection, talk, ann, now=now)
            pairs.judge(connection, talk, "accepted", now=1)

        database.write(hold)
    out = tmp_path / "sessions.jsonl"
    assert talk not in duologue("talk", "status", *where).out
    assert "is rejected" in duologue("talk", "verdict", talk, "rejected", *where).out
    assert f"rejected: {talk}" in duologue("talk", "status", *where).out
    assert duologue("talk", "export", one["id"], "--out", out, *where).code == 2
    assert duologue("talk", "verdict", talk, "accepted", *where).code == 0
    assert duologue("talk", "verdict", "none", "accepted", *where).code == 2
    told = duologue("talk", "export", one["id"], "--out", out, *where).out
    assert "1 dialogue" in told
    assert "personal data: 2 replaced" in told  # in the text and as it was typed
    demand_forced(duologue, ("talk", "export", one["id"], *where), out)
    assert len(list(load_task("proactive").load(out))) == 2
    assert "<PHONE_1>" in out.read_text("utf-8")
    assert "13812345678" not in out.read_text("utf-8")
    kept = duologue("talk", "export", one["id"], "--keep-personal-data", "--out", tmp_path / "kept", *where)
    assert "personal data was kept" in kept.out
    assert "13812345678" in (tmp_path / "kept").read_text("utf-8")
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o600
    assert "is closed" in duologue("talk", "close", one["id"], *where).out


def test_a_room_is_opened_and_written_out(duologue: Any, tmp_path: Path) -> None:
    where = ("--workspace", tmp_path / "w")
    assert "Nobody talks yet" in duologue("talk", "status", *where).out
    assert duologue("talk", "open", "restaurant", "--title", "Tables", "--show", "goal", *where).code == 0
    told = duologue("talk", "status", *where).out
    assert "Tables: restaurant with solver, open" in told
    room = told.split()[0]
    assert "0 talks" in duologue("talk", "export", room, "--out", tmp_path / "t.jsonl", *where).out


def test_a_room_keeps_the_settings_of_its_system(duologue: Any, tmp_path: Path) -> None:
    where = ("--workspace", tmp_path / "w")
    assert duologue("talk", "open", "restaurant", *ENDPOINT, "--set", "temperature=0.5", *where).code == 0
    (room,) = json.loads(duologue("talk", "status", "--json", *where).out)["rooms"]
    assert (room["system"], room["settings"]) == ("endpoint", [*ENDPOINT[3::2], "temperature=0.5"])
    assert (
        "with endpoint url=http://127.0.0.1:9/v1 model=m temperature=0.5, open"
        in duologue("talk", "status", *where).out
    )


def test_a_room_keeps_what_the_file_of_a_recipe_says(duologue: Any, tmp_path: Path) -> None:
    where, file = ("--workspace", tmp_path / "w"), tmp_path / "mine.toml"
    file.write_text('omit = ["seed"]\ntemperature = 0.5\nmodel = "n"\n[extra]\ntop_k = 3\n', encoding="utf-8")
    done = duologue("talk", "open", "restaurant", *ENDPOINT, "--recipe", file, *where)
    assert done.code == 0, done.err
    file.unlink()
    (room,) = json.loads(duologue("talk", "status", "--json", *where).out)["rooms"]
    kept = ['omit=["seed"]', "temperature=0.5", 'model="n"', "extra.top_k=3", *ENDPOINT[3::2]]
    assert (room["system"], room["settings"]) == ("endpoint", kept)
    recipe: Any = recipe_of("endpoint", None, room["settings"])
    assert (recipe.model, recipe.temperature, recipe.omit, recipe.extra) == ("m", 0.5, ("seed",), {"top_k": 3})
    file.write_text('url = "http://127.0.0.1:9/v1"\n', encoding="utf-8")
    refused = duologue("talk", "open", "restaurant", *ENDPOINT, "--recipe", file, *where)
    assert (refused.code, "is not taken from a file" in refused.err) == (2, True), refused.err
    file.write_text('[extra]\nkey = "key-of-mine"\n', encoding="utf-8")
    refused = duologue(
        "talk", "open", "restaurant", *ENDPOINT, "--recipe", file, *where, DUOLOGUE_ENDPOINT_KEY="key-of-mine"
    )
    assert (refused.code, "would be kept with the settings" in refused.err) == (2, True), refused.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("open", "proactive"), "say whom to talk to in task 'proactive'"),
        (("open", "restaurant", "--system", "ranker"), "'ranker' has to learn first"),
        (("open", "restaurant", "--set", "widht=3"), "--set widht=3: unknown key 'widht'"),
        (("open", "restaurant", "--set", "widht"), "expected key=value"),
        (("open", "restaurant", *ENDPOINT, "--set", "temperature=9"), "temperature"),
        (
            ("open", "restaurant", *ENDPOINT, "--set", "extra.key=key-of-mine"),
            "--set extra.key: the key of DUOLOGUE",
        ),
        (("open", "conversation", "--system", "http://127.0.0.1:9/v1#m", "--set", "model=n"), "--set out"),
        (("open", "conversation", "--system", "http://127.0.0.1:9/v1#m", "--recipe", "x"), "leave --recipe and --set"),
        (("open", "restaurant", *ENDPOINT, "--recipe", "none"), "there is no such file, and no recipe of that name"),
        (("open", "restaurant", "--recipe", "none"), "there is no such file, and no recipe of that name"),
        (("open", "proactive", "--recipe", "none"), "say whom to talk to in task 'proactive'"),
        (
            ("open", "conversation", "--system", "http://me:key-of-mine@127.0.0.1:9/v1#m"),
            "name and password in the address would",
        ),
        (("open", "conversation", "--system", "http://127.0.0.1:9/v1?key=key-of-mine#m"), "what stands after ? or #"),
        (("open", "conversation", "--system", "http://#m"), "expected an address"),
        (("open", "restaurant", "--system", "planner"), "does not serve"),
        (("open", "mobilecs/extraction"), "no live partner"),
        (("pair", "spoken", "--goals", "pyproject.toml"), "no dialogues that two people make"),
        (("close", "xyz"), "no room or campaign of pairs begins with 'xyz'"),
    ],
)
def test_what_cannot_be_is_told(
    duologue: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.setenv("DUOLOGUE_ENDPOINT_KEY", "key-of-mine")
    done = duologue("talk", *words, "--workspace", tmp_path / "w")
    assert done.code == 2
    assert said in " ".join(done.err.split())
    assert "key-of-mine" not in done.err
    assert json.loads(duologue("talk", "status", "--json", "--workspace", tmp_path / "w").out)["rooms"] == []
