"""`collect` and `import` against a small Twitter on this machine."""

from __future__ import annotations

import base64
import json
import time
import tomllib
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from tests.twitter.service import APP, USER, Service
from tests.twitter.world import World

from duologue.challenges.conversation.collector.access_keys import KEY_VARIABLES
from duologue.challenges.conversation.collector.bearer_token import VARIABLES
from duologue.challenges.conversation.commands.collect import collect
from duologue.challenges.conversation.commands.extract import extract
from duologue.challenges.conversation.commands.imports import import_
from duologue.cli.show import show
from duologue.core.errors import DuologueError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click
    from click.testing import Result

SECRET = "AAAAsecret"


@pytest.fixture
def service() -> Iterator[Service]:
    world = World()
    for name in ("AirCare", "ShopHelp"):
        world.open_account(name)
    world.grow(Random(3), 12)
    with Service(world) as service:
        yield service


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, *KEY_VARIABLES):
        monkeypatch.delenv(name, raising=False)


def call(command: click.Command, *words: object) -> Result:
    result = CliRunner().invoke(command, [*map(str, words)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.parametrize("api", ["v1", "v2"])
def test_accounts_of_a_list_are_collected_with_the_token_of_the_environment(
    service: Service, tmp_path: Path, api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("X_BEARER_TOKEN", SECRET)
    service.token = SECRET
    (tmp_path / "accounts.txt").write_text("# of the track\nAirCare\nShopHelp\nNobody\n")
    words = ["--api", api, "--base-url", service.url, "--accounts", tmp_path / "accounts.txt"]
    store, log = tmp_path / "store", tmp_path / "calls.jsonl"
    result = call(collect, "twitter", *words, "--store", store, "--log", log, "--back-off", 0.01)
    assert result.exit_code == 0
    assert "2 accounts read" in result.stdout
    assert "Nobody left out" in result.stdout
    assert json.loads((store / "AirCare.json").read_text()) == service.world.dialogues("AirCare")
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    assert [row["endpoint"] for row in calls] == service.endpoints()
    for text in (result.output, log.read_text(), *(path.read_text("latin-1") for path in store.glob("*.[js]*"))):
        assert SECRET not in text
    printed = call(show, "conversation", store, "--only", "statistics").output
    assert "accounts: 2\n" in printed


def test_a_dry_run_calls_nothing_and_tells_calls_and_cost(service: Service, tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("".join(f"{number}\n" for number in range(5_438)))
    words = ["--base-url", service.url, "--store", tmp_path / "store", "--dry-run"]
    text = call(collect, "hydrate", tmp_path / "ids.txt", *words).output
    assert "5,438 different ids, 5,438 to fetch" in text
    assert " 55 " in text
    assert "27.19 USD" in text
    text = call(collect, "twitter", "AirCare", "ShopHelp", *words, "--max-usd", 3).output
    assert "2 to 64" in text
    assert "3.00 USD" in text
    assert call(collect, "search", "care", "--base-url", service.url, "--dry-run").output.count("USD") == 1
    text = call(collect, "twitter", "AirCare", *words, "--api", "v1").output
    assert "cost: 0.00 USD" in text
    assert service.calls == []
    assert not (tmp_path / "store").exists()


def test_a_budget_stops_cleanly_and_the_same_command_goes_on(service: Service, tmp_path: Path) -> None:
    words = ["twitter", "AirCare", "ShopHelp", "--base-url", service.url, "--store", tmp_path / "store"]
    result = call(collect, *words, "--max-usd", 0.09, "--price", 0.01, "--user-price", 0.001)
    assert result.exit_code == 0
    assert "stopped: the budget is spent" in result.stdout
    assert service.delivered <= 8
    assert "stopped" not in call(collect, *words).stdout
    for name in ("AirCare", "ShopHelp"):
        assert json.loads((tmp_path / "store" / f"{name}.json").read_text()) == service.world.dialogues(name)


def test_ids_are_hydrated(service: Service, tmp_path: Path) -> None:
    ids = sorted(service.world.posts)[:5]
    rows = [[{"speaker": "U", "ids": ids}, {"speaker": "S", "ids": [7]}]]
    (tmp_path / "ids.json").write_text(json.dumps(rows))
    words = ["--base-url", f"{service.url}/2/", "--store", tmp_path / "store"]
    assert "5 of 6 posts" in call(collect, "hydrate", tmp_path / "ids.json", *words).output
    assert "6 different ids, 0 to fetch" in call(collect, "hydrate", tmp_path / "ids.json", *words, "--dry-run").output
    (tmp_path / "more.json").write_text(json.dumps([[{"speaker": "U", "ids": sorted(service.world.posts)[:8]}]]))
    text = call(collect, "hydrate", tmp_path / "more.json", *words, "--max-posts", 1).output
    assert "stopped" in text


@pytest.mark.parametrize("api", ["v1", "v2"])
def test_accounts_are_found_by_words(service: Service, tmp_path: Path, api: str) -> None:
    for number in range(45):
        service.world.open_account(f"Care{number:02}")
    words = ["--api", api, "--base-url", service.url]
    names = call(collect, "search", "care", "--n", 30, *words).stdout.split()
    assert len(names) == 30
    out, dump = tmp_path / "names.txt", tmp_path / "users.jsonl"
    call(collect, "search", "care", *words, "--out", out, "--dump", dump)
    assert len(out.read_text().split()) == len(dump.read_text().splitlines()) == 46
    with pytest.raises(UsageError, match=r"names\.txt is there already; choose another --out.*--force"):
        call(collect, "search", "care", *words, "--out", out)
    dump.write_text("theirs\n")
    with pytest.raises(UsageError, match=r"users\.jsonl is there already; choose another --dump"):
        call(collect, "search", "care", *words, "--dump", dump)
    assert dump.read_text() == "theirs\n"
    call(collect, "search", "care", *words, "--out", out, "--dump", dump, "--force")
    assert len(dump.read_text().splitlines()) == 46
    stopped = call(collect, "search", "care", *words, "--max-usd", 0.3, "--user-price", 0.01)
    assert 20 <= len(stopped.stdout.split()) <= 31 + 40
    assert "stopped" in stopped.output


def test_accounts_are_found_and_collected_with_the_keys_of_the_official_config(tmp_path: Path) -> None:
    world = World()
    world.say("AirCare", "we are here", world.say("anna", "where is it ?"))
    world.open_account("AirCare")
    config, store, log = tmp_path / "config.ini", tmp_path / "store", tmp_path / "calls.jsonl"
    names = ("ConsumerKey", "ConsumerSecret", "AccessToken", "AccessTokenSecret")
    settings = [f"{name} = {one}" for name, one in zip(names, USER, strict=True)]
    config.write_text("\n".join(["[AccessKeys]", *settings]))
    with Service(world, access="user") as service:
        words = ["--config", config, "--base-url", service.url, "--log", log]
        found = call(collect, "search", "care", "--api", "v1", *words)
        done = call(collect, "twitter", "AirCare", "--api", "v1", "--store", store, *words)
        assert service.signed == len(service.calls) > 3
    assert found.stdout == "AirCare\n"
    assert "1 account read" in done.stdout
    config.write_text("\n".join(["[AccessKeys]", *settings[:2]]))  # key and secret alone: an app's
    with Service(world, access="app") as service:
        words = ["--config", config, "--base-url", service.url, "--log", log]
        again = call(collect, "twitter", "AirCare", "--store", store, *words)
        assert service.endpoints()[0] == "/oauth2/token"
        with pytest.raises(DuologueError) as refused:
            call(collect, "search", "care", *words)
    assert "1 account read" in again.stdout
    assert "user's token" in str(refused.value)
    written = "".join(path.read_text("latin-1") for path in (log, *store.iterdir()) if path.is_file())
    for text in (found.output, done.output, again.output, written, str(refused.value)):
        assert not any(secret in text for secret in (*USER, *APP))


class _Repeating(Service):
    """A service that refuses everything with the keys of the caller, which it knows from the exchange."""

    def answer(self, endpoint: str, *_: object) -> tuple[int, Any, dict[str, str]]:
        if endpoint == "/oauth2/token":
            return 200, {"token_type": "bearer", "access_token": "as_TOKEN"}, {}
        basic = base64.b64encode(b"ck_KEY:cs_SECRET").decode()
        if endpoint == "/2/users/by":
            return 200, {"errors": [{"value": "AirCare", "title": "no cs_SECRET"}]}, {}
        return 400, {"detail": f"no ck_KEY cs_SECRET {basic} as_TOKEN at_TOKEN as_SECRET"}, {}


@pytest.mark.parametrize("access", ["user", "app"])
@pytest.mark.parametrize(
    "words", [["search", "care", "--api", "v1"], ["search", "care"], ["twitter", "AirCare", "--store", "store"]]
)
def test_keys_that_a_service_repeats_are_not_shown(
    words: list[str], access: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ("ConsumerKey", "ConsumerSecret", "AccessToken", "AccessTokenSecret")
    keys = ("ck_KEY", "cs_SECRET", "at_TOKEN", "as_SECRET")
    settings = [f"{name} = {one}" for name, one in zip(names, keys, strict=True)]
    Path("config.ini").write_text("\n".join(["[AccessKeys]", *settings]))
    with _Repeating(World()) as service:
        more = ["--config", "config.ini", "--access", access, "--tries", "1", "--base-url", service.url]
        result = CliRunner().invoke(collect, [*words, *more, "--log", "log"])
    said = f"{result.output} {result.exception}"
    kept = "".join(
        path.read_text("latin-1") for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".ini"
    )
    assert "no ***" in said
    granted = ["as_TOKEN"] if access == "app" else []
    for part in (*keys, *granted, base64.b64encode(b"ck_KEY:cs_SECRET").decode()):
        assert part not in said + kept


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["twitter", "--store", "x"], "no account"),
        (["twitter", "../a", "--store", "x"], "file"),
        (["twitter", "a", "--store", "x"], "X_BEARER_TOKEN"),
        (["twitter", "a", "--store", "x", "--base-url", "http://example.com"], "X_BEARER_TOKEN"),
    ],
)
def test_a_call_that_cannot_be_made_says_why(words: list[str], match: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=match):
        call(collect, *words)


def test_a_service_that_fails_makes_the_exit_code_1(service: Service, tmp_path: Path) -> None:
    service.answer = lambda *_: (403, {"title": "Forbidden"}, {})  # type: ignore[method-assign]  # a server that refuses
    result = call(collect, "twitter", "AirCare", "--base-url", service.url, "--store", tmp_path / "store")
    assert result.exit_code == 1
    assert "stopped" in result.stdout
    assert "access level" in result.stdout


def test_a_store_is_exported_for_the_official_programs(service: Service, tmp_path: Path) -> None:
    store = tmp_path / "store"
    call(collect, "twitter", "AirCare", "--base-url", service.url, "--store", store, "--no-files")
    assert not list(store.glob("*.json"))
    output = call(collect, "export", store, "--out", tmp_path / "out", "--keep-personal-data").output
    assert "1 account files" in output
    path = tmp_path / "out" / "AirCare.json"
    assert json.loads(path.read_text()) == service.world.dialogues("AirCare")
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_leaves_a_store_is_anonymous_and_extracts_to_the_same_dialogues(service: Service, tmp_path: Path) -> None:
    for post in service.world.posts.values():
        post["text"] += " call 13812345678"
    store = tmp_path / "store"
    call(collect, "twitter", "AirCare", "--base-url", service.url, "--store", store)
    output = call(collect, "export", store, "--out", tmp_path / "out").output
    assert "PHONE" in output
    kept, left = ((folder / "AirCare.json").read_text() for folder in (store, tmp_path / "out"))
    assert "13812345678" in kept
    assert "13812345678" not in left
    people = {post["user"]["screen_name"] for posts in json.loads(kept).values() for post in posts} - {"AirCare"}
    assert people
    assert not any(f'"{name}"' in left or f"@{name}" in left for name in people)
    sizes = [
        call(extract, "twitter", folder, "--out", folder / "text.txt").output for folder in (store, tmp_path / "out")
    ]
    assert sizes[0].split(",")[:2] == sizes[1].split(",")[:2]
    again = call(collect, "export", store, "--out", tmp_path / "again")
    assert again.exit_code == 0
    assert (tmp_path / "again" / "AirCare.json").read_text() == left


def test_a_collected_store_is_for_its_owner_alone(service: Service, tmp_path: Path) -> None:
    store = tmp_path / "deep" / "store"
    call(collect, "twitter", "AirCare", "--base-url", service.url, "--store", store)
    files = [path for path in store.iterdir() if path.is_file()]
    assert {path.name for path in files} >= {"posts.sqlite", "AirCare.json"}
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert store.stat().st_mode & 0o777 == 0o700
    assert "owner alone" in call(collect, "--help").output


def test_posts_expire_and_are_not_read_again(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "store"
    words = ["twitter", "AirCare", "--base-url", service.url, "--store", store]
    call(collect, *words)
    before = len(json.loads((store / "AirCare.json").read_text()))
    assert before > 0
    first = service.delivered
    assert "0 posts read more than 30 days ago" in call(collect, *words, "--keep-days", 30).output
    again = service.delivered - first  # what is newer than the last dialogue is read each time
    now = time.time() + 31 * 86_400
    monkeypatch.setattr("duologue.challenges.conversation.commands.collect.time", SimpleNamespace(time=lambda: now))
    delivered = service.delivered
    output = call(collect, "expire", store, "--keep-days", 30).output
    assert "posts read more than 30 days ago are taken out" in output
    assert not output.startswith("0 ")
    assert json.loads((store / "AirCare.json").read_text()) == {}
    call(collect, *words, "--keep-days", 30)
    assert json.loads((store / "AirCare.json").read_text()) == {}
    assert service.delivered == delivered + again
    with pytest.raises(UsageError, match="there is no store"):
        call(collect, "expire", tmp_path, "--keep-days", 3)


def test_an_import_tells_and_writes_what_it_replaced(tmp_path: Path) -> None:
    store = tmp_path / "store"
    rows = [{"id": "a", "turns": [["U", "手机13812345678谢谢, jo@mail.com"], ["S", "hi"]]}]
    (tmp_path / "c.jsonl").write_text(json.dumps(rows[0]))
    output = call(import_, "dialogues", tmp_path / "c.jsonl", "--store", store).output
    assert "personal data: 2 replaced in 1 of 2 texts" in output
    report = store / "personal-data.toml"
    (row,) = tomllib.loads(report.read_text())["imports"]
    assert row["counts"] == {"EMAIL": 1, "PHONE": 1}
    assert row["samples"] == {"EMAIL": ["xx@xxxx.xxx"], "PHONE": ["99999999999"]}
    assert report.stat().st_mode & 0o777 == 0o600
    (tmp_path / "d.jsonl").write_text(json.dumps(rows[0] | {"id": "b"}))
    output = call(import_, "dialogues", tmp_path / "d.jsonl", "--store", store, "--keep-personal-data").output
    assert "personal data was kept" in output
    call(import_, "dialogues", tmp_path / "c.jsonl", "--store", store)
    found = tomllib.loads(report.read_text())["imports"]
    assert sorted((row["file"], row.get("kept", False)) for row in found) == [("c.jsonl", False), ("d.jsonl", True)]
    texts = (store / "posts.sqlite").read_bytes()
    assert texts.count(b"13812345678") == 1


def test_files_of_others_are_imported(tmp_path: Path) -> None:
    store = tmp_path / "store"
    tweets = [
        {"id": 1, "text": "where ?", "created_at": "Tue Sep 12 08:01:00 +0000 2017", "user": user("anna")},
        {"id": 2, "text": "here", "created_at": "Tue Sep 12 08:02:00 +0000 2017", "user": user("AirCare")},
    ]
    tweets[1]["in_reply_to_status_id"] = 1
    (tmp_path / "s.json").write_text("".join(json.dumps(row) + "\n" for row in tweets))
    assert (
        "1 dialogue of 1 account"
        in call(import_, "tweets", tmp_path / "s.json", "--account", "AirCare", "--store", store).output
    )
    (tmp_path / "c.jsonl").write_text(json.dumps({"id": 1, "turns": [["U", "hi"], ["S", "hello"]]}))
    assert "2 posts" in call(import_, "dialogues", tmp_path / "c.jsonl", "--store", store).output
    (tmp_path / "tweets.js").write_text("window.YTD.tweets.part0 = []")
    assert "0 posts" in call(import_, "archive", tmp_path / "tweets.js", "--account", "A", "--store", store).output
    header = "tweet_id,author_id,inbound,created_at,text,response_tweet_id,in_response_to_tweet_id\n"
    rows = "1,7,True,Tue Sep 12 08:01:00 +0000 2017,hi,2,\n2,Shop,False,Tue Sep 12 08:02:00 +0000 2017,hello,,1\n"
    (tmp_path / "twcs.csv").write_text(header + rows)
    assert "2 posts, 1 dialogue" in call(import_, "twcs", tmp_path / "twcs.csv", "--store", store, "--quiet").output
    assert call(show, "conversation", store, "--only", "statistics").output.startswith("accounts: 3\n")


def user(name: str) -> dict[str, object]:
    return {"id": len(name), "screen_name": name, "name": name}
