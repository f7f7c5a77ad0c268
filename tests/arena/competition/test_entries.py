"""Who may hand in, when and how often; which entry counts; days of the track's zone."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import pytest
from sqlalchemy import update

from duologue.arena.competition import entries as competition
from duologue.arena.competition import phase_clock, teams
from duologue.arena.competition.entries import EntryRefusedError
from duologue.arena.competition.tables import entries
from duologue.arena.competition.track_file import EntryLimits
from duologue.core.errors import StorageError, UsageError

if TYPE_CHECKING:
    from duologue.arena.competition.score_shapes import EntrySummary, KeptScore
    from tests.arena.competition.booking import Contest
    from tests.arena.conftest import Clock


def score(contest: Contest, entry: str, value: float = 0.5) -> None:
    values = {"state": "scored", "value": value, "report_sha256": "0" * 64}
    contest.database.write(
        lambda connection: connection.execute(update(entries).where(entries.c.id == entry).values(**values)).rowcount
    )


def end(contest: Contest, entry: str, state: str) -> None:
    contest.database.write(
        lambda connection: connection.execute(update(entries).where(entries.c.id == entry).values(state=state)).rowcount
    )


def use(contest: Contest, team: teams.Team, clock: Clock) -> competition.QuotaUse:
    with contest.database.reading() as connection:
        day = phase_clock.day_of(clock(), contest.track.zone)
        return competition.quota_use(connection, team.id, "test-1", day)


def test_the_day_of_a_quota_is_that_of_the_tracks_zone(contest: Contest, clock: Clock) -> None:
    team = contest.team("Ann")  # 16:00 in Shanghai
    for _ in range(2):
        score(contest, contest.submit(team, b"x").id)
    with pytest.raises(EntryRefusedError, match="2 a day is used up: 2 entries were scored on 2027-01-15"):
        contest.submit(team, b"x")
    clock.pass_by(seconds=7.9 * 3600)
    with pytest.raises(EntryRefusedError):
        contest.submit(team, b"x")
    clock.pass_by(seconds=0.2 * 3600)  # midnight there, 16:00 in Greenwich
    assert contest.submit(team, b"x").day == "2027-01-16"


def test_what_is_cancelled_refused_or_failed_costs_nothing(contest: Contest, clock: Clock) -> None:
    team = contest.team("Ann")
    for state in ("refused", "failed"):
        entry = contest.submit(team, b"x").id
        end(contest, entry, state)
    entry = contest.submit(team, b"x").id
    assert contest.database.write(lambda connection: competition.cancel(connection, entry, clock()))
    assert not contest.database.write(lambda connection: competition.cancel(connection, entry, clock()))
    assert use(contest, team, clock) == (0, 0, 0, 0)
    contest.submit(team, b"x")
    assert use(contest, team, clock).left(contest.track.phases[0].quota) == 1


def test_a_phase_takes_entries_between_its_dates_alone(contest: Contest, clock: Clock) -> None:
    team = contest.team("Ann")
    with pytest.raises(EntryRefusedError, match="'test-2' is not open: it opens at 2027-01-25"):
        contest.submit(team, b"x", phase="test-2")
    with pytest.raises(EntryRefusedError, match="rated by people"):
        contest.submit(team, b"x", phase="final")
    with pytest.raises(UsageError, match="has no phase 'test'"):
        contest.submit(team, b"x", phase="test")
    clock.pass_by(days=10)
    assert contest.submit(team, b"x").phase == "test-2"
    with pytest.raises(EntryRefusedError, match="'test-1' is not open: it closed at"):
        contest.submit(team, b"x", phase="test-1")
    clock.pass_by(days=30)
    with pytest.raises(EntryRefusedError, match="no phase of track 'booking' takes entries now"):
        contest.submit(team, b"x")


def test_a_team_hands_in_when_it_is_approved_and_what_is_not_too_large(contest: Contest, clock: Clock) -> None:
    strict = contest._replace(track=msgspec.structs.replace(contest.track, approval=True))
    with pytest.raises(EntryRefusedError, match="waits for the organiser's approval"):
        strict.submit(strict.team("Ann"), b"x")
    gone = contest.team("Zoe")  # as it was read before the organiser's word
    contest.database.write(lambda c: teams.judge_team(c, gone.id, "refused", now=5, by=None))
    with pytest.raises(EntryRefusedError, match="was refused by the organiser"):
        contest.submit(gone, b"x")
    small = contest._replace(track=msgspec.structs.replace(contest.track, limits=_limits("1K")))
    with pytest.raises(EntryRefusedError, match="takes at most 1 KiB"):
        small.submit(contest.team("Bob"), b"x" * 1025)
    with pytest.raises(EntryRefusedError, match="empty"):
        small.submit(contest.team("Eve"), b"")


def test_files_that_are_taken_back_fill_no_disk(
    contest: Contest, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(competition, "MAX_A_DAY", 5)
    team, other = contest.team("Ann"), contest.team("Bob")
    for number in range(5):
        entry = contest.submit(team, f"{number}".encode())
        contest.database.write(partial(competition.cancel, entry=entry.id, now=clock()))
    with pytest.raises(EntryRefusedError, match=r"handed in 5 files on 2027-01-\d\d, whatever became of them"):
        contest.submit(team, b"more")
    assert contest.submit(other, b"x").state == "queued"
    clock.pass_by(days=1)
    assert contest.submit(team, b"more").state == "queued"


def _limits(upload: str) -> EntryLimits:
    return EntryLimits(upload=upload)


def test_the_last_scored_entry_counts_or_the_chosen_one(contest: Contest, clock: Clock) -> None:
    team = contest.team("Ann")
    first, second = contest.submit(team, b"x"), contest.submit(team, b"y")
    with contest.database.reading() as connection:
        assert competition.standing_entries(connection, contest.track, "test-1") == {}
    score(contest, first.id)
    score(contest, second.id)
    chosen = msgspec.structs.replace(contest.track, standing="chosen")
    with pytest.raises(EntryRefusedError, match="the last scored entry"):
        contest.database.write(
            lambda connection: competition.choose(connection, contest.track, contest.entry(first), clock())
        )
    contest.database.write(lambda connection: competition.choose(connection, chosen, contest.entry(first), clock()))
    with contest.database.reading() as connection:
        assert competition.standing_entries(connection, contest.track, "test-1")[team.id].id == second.id
        assert competition.standing_entries(connection, chosen, "test-1")[team.id].id == first.id


def test_a_name_of_a_file_is_its_last_part_as_it_can_be_printed(contest: Contest) -> None:
    team = contest.team("Ann")
    named = contest.database.write(
        lambda connection: competition.submit(
            connection, contest.blobs, contest.track, team, "C:\\x\\../a\x1b[2J.json", b"x", contest.database.now()
        )
    )
    assert named.name == "a\\x1b[2J.json"


def test_a_summary_whose_ranking_score_was_altered_is_damaged(contest: Contest) -> None:
    blank = contest.submit(contest.team("Ann"), b"x")
    assert (blank.ranking, blank.percent) == (None, False)
    score: KeptScore = {"name": "p@1", "value": 0.5, "low": None, "high": None, "percent": True}
    summary: EntrySummary = {
        "n": 2, "variant": "strict", "rank_by": "p@1", "higher_is_better": True, "signature": "s", "caution": "",
        "scores": [score], "slices": [], "difference": [],
    }  # fmt: skip
    scored = blank._replace(summary=summary)
    assert scored.ranking == score
    assert scored.percent
    altered = blank._replace(summary={**summary, "rank_by": "p@2"})
    with pytest.raises(StorageError, match="ranked by 'p@2', which is none of them; restore a backup"):
        _ = altered.ranking


def test_days_follow_the_clocks_of_the_zone() -> None:
    spring = phase_clock.instant(datetime(2026, 3, 29), "Europe/Berlin")  # noqa: DTZ001  # of that zone
    day = 23 * 3600 * 1000  # the clocks go forward
    around = [phase_clock.day_of(spring + moment, "Europe/Berlin") for moment in (-1, 0, day - 1, day)]
    assert around == ["2026-03-28", "2026-03-29", "2026-03-29", "2026-03-30"]
