"""The clock moves entries into the next phase and the first into the final; people propose who is selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.arena.competition import entries as competition
from duologue.arena.competition import phases, ratings
from duologue.arena.people.audit import audit_entries
from duologue.core.errors import UsageError
from duologue.ratings.files import read_ratings
from duologue.ratings.protocol import find_protocol
from duologue.ratings.summary import summarise
from tests.arena.competition.test_entries import end, score

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.competition.teams import Team
    from tests.arena.competition.booking import Contest
    from tests.arena.conftest import Clock


def hand_in(contest: Contest, *values: float, phase: str = "test-1") -> list[Team]:
    """Return teams with a scored entry each."""
    found = []
    for number, value in enumerate(values):
        team = contest.team(f"Team {number + 1}")
        score(contest, contest.submit(team, f"{number}".encode(), phase=phase).id, value)
        found.append(team)
    return found


def advance(contest: Contest, clock: Clock, **options: str) -> list[str]:
    return contest.database.write(lambda connection: phases.advance(connection, contest.track, clock(), **options))


def finalists(contest: Contest) -> list[tuple[int, str, bool]]:
    with contest.database.reading() as connection:
        found = phases.finalists_of(connection, "booking", "final")
    return [(one.place, one.name, one.selected) for one in found]


def test_the_entries_that_count_move_when_the_phase_before_is_over_and_has_ended(
    contest: Contest, clock: Clock
) -> None:
    second = msgspec.structs.replace(contest.track.phases[1], move="standing")
    contest = contest._replace(track=msgspec.structs.replace(contest.track, phases=(contest.track.phases[0], second)))
    ann, bob = hand_in(contest, 0.5, 0.6)
    late = contest.submit(ann, b"late")
    assert advance(contest, clock) == []
    clock.pass_by(days=10)
    assert advance(contest, clock) == []  # one is not scored yet
    score(contest, late.id, 0.7)
    assert advance(contest, clock) == ["test-2"]
    assert advance(contest, clock) == []
    with contest.database.reading() as connection:
        moved = competition.entries_of(connection, "booking", phase="test-2")
        assert {one.team: one.sha256 for one in moved} == {
            ann.id: late.sha256,
            bob.id: competition.entries_of(connection, "booking", team=bob.id)[0].sha256,
        }
        assert all(one.moved_from and one.state == "queued" for one in moved)
        assert competition.quota_use(connection, ann.id, "test-2", moved[0].day) == (0, 0, 0, 0)


def test_the_first_go_to_the_final_and_equals_of_the_last_with_them(contest: Contest, clock: Clock) -> None:
    clock.pass_by(days=10)
    hand_in(contest, 0.5, 0.9, 0.7, 0.7, 0.1, phase="test-2")
    assert advance(contest, clock) == []
    clock.pass_by(days=2)
    assert advance(contest, clock) == ["final"]
    assert finalists(contest) == [(1, "Team 2", False), (2, "Team 3", False), (2, "Team 4", False)]


def test_an_organiser_may_fill_a_phase_early(contest: Contest, clock: Clock) -> None:
    clock.pass_by(days=10)
    hand_in(contest, 0.5, phase="test-2")
    assert advance(contest, clock, early="final") == ["final"]
    assert len(finalists(contest)) == 1


def test_an_entry_that_failed_goes_nowhere(contest: Contest, clock: Clock) -> None:
    clock.pass_by(days=10)
    end(contest, contest.submit(contest.team("Ann"), b"x").id, "failed")
    clock.pass_by(days=2)
    advance(contest, clock)
    assert finalists(contest) == []


def test_ratings_of_people_propose_who_is_selected_and_the_organiser_decides(
    contest: Contest, clock: Clock, tmp_path: Path
) -> None:
    clock.pass_by(days=10)
    hand_in(contest, 0.9, 0.8, 0.1, phase="test-2")
    clock.pass_by(days=2)
    advance(contest, clock)
    protocol = find_protocol("restaurant")
    rows = ["item,system,rater,criterion,value"]
    for item in range(8):
        for rater in ("ann", "bob"):
            for system, value in (("Team 1", item % 2), ("Team 2", 1)):
                points = protocol.criterion[0].low + value * protocol.criterion[0].span
                rows += [f"{item},{system},{rater},{one.name},{min(points, one.high)}" for one in protocol.criterion]
    (tmp_path / "people.csv").write_text("\n".join(rows))
    found = summarise(read_ratings(tmp_path / "people.csv", protocol), protocol)
    final = contest.track.phase("final")
    kept = contest.database.write(
        lambda connection: ratings.keep_ratings(connection, contest.track, final, "human", found, clock())
    )
    assert kept == 2
    with contest.database.reading() as connection:
        told = {one.rank_best: one for one in ratings.ratings_of(connection, "booking")}
        best = phases.proposed(connection, contest.track, final)
    assert [told[1].team] == best
    assert told[1].value > told[2].value
    contest.database.write(
        lambda connection: phases.select_finalists(connection, contest.track, final, best, now=5, by=None)
    )
    assert finalists(contest) == [(1, "Team 1", False), (2, "Team 2", True)]
    with contest.database.reading() as connection:
        assert [one.detail["teams"] for one in audit_entries(connection, action="final.select")] == [best]
    with pytest.raises(UsageError, match="is not in the final"):
        contest.database.write(
            lambda connection: phases.select_finalists(connection, contest.track, final, ["x"], now=5, by=None)
        )
    other = (tmp_path / "people.csv").read_text().replace("Team 2", "Team 9")
    (tmp_path / "people.csv").write_text(other)
    wrong = summarise(read_ratings(tmp_path / "people.csv", protocol), protocol)
    with pytest.raises(UsageError, match="'Team 9' was rated and is no team"):
        contest.database.write(
            lambda connection: ratings.keep_ratings(connection, contest.track, final, "human", wrong, clock())
        )


def test_the_chore_looks_at_the_clock_now_and_then(contest: Contest, clock: Clock) -> None:
    clock.pass_by(days=10)
    hand_in(contest, 0.9, phase="test-2")
    chore = phases.PhaseChore()
    contest.database.write(lambda connection: chore(connection, clock()))
    clock.pass_by(days=2)
    contest.database.write(lambda connection: chore(connection, clock()))
    assert finalists(contest) == [(1, "Team 1", False)]
