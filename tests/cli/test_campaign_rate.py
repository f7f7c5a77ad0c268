"""Rating in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.arena.campaigns.made import SYSTEMS, made_campaign, made_material

from duologue.arena.campaigns.campaign import find_campaign, status_of
from duologue.arena.campaigns.campaign_results import ratings_of
from duologue.arena.campaigns.norm_round import open_round_of, votes_of
from duologue.arena.storage import open_database
from duologue.cli.main import cli
from duologue.core.errors import UsageError
from duologue.ratings.judgement import Preference

if TYPE_CHECKING:
    from pathlib import Path


def rate(place: Path, campaign: str, typed: str, *more: str) -> str:
    words = ["campaign", "rate", campaign, "--person", "ann", "--workspace", str(place), *more]
    done = CliRunner().invoke(cli, words, input=typed)
    assert not done.exception, done.output
    return done.output


def test_points_are_asked_for_blind_and_kept(tmp_path: Path) -> None:
    with open_database(tmp_path) as database:
        made = made_campaign(database, material=made_material(items=1))
    learned = rate(tmp_path, made, "2\n2\n0\n2\n2\n2\n", "--n", "2")
    assert "not right, it comes again" in learned, "the first one has factual accuracy 2"
    assert "right: " in learned
    told = rate(tmp_path, made, "2\n2\n0\n" + "9\n1\n1\n1\n" + "0\n0\n0\n" + "2\n2\n2\n")
    assert "What is thing 0?" in told
    assert "is not in the range 0<=x<=2" in told
    assert "nothing is left; you have rated 3" in told
    assert not [name for name in SYSTEMS if name in told + learned]
    with open_database(tmp_path) as database, database.reading() as connection:
        campaign = find_campaign(connection, made)
        assert status_of(connection, campaign).rated == 3
        assert len(ratings_of(connection, campaign)) == 9


def test_the_instructions_come_first_and_what_does_not_count_is_marked(tmp_path: Path) -> None:
    with open_database(tmp_path) as database:
        made = made_campaign(database, material=made_material(items=1))
        with database.reading() as connection:
            instructions = find_campaign(connection, made).protocol.instructions
    told = " ".join(rate(tmp_path, made, "2\n2\n2\n2\n2\n0\n" + "1\n1\n1\n", "--n", "3").split())
    assert told.startswith(" ".join(instructions.split()))
    learning, _, counted = told.rpartition("right: ")
    assert learning.count("to learn from: ") == 2
    assert "to learn from: " not in counted


def test_of_a_pair_a_choice_and_a_reason(tmp_path: Path) -> None:
    with open_database(tmp_path) as database:
        material = made_material(("one", "two"), items=1)
        made = made_campaign(database, "arena", material=material, onboarding=())
    told = rate(tmp_path, made, "both\nfirst\nboredom\nfacts\n")
    assert "-- first" in told
    assert "'boredom' is not one of" in told
    with open_database(tmp_path) as database, database.reading() as connection:
        (kept,) = ratings_of(connection, find_campaign(connection, made))
    assert isinstance(kept, Preference)
    assert kept.outcome in {"a", "b"}


def test_an_item_is_left_out_but_none_to_learn_from(tmp_path: Path) -> None:
    with open_database(tmp_path) as database:
        made = made_campaign(database, material=made_material(items=1))
    told = rate(tmp_path, made, "skip\n2\n2\n0\n2\n2\n2\n2\n2\n0\n" + "skip\n" * 3)
    assert told.count("this item cannot be skipped") == 1
    assert "nothing is left; you have rated 0" in told
    with open_database(tmp_path) as database, database.reading() as connection:
        assert status_of(connection, find_campaign(connection, made)).rated == 0


def test_a_norming_round_is_voted_on_discussed_and_voted_on_again(tmp_path: Path) -> None:
    with open_database(tmp_path) as database:
        made = made_campaign(database, onboarding=())
    norm, one = ["campaign", "norm", made, "--workspace", str(tmp_path)], "0\n0\n0\n"
    rate(tmp_path, made, one, "--n", "1")
    CliRunner().invoke(cli, [*norm, "--n", "1"], catch_exceptions=False)
    assert "norming round 1: vote, 1 items" in rate(tmp_path, made, "1\n1\n2\n" + one, "--n", "1")
    assert "norming round 1: vote, 0 items" in rate(tmp_path, made, one, "--n", "1")
    CliRunner().invoke(cli, [*norm, "--next"], catch_exceptions=False)
    assert " voted " in rate(tmp_path, made, "it is too short\n" + one, "--n", "1")
    CliRunner().invoke(cli, [*norm, "--next"], catch_exceptions=False)
    assert "said: it is too short" in rate(tmp_path, made, one + one, "--n", "1")
    with open_database(tmp_path) as database, database.reading() as connection:
        campaign = find_campaign(connection, made)
        votes = votes_of(connection, campaign, open_round_of(connection, campaign), "ann")
    assert {one.phase: sorted(one.points.values(), key=str) for one in votes} == {
        "before": [1, 1, 2],
        "after": [0, 0, 0],
    }


@pytest.mark.parametrize(("live", "person", "said"), [(True, "ann", "talk with these"), (False, "nobody", "nobody")])
def test_what_cannot_be_is_told(tmp_path: Path, *, live: bool, person: str, said: str) -> None:
    with open_database(tmp_path) as database:
        made = made_campaign(database, live=live)
    done = CliRunner().invoke(cli, ["campaign", "rate", made, "--person", person, "--workspace", str(tmp_path)])
    assert done.exit_code
    assert said in str(done.exception) + done.output


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    with open_database(tmp_path) as database:
        made = made_campaign(database, onboarding=())
    words = ["campaign", "rate", made, "--person", "ann", "--workspace", str(tmp_path)]
    done = CliRunner().invoke(cli, words, input=b"\x8b\n")
    assert isinstance(done.exception, UsageError)
    assert "cannot be read" in str(done.exception)
