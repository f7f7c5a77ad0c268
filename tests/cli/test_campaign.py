"""`duologue campaign` from end to end, through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.arena.campaigns.made import Volunteer, by_length
from tests.command import demand_forced

from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.campaigns.tables import campaign_volunteers
from duologue.arena.people.links import find_link
from duologue.arena.storage import open_database
from duologue.challenges.restaurant.simulator.random_kb import make_kb

if TYPE_CHECKING:
    from duologue.arena.campaigns.volunteer_view import ShownItem

KB = Path(__file__).resolve().parents[1] / "golden" / "restaurant" / "small-kb.txt"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A truth file of ten customers, and the replies of two systems."""
    made = tmp_path_factory.mktemp("campaign")
    for name, replies in {
        "gold.txt": "S: yes yes yes {}",
        "a.txt": "S_HYP: yes {}",
        "b.txt": "S_HYP: yes yes {}",
    }.items():
        rows = [f"U: my parcel {number} is late\n{replies.format(number)}\n" for number in range(10)]
        (made / name).write_text("\n".join(rows), encoding="utf-8")
    return made


def start(duologue: Any, folder: Path, workspace: Path, *more: object) -> dict[str, Any]:
    systems = f"one={folder / 'a.txt'},two={folder / 'b.txt'}"
    told = duologue(
        "campaign", "start", "conversation", "--systems", systems, "--gold", folder / "gold.txt", "--n", 6,
        "--per-item", 3, "--checks", 5, "--workspace", workspace, "--json", *more,
    )  # fmt: skip
    assert told.code == 0, told.err
    found: dict[str, Any] = json.loads(told.out)
    return found


def rate(workspace: Path, campaign_id: str) -> None:
    """Let all invited volunteers rate everything."""
    with open_database(workspace, durable=False) as database:
        with database.reading() as connection:
            opinion = by_length(find_campaign(connection, campaign_id))
            people = sorted(row.person_id for row in connection.execute(campaign_volunteers.select()))
        for person in people:
            Volunteer(database, campaign_id, person).rate_all(opinion)


def test_a_campaign_is_started_rated_and_ranked(duologue: Any, folder: Path, tmp_path: Path) -> None:
    made = start(duologue, folder, tmp_path, "--volunteers", 3)
    assert (made["units"], made["wanted"]) == (18, 54)
    assert [one["code"] for one in made["links"]] == ["r01", "r02", "r03"]
    assert all(one["link"].startswith("http://127.0.0.1:8000/enter/") for one in made["links"])
    where = ("--workspace", tmp_path)
    assert "nobody has rated anything" in duologue("campaign", "results", made["id"], *where).err
    rate(tmp_path, made["id"])
    told = duologue("campaign", "status", made["id"][:6], *where)
    assert "54 of 54 ratings" in told.out
    assert "r02: 18 rated" in told.out
    shown = duologue("campaign", "results", made["id"], *where, "--out", tmp_path / "page.html")
    assert shown.code == 0, shown.err
    assert "reference" in shown.out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "r03" in page
    assert "注意力检查" in page
    found = json.loads(duologue("campaign", "results", made["id"], *where, "--json").out)
    assert [one["system"] for one in found["systems"] if one["rank"]] == ["two", "one"]
    out = tmp_path / "ratings.csv"
    assert duologue("campaign", "export", made["id"], *where, "--out", out).code == 0
    scored = json.loads(duologue("ratings", "score", out, "--protocol", "conversation", "--json").out)
    assert scored["systems"] == found["systems"]
    demand_forced(duologue, ("campaign", "export", made["id"], *where), tmp_path.with_name(f"{tmp_path.name}.csv"))
    assert duologue("campaign", "close", made["id"], *where).out.strip().endswith("is closed.")
    assert duologue("campaign", "close", made["id"], "--again", *where).out.strip().endswith("is open.")


def test_an_export_tells_whose_ratings_it_leaves_out(duologue: Any, folder: Path, tmp_path: Path) -> None:
    made = start(duologue, folder, tmp_path, "--volunteers", 2)
    with open_database(tmp_path, durable=False) as database:
        with database.reading() as connection:
            campaign = find_campaign(connection, made["id"])
            rows = connection.execute(campaign_volunteers.select()).all()
        people, careful = {row.code: row.person_id for row in rows}, by_length(campaign)
        Volunteer(database, made["id"], people["r01"]).rate_all(careful)

        def careless(item: ShownItem) -> dict[str, Any]:
            said = careful(item)
            return dict.fromkeys(said, 3) if "attention check" in item.first[-1][1] else said

        Volunteer(database, made["id"], people["r02"]).rate_all(careless)
    words = ("campaign", "export", made["id"], "--workspace", tmp_path, "--out")
    told = duologue(*words, tmp_path / "ratings.csv").out
    assert "18 ratings in" in told
    assert "left out, since they failed attention checks: r02 (--everybody" in told
    told = duologue(*words, tmp_path / "all.csv", "--everybody").out
    assert "36 ratings in" in told
    assert "left out" not in told


def test_results_take_no_judge_of_other_systems(duologue: Any, folder: Path, tmp_path: Path) -> None:
    made = start(duologue, folder, tmp_path, "--volunteers", 1)
    rate(tmp_path, made["id"])
    judge = folder / "judge.csv"
    judge.write_text("item,system,quality\n1,onne,3\n", encoding="utf-8")
    told = duologue("campaign", "results", made["id"], "--workspace", tmp_path, "--judge", judge)
    assert told.code == 2
    assert "judge.csv: the judge rated 'onne', which is no system of this campaign; did you mean 'one'" in told.err


def test_a_person_who_is_there_is_invited_too(duologue: Any, folder: Path, tmp_path: Path) -> None:
    where = ("--workspace", tmp_path)
    made = start(duologue, folder, tmp_path, "--title-zh", "客服回复", "--overlap", "0.5")
    assert made["wanted"] == 3 * (3 * 3 + 3), "of six items three have three raters"
    assert duologue("site", "people", "add", "--name", "Wei", "--role", "judge", *where).code == 0
    (wei,) = json.loads(duologue("site", "people", "list", *where, "--json").out)["people"]
    linked = duologue("campaign", "link", made["id"], "--person", wei["id"], "--json", *where)
    (told,) = json.loads(linked.out)
    assert told["code"] == "r01"
    assert duologue("campaign", "link", made["id"], "--person", "nobody", *where).code == 2
    with open_database(tmp_path) as database, database.reading() as connection:
        link = find_link(connection, told["link"].rpartition("/")[2], now=database.now())
        assert link is not None
        assert (link.person_id, link.target, link.once) == (wei["id"], f"/rate/{made['id']}", True)
        assert find_campaign(connection, made["id"]).title_in("zh") == "客服回复"


@pytest.mark.parametrize("site", ["ratings.example.org", "https://", "https://a b", "not a url"])
def test_no_link_begins_with_what_is_no_address(duologue: Any, folder: Path, tmp_path: Path, site: str) -> None:
    made = start(duologue, folder, tmp_path)
    told = duologue("campaign", "link", made["id"], "--workspace", tmp_path, "--site", site)
    assert told.code == 2
    assert f"'{site}' begins no link; give an address such as https://" in told.err


def test_norming_goes_on_step_by_step(duologue: Any, folder: Path, tmp_path: Path) -> None:
    made = start(duologue, folder, tmp_path)
    where = ("--workspace", tmp_path)
    assert "vote, 2 items" in duologue("campaign", "norm", made["id"], "--n", 2, *where).out
    for state in ("discuss", "revote", "closed"):
        assert state in duologue("campaign", "norm", made["id"], "--next", *where).out
    assert "no norming round is open" in duologue("campaign", "norm", made["id"], "--next", *where).err
    links = json.loads(duologue("campaign", "link", made["id"], "--n", 2, *where, "--json").out)
    assert len({one["link"] for one in links}) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("spoken", "--systems", "a=none.json", "--n", 3), "is no file; spoken rates result files"),
        (("conversatio", "--systems", "a=b", "--n", 3), "did you mean 'conversation'"),
        (("arena", "--systems", "a=b,c=d", "--n", 3), "say which with --task"),
        (("spoken", "--task", "proactive", "--systems", "a=b", "--n", 3), "rates systems of spoken"),
        (("proactive", "--systems", "a,a", "--n", 3), "two systems are called 'a'"),
        (("proactive", "--systems", "=a", "--n", 3), "is no system"),
        (("restaurant", "--systems", "solver", "--n", 3, "--goals", KB), "knowledge base 'small-kb.txt' has no field"),
        (("restaurant", "--systems", "solverr", "--n", 3), "did you mean 'solver'"),
        (("restaurant", "--systems", "solver,rule-agent", "--n", 3), "does not serve task 'restaurant'"),
        (("restaurant", "--systems", "solver,ranker", "--n", 3), "has to learn first"),
        (("restaurant", "--systems", "solver", "--n", 3, "--kb", KB), "leave --gold, --input, --kb and --whole out"),
        (("spoken", "--systems", f"a={KB}", "--n", 3, "--goals", KB), "leave --goals out"),
    ],
)
def test_what_does_not_go_together_is_said(duologue: Any, tmp_path: Path, words: tuple[object, ...], said: str) -> None:
    found = duologue("campaign", "start", *words, "--workspace", tmp_path)
    assert found.code == 2
    assert said in found.err


@pytest.mark.parametrize(
    ("protocol", "system", "place", "said"),
    [
        ("restaurant", "solver", "no-file.txt", "cannot read no-file.txt"),
        ("mobilecs", "rule-agent", KB, "not valid JSON"),
    ],
)
def test_a_file_of_goals_that_cannot_be_read_is_told_before_people_are_invited(
    duologue: Any, tmp_path: Path, protocol: str, system: str, place: object, said: str
) -> None:
    words = ("campaign", "start", protocol, "--systems", system, "--n", 3, "--goals", place, "--workspace", tmp_path)
    told = duologue(*words)
    assert told.code == 1
    assert said in told.err


def test_people_are_not_invited_where_there_are_no_goal_cards(duologue: Any, tmp_path: Path) -> None:
    facts = [fact for fact in make_kb(1, 3) if fact.relation != "phone"]
    base = tmp_path / "base.txt"
    base.write_text("".join(f"1 {one.subject} R_{one.relation}\t{one.object}\n" for one in facts), encoding="utf-8")
    words = ("campaign", "start", "restaurant", "--systems", "solver", "--n", 3, "--goals", base)
    told = duologue(*words, "--workspace", tmp_path / "work")
    assert told.code == 2
    assert "base.txt' allows no goal cards, by which people talk in restaurant" in told.err


def test_systems_to_talk_with_make_a_live_campaign(duologue: Any, tmp_path: Path) -> None:
    words = ("campaign", "start", "restaurant", "--systems", "solver,other=tfidf", "--n", 3, "--workspace", tmp_path)
    made = json.loads(duologue(*words, "--json").out)
    assert (made["units"], made["dialogues"]) == (6, 6)
    assert "arena: any task" in duologue("campaign", "protocols").out
    assert "0 of 6 dialogues" in duologue("campaign", "status", "--workspace", tmp_path).out
