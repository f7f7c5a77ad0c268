"""What participants and organisers do with a track on the site, and what nobody gets to see."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update
from tests.arena.competition import booking
from tests.arena.competition.booking import as_file, drain_here, open_now, result
from tests.site.track_examples import made_track
from tests.site.world import hidden, send

from duologue.arena.competition.phases import finalists_of
from duologue.arena.competition.tables import entries, phase_boards
from duologue.arena.competition.teams import team_of
from duologue.arena.competition.tracks import read_source, save_track
from duologue.arena.storage import open_blobs

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from sqlalchemy import Connection
    from starlette.testclient import TestClient
    from tests.site.world import World


def without_percent(connection: Connection, entry: str) -> None:
    """Let the score that ranks be a number that is no fraction, as in the row of an entry and on the board."""
    one = entries.c.id == entry
    summary = connection.execute(select(entries.c.summary).where(one)).scalar_one()
    for score in summary["scores"]:
        score["percent"] = False
    summary["slices"] = [{"by": "subtask", "value": "1", "n": 3, "scores": {summary["rank_by"]: 1.25}}]
    connection.execute(update(entries).where(one).values(summary=summary))
    board = connection.execute(select(phase_boards.c.board).where(phase_boards.c.phase == "test-1")).scalar_one()
    for row in board["rows"]:
        row["scores"] = [{**score, "percent": score["name"] != board["rank_by"]} for score in row["scores"][::-1]]
        row["slices"] = [{"by": "subtask", "value": "1", "n": 3, "score": 1.25}]
    connection.execute(update(phase_boards).where(phase_boards.c.phase == "test-1").values(board=board))


def with_note(connection: Connection, entry: str) -> None:
    """Let the score that ranks say how it is to be taken."""
    one = entries.c.id == entry
    summary = connection.execute(select(entries.c.summary).where(one)).scalar_one()
    board = connection.execute(select(phase_boards.c.board).where(phase_boards.c.phase == "test-1")).scalar_one()
    for score in (*summary["scores"], *(score for row in board["rows"] for score in row["scores"])):
        if score["name"] == board["rank_by"]:
            score["note"] = "by rule, not the human scale"
    connection.execute(update(entries).where(one).values(summary=summary))
    connection.execute(update(phase_boards).where(phase_boards.c.phase == "test-1").values(board=board))


@pytest.fixture
def fresh(world: World) -> World:
    """Return a site with the track and no team."""
    source = read_source(open_now(world.workspace / "track"))
    world.write(lambda connection: save_track(connection, open_blobs(world.workspace), source, world.database.now()))
    return world


def upload(client: TestClient, data: bytes, name: str = "result.json") -> Any:
    page = client.get("/tracks/booking/entries").text
    return client.post("/tracks/booking/upload", data=hidden(page), files={"file": (name, data)})


def work(world: World) -> None:
    drain_here(world.database, open_blobs(world.workspace))


def test_a_team_registers_hands_in_mends_and_stands_on_the_board(fresh: World) -> None:
    client = fresh.client("participant")
    assert client.get("/tracks/booking/entries").headers["location"] == "/tracks/booking/register"
    page = "/tracks/booking/register"
    assert "We use the data for research alone." in client.get(page).text
    refused = send(client, page, page, name="Ann", external="a language model\n")
    assert refused.status_code == 400
    assert "has not accepted the agreement" in refused.text, refused.text
    registered = send(client, page, page, name="Ann", external="a language model\n", agreed="1")
    assert registered.headers["location"] == "/tracks/booking?said=tracks.registered"
    broken = result()
    broken[2]["lst_candidate_id"][1]["rank"] = 1
    entry = upload(client, as_file(broken)).headers["location"].partition("?")[0]
    assert 'hx-trigger="every 2s"' in client.get(entry).text
    assert client.get(f"{entry}/state").status_code == 200
    work(fresh)
    shown = client.get(entry).text
    assert "refused" in shown
    assert "rank-repeated" in shown
    assert "A rank is given twice" in shown
    assert "Give each candidate of a dialogue a rank of its own" in shown
    told = fresh.client("participant", language="zh").get(entry).text
    assert "名次重复" in told
    assert "同一对话中每个候选的名次各不相同" in told
    (link,) = re.findall(rf'href="({entry}/file\?row=\d+)#row"', shown)
    assert broken[2]["dialog_id"] in client.get(link).text
    assert client.get(f"{entry}/file?row=999").status_code == 404
    entry = upload(client, as_file(result(wrong=3))).headers["location"].partition("?")[0]
    work(fresh)
    shown = client.get(entry).text
    assert "87.50" in shown
    assert "duologue verify" in shown
    assert "HX-Refresh" in client.get(f"{entry}/state").headers
    board = fresh.client().get("/tracks/booking/board").text
    assert "Ann" in board
    assert "87.50" in board
    assert "2 left" not in client.get("/tracks/booking/entries").text
    assert "1 left" in client.get("/tracks/booking/entries").text


def test_the_same_form_twice_is_one_entry_and_an_entry_may_be_taken_back(fresh: World) -> None:
    client = fresh.client("participant")
    page = "/tracks/booking/register"
    send(client, page, page, name="Ann", agreed="1")
    fields = hidden(client.get("/tracks/booking/entries").text)
    files = {"file": ("result.json", as_file(result()))}
    first, second = (client.post("/tracks/booking/upload", data=fields, files=files) for _ in range(2))
    assert first.headers["location"] == second.headers["location"]
    entry = first.headers["location"].partition("?")[0]
    assert "taken_back" in send(client, entry, f"{entry}/cancel").headers["location"]
    assert "too_late" in client.post(f"{entry}/cancel", data=hidden(client.get("/account").text)).headers["location"]
    assert "2 left" in client.get("/tracks/booking/entries").text


def test_data_are_for_teams_and_the_truth_for_nobody(fresh: World) -> None:
    client, organiser = fresh.client("participant"), fresh.client("organiser")
    name, truth = booking.data().name, booking.truth().name
    place = f"/tracks/booking/data/test-1/{name}"
    assert fresh.client().get(place).headers["location"] == "/sign-in"
    assert client.get(place).status_code == 403
    page = "/tracks/booking/register"
    send(client, page, page, name="Ann", agreed="1")
    assert client.get(place).content == booking.data().read_bytes()
    assert place in client.get("/tracks/booking").text
    assert fresh.api("participant").get(f"/api/v1{place}").content == booking.data().read_bytes()
    assert fresh.api("volunteer").get(f"/api/v1{place}").status_code == 403
    for one in (client, organiser):
        for wrong in (truth, f"../gold/{truth}", f"..%2fgold%2f{truth}"):
            assert one.get(f"/tracks/booking/data/test-1/{wrong}").status_code in (400, 404)
        assert truth not in one.get("/tracks/booking").text
        assert truth not in one.get("/api/v1/tracks/booking").text


def test_an_entry_is_its_teams_and_the_organisers_alone(world: World) -> None:
    made = made_track(world)
    other = world.add("Somebody else", "participant")
    client = world.client("participant")
    client.cookies.clear()
    client.cookies.set("duologue-session", world.session(other))
    for path in (f"/entries/{made.scored}", f"/entries/{made.scored}/state", f"/entries/{made.scored}/file"):
        assert client.get(path).status_code == 404
        assert world.client("organiser").get(path).status_code == 200
        assert world.client("volunteer").get(path).status_code == 403
    assert world.client("participant").get("/entries/none").status_code == 404


def test_the_organiser_decides_on_teams_and_the_final(world: World) -> None:
    made = made_track(world)
    organiser = world.client("organiser")
    office = "/tracks/booking/office"
    assert world.client("participant").get(office).status_code == 403
    with world.database.reading() as connection:
        finalists = finalists_of(connection, "booking", "final")
        team = team_of(connection, "booking", world.ids["participant"])
    assert [one.name for one in finalists] == ["Bob", "Ann"]
    assert team is not None
    shown = organiser.get(office).text
    assert re.search(rf'value="{team.id}" checked', shown), "people rated Ann best"
    selected = send(organiser, office, "/tracks/booking/phases/final/select", team=team.id)
    assert selected.headers["location"] == f"{office}?said=tracks.saved"
    with world.database.reading() as connection:
        assert [one.name for one in finalists_of(connection, "booking", "final") if one.selected] == ["Ann"]
    assert send(organiser, office, "/tracks/booking/phases/final/select", team="x").status_code == 400
    send(organiser, office, f"/tracks/booking/teams/{team.id}/state", state="refused")
    assert "it cannot hand in" in world.client("participant").get("/tracks/booking/entries").text
    assert send(organiser, office, "/tracks/booking/phases/final/fill").headers["location"].endswith("not_filled")
    assert made.refused in organiser.get(office).text


def test_people_and_automatic_scores_stand_side_by_side_for_those_who_may_see_them(world: World) -> None:
    made = made_track(world)
    board = world.client("organiser").get("/tracks/booking/board").text
    assert board.index("Ann") < board.index("Bob") < board.index("Eve"), "people's order comes first"
    public = world.client().get("/tracks/booking/board").text
    assert public.index("Bob") < public.index("Eve")
    assert "90.00" not in public, "each team its own in test 2"
    own = world.client("participant").get("/tracks/booking/board").text
    assert "90.00" in own
    assert "10.00" not in own
    world.write(lambda connection: without_percent(connection, made.scored))
    for path in (f"/entries/{made.scored}", "/tracks/booking/board"):
        shown = world.client("participant").get(path).text
        assert "1.2500" in shown, "the score that ranks is no fraction now"
        assert "125.00" not in shown


def test_names_and_notes_of_strangers_are_text(fresh: World) -> None:
    client = fresh.client("participant")
    page, script = "/tracks/booking/register", "<script>alert(1)</script>"
    send(client, page, page, name=script, agreed="1", external=script)
    entry = upload(client, as_file(result()[1:]), name=f"{script}.json").headers["location"].partition("?")[0]
    work(fresh)
    for path in ("/tracks/booking", "/tracks/booking/entries", entry, "/tracks/booking/board"):
        assert script not in client.get(path).text
    assert script not in fresh.client("organiser").get("/tracks/booking/office").text


def test_how_a_score_is_to_be_taken_stands_beside_it(world: World) -> None:
    made = made_track(world)
    world.write(lambda connection: with_note(connection, made.scored))
    for language, note in (("en", "by rule, not the human scale"), ("zh", "按规则计算，不是人工评分标准")):
        client = world.client("participant", language=language)
        assert client.get(f"/entries/{made.scored}").text.count(note) == 1
        assert client.get("/tracks/booking/board").text.count(note) == 1


def test_the_truth_is_on_no_page_of_a_team(world: World) -> None:
    made = made_track(world)
    client, told = world.client("participant"), ""
    paths = ["/tracks/booking", "/tracks/booking/board", "/tracks/booking/entries"]
    paths += [f"/entries/{one}" for one in (made.refused, made.scored, made.waiting)]
    paths += ["/api/v1/tracks/booking", "/api/v1/tracks/booking/board"]
    told = "".join(client.get(path).text for path in paths)
    right = [one["lst_candidate_id"][0]["candidate_id"] for one in json.loads(booking.truth().read_text())]
    assert not [one for one in right if one in told]
    assert "truth" not in told.replace("Against your", "")
    assert str(world.workspace) not in told


@pytest.mark.slow
def test_a_browser_hands_in_and_sees_the_state_change_by_itself(fresh: World, visitor: Callable[..., Page]) -> None:
    from playwright.sync_api import FilePayload

    page = visitor("participant")
    page.goto("/tracks/booking")
    page.get_by_role("link", name="Register a team").click()
    page.get_by_label("Name of the team").fill("Ann")
    page.get_by_label("We have read the agreement").check()
    page.get_by_role("button", name="Register a team").click()
    page.get_by_role("link", name="Our entries").click()
    page.get_by_label("File").set_input_files(
        files=FilePayload(name="result.json", mimeType="application/json", buffer=as_file(result(wrong=3)))
    )
    page.get_by_role("button", name="Hand in").click()
    assert "waits" in page.locator("#state").inner_text()
    work(fresh)
    page.get_by_role("heading", name="Scores").wait_for(timeout=15_000)
    assert "87.50" in page.inner_text("main")
