"""A board is asked for whenever what counts changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import select, update

from duologue.arena.competition import entries
from duologue.arena.competition import teams as registered
from duologue.arena.competition.board_request import RANK_JOB, ask_for_board
from duologue.arena.competition.tables import tracks
from duologue.arena.competition.track_board import Viewer, board_for
from duologue.arena.jobs.job_queue import is_queued
from duologue.arena.jobs.tables import jobs
from tests.arena.competition.booking import as_file, result

if TYPE_CHECKING:
    from tests.arena.competition.booking import Contest


def test_many_requests_are_one(local_contest: Contest) -> None:
    database, name = local_contest.database, local_contest.track.name
    for _ in range(3):
        database.write(lambda connection: ask_for_board(connection, name, "test-1", database.now()))
    with database.reading() as connection:
        assert is_queued(connection, RANK_JOB, f"{name}/test-1")
        assert not is_queued(connection, RANK_JOB, f"{name}/test-2")
        assert len(connection.execute(select(jobs)).all()) == 1


def test_the_board_follows_the_choice_of_a_team(local_contest: Contest) -> None:
    database = local_contest.database
    contest = local_contest._replace(track=msgspec.structs.replace(local_contest.track, standing="chosen"))
    definition = msgspec.to_builtins(contest.track)
    database.write(lambda connection: connection.execute(update(tracks).values(definition=definition)).rowcount)
    team = contest.team("Ann")
    good = contest.submit(team, as_file(result(wrong=2)))
    contest.submit(team, as_file(result(wrong=20)))
    contest.drain()

    def shown() -> tuple[float, bool]:
        with database.reading() as connection:
            column = board_for(connection, contest.track, Viewer(), database.now()).columns[0]
        return round(column.cells[team.id].value or 0, 3), column.stale

    assert shown() == (0.167, False), "the last one while none is chosen"
    with database.reading() as connection:
        entry = entries.find_entry(connection, good.id)
    database.write(lambda connection: entries.choose(connection, contest.track, entry, database.now()))
    assert shown() == (0.167, True)
    contest.drain()
    assert shown() == (0.917, False)


def test_a_team_that_is_refused_leaves_the_board_and_may_come_back(local_contest: Contest) -> None:
    """It stayed on the board until another entry was scored, and came back with it."""
    database = local_contest.database
    first, second = local_contest.team("Ann"), local_contest.team("Ben")
    local_contest.submit(first, as_file(result(wrong=2)))
    local_contest.submit(second, as_file(result(wrong=20)))
    local_contest.drain()

    def judged(team: str, state: str) -> set[str]:
        database.write(lambda connection: registered.judge_team(connection, team, state, now=database.now(), by=None))
        local_contest.drain()
        with database.reading() as connection:
            return set(board_for(connection, local_contest.track, Viewer(), database.now()).columns[0].cells)

    assert judged(first.id, "refused") == {second.id}
    assert judged(second.id, "refused") == set(), "nothing counts any more"
    assert judged(first.id, "approved") == {first.id}
