"""`duologue site` as it is installed: init, people, audit, and a server that is stopped."""

from __future__ import annotations

import json
import re
import signal
import zipfile
from functools import partial
from typing import TYPE_CHECKING
from urllib.request import urlopen

from sqlalchemy import insert, select
from tests.arena.finals.service import TRACK, TRUTH
from tests.command import demand_forced

from duologue.arena.database.tables import nonces
from duologue.arena.people.links import find_link
from duologue.arena.people.tokens import person_of_token
from duologue.arena.storage import open_database

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection
    from tests.command import Command


def test_init_makes_one_admin_and_prints_one_link(installed: Command, tmp_path: Path) -> None:
    made = installed("site", "init", "--workspace", tmp_path, "--name", "Ada", "--site", "https://d.example/")
    assert made.code == 0, made.err
    assert made.out.count("\n") == 1
    assert made.out.startswith("https://d.example/enter/")
    with open_database(tmp_path) as database, database.reading() as connection:
        link = find_link(connection, made.out.strip().rpartition("/")[2], now=database.now())
    assert link is not None
    assert link.once
    again = installed("site", "init", "--workspace", tmp_path)
    assert again.code == 2
    assert "there is an admin already, Ada" in again.err
    assert "site people link" in again.err


def test_a_site_of_invited_volunteers_does_not_say_that_nobody_can_sign_in(installed: Command, tmp_path: Path) -> None:
    work = ("--workspace", tmp_path)
    assert installed("site", "people", "add", "--name", "Wei", "--role", "volunteer", *work).code == 0
    server = installed.start("site", *work, "--port", 0)
    try:
        assert server.stdout
        said = server.stdout.readline() + server.stdout.readline()
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
    assert "there is no admin yet: `duologue site init` makes the first admin" in said
    assert "nobody" not in said


def _answer(connection: Connection, *, name: str, at: int) -> None:
    connection.execute(insert(nonces).values(nonce=name, result=None, answered_at=at))


def test_people_are_managed_beside_a_running_site(installed: Command, duologue: Command, tmp_path: Path) -> None:
    work = ("--workspace", tmp_path)
    with open_database(tmp_path) as database:
        for name, at in (("old", 1), ("new", database.now())):
            database.write(partial(_answer, name=name, at=at))
    server = installed.start("site", *work, "--port", 0)
    try:
        assert server.stdout
        said = server.stdout.readline()
        address = re.search(r"http://\S+", said)
        assert address, said
        with open_database(tmp_path) as database, database.reading() as connection:
            kept = connection.execute(select(nonces.c.nonce)).scalars().all()
        assert kept == ["new"], "forms answered long ago are forgotten"
        assert "nobody can sign in yet" in server.stdout.readline()
        assert duologue("site", "init", *work).code == 0
        added = duologue("site", "people", "add", *work, "--name", "Wei", "--role", "volunteer", "--site", address[0])
        assert added.code == 0, added.err
        with urlopen(added.out.strip()) as page:
            assert "Hello, Wei" in page.read().decode()
        listed = duologue("site", "people", "list", *work, "--role", "volunteer", "--json")
        (wei,) = json.loads(listed.out)["people"]
        assert duologue("site", "people", "roles", wei["id"], *work, "--role", "judge").code == 0
        assert "judge" in duologue("site", "people", "list", *work).out
        assert duologue("site", "people", "link", wei["id"], *work).out.startswith("http://127.0.0.1:8000/enter/")
        given = duologue("site", "people", "data", wei["id"], *work)
        assert json.loads(given.out)["people"][0]["name"] == "Wei"
        assert duologue("site", "people", "data", wei["id"], *work, "--out", tmp_path / "wei.json").code == 0
        assert "Wei" in (tmp_path / "wei.json").read_text(encoding="utf-8")
        elsewhere = tmp_path.with_name(f"{tmp_path.name}.json")
        demand_forced(duologue, ("site", "people", "data", wei["id"], *work), elsewhere)
        assert duologue("site", "people", "close", wei["id"], *work).code == 0
        assert "let in no more" in duologue("site", "people", "list", *work).out
        assert duologue("site", "people", "close", wei["id"], *work, "--again").code == 0
        kept = duologue("site", "people", "delete", wei["id"], *work, said="n\n")
        assert (kept.code, "nothing was deleted" in kept.err) == (2, True)
        gone = duologue("site", "people", "delete", wei["id"], *work, "--words", "--yes")
        assert "0 utterances were removed" in gone.out
        assert gone.code == 0, gone.err
        assert "Wei" not in duologue("site", "people", "list", *work).out
        entries = json.loads(duologue("site", "audit", *work, "--json", "--action", "person.").out)["entries"]
        assert entries[0]["action"] == "person.delete"
        assert "person.add" in duologue("site", "audit", *work).out
    finally:
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=20)
    assert server.returncode == 0, err
    assert out.endswith("stopped\n")


def test_a_site_is_backed_up_restored_and_given_away_without_names(duologue: Command, tmp_path: Path) -> None:
    work, saved, again = ("--workspace", tmp_path / "work"), tmp_path / "saved.zip", ("--workspace", tmp_path / "again")
    assert duologue("site", "init", *work, "--name", "Ada").code == 0
    kept = duologue("site", "backup", *work, "--out", saved)
    assert (kept.code, "rows and 0 files" in kept.out) == (0, True), kept.err
    back = duologue("site", "restore", saved, *again)
    assert back.code == 0, back.err
    assert "Ada" in duologue("site", "people", "list", *again).out
    twice = duologue("site", "restore", saved, *again)
    assert (twice.code, "empty" in twice.err) == (1, True)
    refused = duologue("site", "export", *work, "--out", tmp_path / "given.zip")
    assert (refused.code, "--anonymised" in refused.err) == (2, True)
    given = duologue("site", "export", "--anonymised", *work, "--out", tmp_path / "given.zip")
    assert given.code == 0, given.err
    with zipfile.ZipFile(tmp_path / "given.zip") as archive:
        assert "people.jsonl" in archive.namelist()
        assert not any(b"Ada" in archive.read(name) for name in archive.namelist())
    demand_forced(duologue, ("site", "backup", *work), saved)
    demand_forced(duologue, ("site", "export", "--anonymised", *work), tmp_path / "given.zip")


def test_faults_of_the_call_are_told(duologue: Command, tmp_path: Path) -> None:
    for words, said in (
        (["site", "--behind-proxy", "here"], "no address and no network"),
        (["site", "people", "add", "--name", "W", "--role", "king"], "'king' is no role"),
        (["site", "people", "link", "x"], "no person 'x'"),
        (["site", "init", "--database", "mysql://x/y"], "mysql"),
    ):
        done = duologue(*words, "--workspace", tmp_path)
        assert done.code == 2, done
        assert said in done.err


def test_many_come_in_by_one_link(duologue: Command, tmp_path: Path) -> None:
    work = ("--workspace", tmp_path / "work")
    (tmp_path / "track.toml").write_text(TRACK, encoding="utf-8")
    (tmp_path / "truth.txt").write_bytes(TRUTH)
    assert duologue("track", "new", tmp_path / "track.toml", *work).code == 0
    made = duologue("site", "open-link", "--track", "service", "--limit", 3, *work)
    assert made.code == 0, made.err
    assert re.fullmatch(r"http://127.0.0.1:8000/join/\S+\n", made.out)
    (kept,) = json.loads(duologue("site", "open-link", "--track", "service", "--list", "--json", *work).out)["links"]
    assert (kept["limit"], kept["used"]) == (3, 0)
    assert duologue("site", "open-link", "--revoke", kept["id"], *work).code == 0
    assert "0 of 3 came in, closed" in duologue("site", "open-link", "--track", "service", "--list", *work).out
    assert "no campaign" in duologue("site", "open-link", "--campaign", "x", *work).err
    assert "give one of --campaign" in duologue("site", "open-link", *work).err


def test_a_persons_links_and_tokens_are_made_and_revoked(duologue: Command, tmp_path: Path) -> None:
    work = ("--workspace", tmp_path / "work")
    link = duologue("site", "people", "add", "--name", "Wei", "--role", "judge", *work).out.strip()
    (wei,) = json.loads(duologue("site", "people", "list", *work, "--json").out)["people"]
    token = duologue("site", "people", "token", wei["id"], "--label", "nightly", *work).out.strip()
    with open_database(tmp_path / "work") as database, database.reading() as connection:
        whose = person_of_token(connection, token, now=database.now())
        assert whose is not None
        assert whose.id == wei["id"]
    name = link.rpartition("/")[2].partition(".")[0]
    for words, kept in ((("link", name), "link"), (("token", token.partition(".")[0]), "token")):
        assert f"no {kept} 'none'" in duologue("site", "people", kept, wei["id"], "--revoke", "none", *work).err
        done = duologue("site", "people", words[0], wei["id"], "--revoke", words[1], *work)
        assert (done.code, done.out) == (0, ""), done.err
    with open_database(tmp_path / "work") as database, database.reading() as connection:
        assert person_of_token(connection, token, now=database.now()) is None
        assert find_link(connection, link.rpartition("/")[2], now=database.now()) is None
