"""The board says what the tests say, shows to each what they may see, and ranks nothing that is broken."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.arena.competition.board_request import RANK_JOB
from duologue.arena.competition.entry_scorer import score_entry
from duologue.arena.competition.phase_ranker import board_of
from duologue.arena.competition.track_board import Viewer, board_for
from duologue.core.plugins import load_task
from duologue.report.leaderboard import rank_all
from duologue.run import evaluate
from duologue.run.saved import formulas_of
from tests.arena.competition import booking
from tests.arena.competition.booking import as_file, result

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.competition.track_board import TrackBoard
    from tests.arena.competition.booking import Contest
    from tests.arena.conftest import Clock


def board(contest: Contest, viewer: Viewer | None = None) -> TrackBoard:
    with contest.database.reading() as connection:
        return board_for(connection, contest.track, viewer or Viewer(), contest.database.now())


def test_the_board_has_tiers_ties_and_what_could_be_detected(local_contest: Contest) -> None:
    wrong = {"Ann": 2, "Bob": 2, "Eve": 20, "Zoe": 3}
    teams = {name: local_contest.team(name) for name in wrong}
    for name, count in wrong.items():
        local_contest.submit(teams[name], as_file(result(wrong=count, shift=1 + len(name) % 2)))
    local_contest.drain()
    found = board(local_contest)
    assert [name for _, name in found.teams] == ["Ann", "Bob", "Zoe", "Eve"]
    column = found.columns[0]
    cells = {name: column.cells[teams[name].id] for name in wrong}
    assert {name: cell.ranks for name, cell in cells.items()} == {
        "Ann": (1, 3), "Bob": (1, 3), "Zoe": (1, 3), "Eve": (4, 4),
    }  # fmt: skip
    assert {name: cell.tier for name, cell in cells.items()} == {"Ann": 1, "Bob": 1, "Zoe": 1, "Eve": 2}
    assert column.board is not None
    assert 0 < (column.board["detectable"] or 0) < 1
    assert not column.stale
    assert cells["Ann"].signature.startswith("p@1")


@pytest.mark.slow
def test_a_board_is_computed_once_for_many_changes_and_says_when_it_is_old(
    local_contest: Contest, clock: Clock
) -> None:
    teams = [local_contest.team(name) for name in ("Ann", "Bob")]
    for team in teams:
        local_contest.submit(team, as_file(result(wrong=1)))
        clock.pass_by(seconds=1)  # both wait for longer than the board
    worker = local_contest.worker()
    assert worker.step()
    assert worker.step()
    assert board(local_contest).columns[0].stale
    assert worker.drain() == 1
    assert not board(local_contest).columns[0].stale
    local_contest.submit(teams[0], as_file(result(wrong=4)))
    worker.step()
    assert board(local_contest).columns[0].stale
    assert RANK_JOB in worker.kinds


def test_scores_of_a_phase_are_seen_by_those_it_says(local_contest: Contest, clock: Clock) -> None:
    clock.pass_by(days=10)  # test 2: each team its own
    ann, bob = local_contest.team("Ann"), local_contest.team("Bob")
    for team, wrong in ((ann, 1), (bob, 9)):
        local_contest.submit(team, as_file(result(2, wrong=wrong)))
    local_contest.drain()
    assert board(local_contest).teams == ()
    own = board(local_contest, Viewer(team=bob.id))
    assert own.teams == ((bob.id, "Bob"),)
    assert (own.columns[1].board, own.columns[1].cells[bob.id].tier) == (None, None)
    assert own.columns[1].cells[bob.id].ranks is None
    assert len(board(local_contest, Viewer(organiser=True)).teams) == 2
    clock.pass_by(days=2)  # over: everybody
    assert len(board(local_contest).teams) == 2


def report_of(folder: Path, rows: Any) -> Any:
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "mine.json").write_bytes(as_file(rows))
    task = load_task("restaurant")
    return evaluate.score(task, [booking.truth()], folder / "mine.json", evaluate.scoring(task), data=booking.data())


def test_the_order_is_that_of_the_leaderboard(tmp_path: Path) -> None:
    reports = {f"t{wrong}": report_of(tmp_path / str(wrong), result(wrong=wrong)) for wrong in (0, 3, 3 + 9, 24)}
    found = board_of(reports, title="x", out=tmp_path / "page.html")
    there = rank_all(list(reports.values()), formulas=formulas_of)
    assert [tuple(row["rank"]) for row in found["rows"]] == [(one.best, one.worst) for one in there.places]
    assert [row["tier"] for row in found["rows"]] == [one.tier for one in there.places]
    page = (tmp_path / "page.html").read_text()
    assert "<script src" not in page
    assert str(tmp_path) not in page


def test_where_no_test_can_be_made_equals_share_a_rank(tmp_path: Path) -> None:
    import msgspec

    reports = {
        name: msgspec.structs.replace(report_of(tmp_path / name, result(wrong=wrong)), items=(), columns=(), groups=())
        for name, wrong in (("a", 3), ("b", 0), ("c", 3))
    }
    found = board_of(reports, title="x")
    assert found["untested"]
    assert [(row["team"], row["tier"], row["rank"]) for row in found["rows"]] == [
        ("b", None, (1, 1)), ("a", None, (2, 3)), ("c", None, (2, 3)),
    ]  # fmt: skip


BREAKS = (
    "n/a",
    "NaN",
    "Infinity",
    "null",
    "missing",
    "doubled",
    "doubled-candidate",
    "no-candidate",
    "text-rank",
    "extra",
)


def broken(how: str, pick: int) -> bytes:
    """Return a result file with one thing wrong."""
    rows = result()
    row = rows[pick % len(rows)]
    ranked = row["lst_candidate_id"]
    one = ranked[pick % len(ranked)]
    if how in ("NaN", "Infinity"):
        one["rank"] = float(how)
    elif how in ("n/a", "text-rank"):
        one["rank"] = how
    elif how == "null":
        one["rank"] = None
    elif how == "missing":
        rows.remove(row)
    elif how == "doubled":
        rows.insert(pick % len(rows), json.loads(json.dumps(row)))
    elif how == "doubled-candidate":
        ranked.append(dict(one))
    elif how == "no-candidate":
        ranked.clear()
    else:
        rows.append({**row, "dialog_id": "another"})
    return as_file(rows)


@pytest.mark.parametrize("variant", ["strict", "official"])
@settings(max_examples=40, deadline=None)
@given(how=st.sampled_from(BREAKS), pick=st.integers(0, 10_000))
def test_a_broken_file_never_enters_the_order(
    tmp_path_factory: pytest.TempPathFactory, variant: str, how: str, pick: int
) -> None:
    folder = tmp_path_factory.mktemp("broken")
    (folder / "mine.json").write_bytes(broken(how, pick))
    found = score_entry(
        {
            "task": "restaurant",
            "how": {"variant": variant},
            "file": str(folder / "mine.json"),
            "gold": [str(booking.truth())],
            "input": [str(booking.data())] if random.Random(pick).random() < 0.5 else [],
            "team": "Ann",
            "test_set": "test",
            "report": str(folder / "report.json"),
        }
    )
    assert found["state"] == "refused"
    assert found["reason"]
    assert found["value"] is None
    assert found["problem_count"] >= 1
    assert not (folder / "report.json").exists()
