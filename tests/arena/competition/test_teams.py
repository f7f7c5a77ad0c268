"""Teams accept the agreement, declare what they use, and are approved where the track wants that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.arena.competition import teams
from duologue.arena.competition.tracks import agreement_hash
from duologue.arena.people.audit import audit_entries
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from tests.arena.competition.booking import Contest


def test_a_team_accepts_the_agreement_and_declares_external_resources(contest: Contest) -> None:
    with pytest.raises(UsageError, match="has not accepted the agreement"):
        contest.team("Ann", agreed=False)
    team = contest.team("  Ann   Arbor ", external=["BERT", " BERT", ""], affiliation="A lab")
    with contest.database.reading() as connection:
        found = teams.find_team(connection, "booking", "Ann Arbor")
    assert found == team
    assert (found.external, found.state, found.agreement_sha256) == (
        ("BERT",), "approved", agreement_hash(contest.track),
    )  # fmt: skip


@pytest.mark.parametrize("name", ["", "   ", "x" * 61, "a\x1b[2J", "ann"])
def test_a_name_is_plain_and_free(contest: Contest, name: str) -> None:
    contest.team("Ann")
    with pytest.raises(UsageError):
        contest.team(name)


def test_the_organiser_approves_teams_where_the_track_says_so(contest: Contest) -> None:
    strict = contest._replace(track=msgspec.structs.replace(contest.track, approval=True))
    team = strict.team("Ann")
    assert team.state == "pending"
    contest.database.write(lambda connection: teams.judge_team(connection, team.id, "approved", now=5, by=None))
    with contest.database.reading() as connection:
        assert teams.find_team(connection, "booking", "Ann").state == "approved"
        assert [one.about for one in audit_entries(connection, action="team.approve")] == [team.id]
    with pytest.raises(UsageError, match="approved or refused"):
        contest.database.write(lambda connection: teams.judge_team(connection, team.id, "winner", now=5, by=None))
    with pytest.raises(UsageError, match="no team 'Bob'"), contest.database.reading() as connection:
        teams.find_team(connection, "booking", "Bob")
