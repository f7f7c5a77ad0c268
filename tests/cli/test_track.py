"""A competition from the command line: made, handed in, scored, ranked, exported."""

from __future__ import annotations

import json
import shutil
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from tests.arena.campaigns.made import Volunteer, by_length
from tests.arena.competition import booking
from tests.arena.competition.booking import as_file, drain_here, result
from tests.arena.finals import service

from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.campaigns.volunteers import codes_of
from duologue.arena.competition.teams import team_of
from duologue.arena.people.people import add_person, find_person
from duologue.arena.storage import open_blobs, open_database
from duologue.cli.main import cli
from duologue.core.locks import writing_folder
from duologue.ratings.protocol import find_protocol

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("sqlalchemy", reason="the site's database is optional")


class Shell:
    """Commands in a workspace."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *words: object, code: int = 0) -> str:
        done: Result = CliRunner().invoke(
            cli, [*map(str, words), "--workspace", str(self.folder / "work")], catch_exceptions=True
        )
        if code == 0 and done.exit_code:
            raise AssertionError(f"{words}: {done.output} {done.exception}")
        assert bool(done.exit_code) == bool(code), done.output
        return done.output + str(done.exception or "")

    def json(self, *words: object) -> Any:
        return json.loads(self(*words, "--json"))

    def file(self, name: str, wrong: int, phase: int = 1) -> Path:
        path = self.folder / name
        path.write_bytes(as_file(result(phase, wrong=wrong)))
        return path


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Return a shell with a track whose first phase is open now and the second too."""
    shutil.copytree(booking.made(), tmp_path / "track")
    text = (tmp_path / "track" / "track.toml").read_text(encoding="utf-8")
    for old, new in (("2027-01-15", "2020-01-01"), ("2027-01-25", "2100-01-01"), ("2027-01-27", "2100-02-01")):
        text = text.replace(old, new)
    text = text.replace("2027-02-10", "2100-03-01")
    (tmp_path / "track" / "track.toml").write_text(text, encoding="utf-8")
    made = Shell(tmp_path)
    assert "track 'booking' is made: 3 phases, 4 files kept" in made("track", "new", tmp_path / "track" / "track.toml")
    return made


def test_from_a_file_to_the_board(shell: Shell, tmp_path: Path) -> None:
    assert "booking: Restaurant booking (restaurant), test-1 is open" in shell("track", "list")
    assert "has not accepted the agreement" in shell("track", "team", "booking", "Ann", code=1)
    for name in ("Ann", "Bob"):
        assert "may hand in" in shell("track", "team", "booking", name, "--agree", "--external", "none but ours")
    broken = tmp_path / "broken.json"
    broken.write_bytes(as_file(result()[1:]))
    shell("submit", broken, "--track", "booking", "--team", "Ann")
    said = shell("submit", shell.file("ann.json", 2), "--track", "booking", "--team", "Ann")
    assert "it waits to be scored" in said
    folder = tmp_path / "bob"
    folder.mkdir()
    shutil.move(shell.file("bob.json", 20), folder / "result.json")
    shell("submit", folder, "--track", "booking", "--team", "Bob")
    assert "nothing waits" in shell("track", "work", "--once")
    told = shell("submit", "--track", "booking", "--team", "Ann", "--status")
    assert "refused: the check found 1 error" in told
    assert "[dialog-missing]" in told
    assert "scored, p@1 91.67" in told
    board = shell("track", "board", "booking")
    assert "1. Ann: p@1 91.67" in board
    assert "2. Bob: p@1 16.67" in board
    assert "could be detected" in board
    found = shell.json("track", "board", "booking")
    assert found["teams"] == ["Ann", "Bob"]
    assert found["phases"][0]["teams"]["Bob"]["tier"] == 2
    with writing_folder(tmp_path / "board"):
        told = shell("track", "export", "booking", "--out", tmp_path / "board", code=1)
        assert "is being written by another process" in told
    shell("track", "export", "booking", "--out", tmp_path / "board")
    page = (tmp_path / "board" / "index.html").read_text(encoding="utf-8")
    assert "餐厅预订" in page
    for shown in ("Test 1", "测试一", "决赛"):
        assert f">{shown}</span>" in page, "phases have their names in both languages"
    assert "餐厅预订：测试一" in (tmp_path / "board" / "test-1.html").read_text(encoding="utf-8")
    assert "91.67" in page
    assert 'http-equiv="Content-Security-Policy"' in page
    assert (tmp_path / "board" / "test-1.html").is_file()
    everything = "".join(one.read_text(encoding="utf-8") for one in (tmp_path / "board").iterdir())
    assert str(tmp_path) not in everything
    assert booking.truth().name not in everything
    listed = shell.json("track", "show", "booking")
    assert [one["state"] for one in listed["entries"]] == ["refused", "scored", "scored"]
    assert "Ann: approved; none but ours" in shell("track", "show", "booking")


def test_an_entry_is_taken_back_and_costs_nothing(shell: Shell) -> None:
    shell("track", "team", "booking", "Ann", "--agree")
    path = shell.file("ann.json", 2)
    made = shell.json("submit", path, "--track", "booking", "--team", "Ann")["entries"][0]
    assert "cancelled" in shell("submit", "--track", "booking", "--team", "Ann", "--cancel", made["id"])
    assert "has ended already" in shell("submit", "--track", "booking", "--team", "Ann", "--cancel", made["id"], code=1)
    for _ in range(2):
        shell("submit", path, "--track", "booking", "--team", "Ann")
    assert "quota of 2 a day" in shell("submit", path, "--track", "booking", "--team", "Ann", code=1)
    assert "no entry 'x'" in shell("submit", "--track", "booking", "--team", "Ann", "--cancel", "x", code=1)


def test_people_of_the_site_act_for_a_team(shell: Shell, tmp_path: Path) -> None:
    shell("track", "team", "booking", "Ann", "--agree")
    with open_database(tmp_path / "work") as database:
        wei, ada = (
            database.write(partial(add_person, name=name, roles=("judge",), now=1, by=None)) for name in ("Wei", "Ada")
        )
    assert "1 person more acts for team 'Ann'" in shell("track", "team", "booking", "Ann", "--member", wei)
    again = ("track", "team", "booking", "Ann", "--member", ada, "--external", "x")
    assert "'Ann' has registered already; leave --external out" in shell(*again, code=1)
    told = shell("track", "team", "booking", "Bob", "--agree", "--member", ada, "--member", ada)
    assert "team 'Bob' may hand in" in told
    assert "is in the team 'Ann'" in shell("track", "team", "booking", "Bob", "--member", wei, code=1)
    assert "no person 'nobody'" in shell("track", "team", "booking", "Bob", "--member", "nobody", code=1)
    with open_database(tmp_path / "work") as database, database.reading() as connection:
        assert [getattr(team_of(connection, "booking", one), "name", "") for one in (wei, ada)] == ["Ann", "Bob"]
        assert find_person(connection, wei).may("participant")


@pytest.mark.slow
def test_a_team_chooses_the_entry_that_counts(shell: Shell, tmp_path: Path) -> None:
    track = tmp_path / "track" / "track.toml"
    text = track.read_text(encoding="utf-8")
    hand_in = ("submit", "--track", "booking", "--team", "Ann")
    shell("track", "team", "booking", "Ann", "--agree")
    ids = [shell.json(*hand_in, shell.file(f"{n}.json", n))["entries"][0]["id"] for n in (2, 9)]
    shell("track", "work", "--once")
    assert "the last scored entry of a team counts" in shell(*hand_in, "--choose", ids[0], code=1)
    track.write_text(text.replace('standing = "last"', "").replace("[[phases]]", 'standing = "chosen"\n[[phases]]', 1))
    shell("track", "new", track, "--change")
    assert "no entry 'none'" in shell(*hand_in, "--choose", "none", code=1)
    assert "1 job done" in shell("track", "work", "--once"), "a change of the rules makes the board anew"
    assert "Ann: p@1 62.50" in shell("track", "board", "booking")
    assert "chosen" in shell(*hand_in, "--choose", ids[0])
    shell("track", "work", "--once")
    assert "Ann: p@1 91.67" in shell("track", "board", "booking"), "the board follows the choice"
    found = shell.json(*hand_in, "--status")["entries"]
    assert [one["id"] for one in found if one["chosen"]] == [ids[0]]


@pytest.mark.slow
def test_the_final_is_filled_rated_and_selected(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "track" / "track.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("opens = 2100-01-01", "opens = 2020-01-01"))
    assert "is changed" in shell("track", "new", path, "--change")
    for name, wrong in (("Ann", 1), ("Bob", 2), ("Eve", 9)):
        shell("track", "team", "booking", name, "--agree")
        shell("submit", shell.file("x.json", wrong, 2), "--track", "booking", "--team", name, "--phase", "test-2")
    assert "are not ended" in shell("track", "phase", "booking", "final", "--fill", code=1)
    shell("track", "work", "--once")
    assert "nobody is in the phase 'final'" in shell("track", "phase", "booking", "final")
    assert "teams hand in there" in shell("track", "phase", "booking", "test-1", "--fill", code=1)
    assert shell("track", "phase", "booking", "final", "--fill") == "1. Ann\n2. Bob\n"
    ratings = ["item,system,rater,criterion,value"]
    (criterion,) = find_protocol("restaurant").criterion
    for item, rater in product(range(6), ("x", "y")):
        ratings += [f"{item},Ann,{rater},{criterion.name},{criterion.low}"]
        ratings += [f"{item},Bob,{rater},{criterion.name},{criterion.high}"]
    (tmp_path / "people.csv").write_text("\n".join(ratings))
    assert "2 teams rated in 'final' by people" in shell(
        "track", "ratings", "booking", "final", tmp_path / "people.csv"
    )
    shell("track", "ratings", "booking", "final", tmp_path / "people.csv", "--judge")
    assert shell("track", "phase", "booking", "final", "--select-best") == "1. Ann\n2. Bob, selected\n"
    board = shell("track", "board", "booking")
    assert "2. Bob, people 1.000 (place 1), judge 1.000 (place 1), selected" in board
    assert shell.json("track", "board", "booking")["teams"][0] == "Bob"
    assert "scores are not shown now" in shell("track", "board", "booking", "--public")
    shell("track", "export", "booking", "--out", tmp_path / "public", "--public")
    public = "".join(one.read_text(encoding="utf-8") for one in (tmp_path / "public").iterdir())
    assert "Bob" not in public


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("submit", "--track", "booking", "--team", "Ann"), "give a FILE to hand in"),
        (("submit", "--track", "booking", "--status"), "say which team"),
        (("submit", "--track", "bookings", "--team", "Ann", "--status"), "did you mean 'booking'"),
        (("submit", "--track", "booking", "--team", "Ann", "--status"), "register it first"),
        (("submit", "--track", "booking", "--status", "--site", "http://127.0.0.1:9"), "wants your token"),
        (
            ("submit", "--track", "booking", "--status", "--site", "http://127.0.0.1:9", "--token", "x"),
            "does not answer",
        ),
        (("track", "team", "booking", "Ann", "--approve", "--refuse"), "leave one of the two out"),
        (("track", "phase", "booking", "final", "--select-best"), "people have rated no finalist"),
        (("track", "phase", "booking", "test-1", "--select", "Ann"), "nobody is selected there"),
        (("track", "show", "none"), "there is no track 'none'"),
    ],
)
def test_a_mistake_is_told(shell: Shell, words: tuple[str, ...], said: str) -> None:
    assert said in shell(*words, code=1)


def test_people_rate_the_final_in_a_campaign_of_its_own(tmp_path: Path) -> None:
    shell, work = Shell(tmp_path), tmp_path / "work"
    (tmp_path / "track.toml").write_text(service.TRACK, encoding="utf-8")
    (tmp_path / "truth.txt").write_bytes(service.TRUTH)
    shell("track", "new", tmp_path / "track.toml")
    for name, file in (("Ann", service.GOOD), ("Bob", service.POOR)):
        (tmp_path / "replies.txt").write_bytes(file)
        shell("track", "team", "service", name, "--agree")
        shell("submit", tmp_path / "replies.txt", "--track", "service", "--team", name)
    with open_database(work, durable=False) as database:
        drain_here(database, open_blobs(work))
    shell("track", "phase", "service", "final", "--fill")
    assert "no campaign rates 'final'" in shell("track", "ratings", "service", "final", code=2)
    assert "give --n to start" in shell("track", "campaign", "service", "final", code=2)
    twice = shell("track", "campaign", "service", "final", "--n", 2, "--systems", "Ann=echo,Ann=solver", code=2)
    assert "gives a team twice" in twice
    made = shell.json("track", "campaign", "service", "final", "--n", 2, "--per-item", 1, "--volunteers", 1)
    assert (made["title"], made["wanted"], len(made["links"])) == ("Customer service: Final", 6, 1)
    with open_database(work, durable=False) as database:
        with database.reading() as connection:
            campaign = find_campaign(connection, made["id"])
            (person,) = codes_of(connection, campaign)
        Volunteer(database, made["id"], person).rate_all(by_length(campaign))
    judge = tmp_path / "judge.csv"
    judge.write_text("item,system,quality\n0,Ann,2\n0,Bob,3\n", encoding="utf-8")
    assert "2 scores of a judge" in shell("campaign", "judge", made["id"], judge)
    assert "2 teams rated in 'final' by people" in shell("track", "ratings", "service", "final")
    board = shell("track", "board", "service")
    assert "Ann, people 2.000 (place 1), judge 2.000 (place 2)" in board
    assert "stands on the board" in shell("campaign", "close", made["id"])
    linked = shell("track", "campaign", "service", "final", "--link", made["id"])
    assert "rates 'final' of track 'service'" in linked
    entry = shell.json("track", "show", "service")["entries"][0]["id"]
    out = tmp_path / "ann.report.json"
    assert "duologue verify" in shell("track", "report", entry, "--out", out)
    assert json.loads(out.read_text(encoding="utf-8"))["system"] == "Ann"
    assert str(tmp_path) not in out.read_text(encoding="utf-8")
    out.write_text("a night's work", encoding="utf-8")
    shell("track", "report", entry, "--out", out, code=2)
    assert out.read_text("utf-8") == "a night's work"
    shell("track", "report", entry, "--out", out, "--force")
    assert json.loads(out.read_text(encoding="utf-8"))["system"] == "Ann"


def test_pages_of_a_track_replace_no_others(shell: Shell, tmp_path: Path) -> None:
    words = ("track", "export", "booking", "--out", tmp_path / "board")
    shell(*words)
    written = {path.name: path.read_bytes() for path in (tmp_path / "board").iterdir()}
    shell(*words)
    assert written.keys() >= {"index.html", "board.json"}
    for name in ("index.html", "board.json"):
        for folder in (tmp_path / "board", tmp_path / f"of-{name}"):
            folder.mkdir(exist_ok=True)
            (folder / name).write_text("a night's work", "utf-8")
            assert f"({name})" in shell("track", "export", "booking", "--out", folder, code=2)
            assert (folder / name).read_text("utf-8") == "a night's work"
        (tmp_path / "board" / name).unlink()
    shell(*words)
