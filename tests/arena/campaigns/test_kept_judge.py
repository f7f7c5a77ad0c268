"""A judge's scores are kept with a campaign, and join people's in its results."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from duologue.arena.campaigns import kept_judge
from duologue.arena.campaigns.campaign import find_campaign
from duologue.arena.campaigns.campaign_results import results_of
from duologue.arena.campaigns.kept_judge import judge_of, keep_judge
from duologue.arena.database.blobs import Blobs
from duologue.core.errors import FormatError, UsageError
from duologue.ratings.files import parse_ratings
from tests.arena.campaigns.made import Volunteer, by_length, made_campaign

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database
    from duologue.ratings.files import RatingFile
    from duologue.ratings.protocol import RatingProtocol


def test_its_scores_stand_beside_those_of_people(database: Database, tmp_path: Path) -> None:
    made, blobs = made_campaign(database), Blobs(tmp_path / "files")
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
    assert judge_of(blobs, campaign) is None
    names = [one.name for one in campaign.rating.criterion]
    rows = [",".join(["item", "system", *names])]
    rows += [f"item-{n:03},{system},1,1.5,{n % 2}" for n in range(9) for system in campaign.systems]
    text = "\n".join(rows).encode()
    assert keep_judge(database, blobs, campaign, "C:\\some\\judge.csv", text) == 81
    for person in ("ann", "ben"):
        Volunteer(database, made, person).rate_all(by_length(campaign))
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
        assert campaign.settings.judge == "judge.csv"
        found = results_of(connection, campaign, judge=judge_of(blobs, campaign)).summary.judge
    assert found is not None
    assert {one.system for one in found.means} == set(campaign.systems)
    assert all(one.judge is not None for one in found.means)


def test_scores_of_something_else_are_refused(database: Database, tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "files")
    found = {}
    for name in ("spoken", "arena"):
        made = made_campaign(database, name)
        with database.reading() as connection:
            found[name] = find_campaign(connection, made)
    keep = partial(keep_judge, database, blobs, found["spoken"], "judge.csv")
    criterion = found["spoken"].rating.criterion[0].name
    for text, wrong in (
        (f"item,system,{criterion}\nitem-000,somebody,1\n", "'somebody', which is no system"),
        ("item,system_a,system_b,winner\nitem-000,alpha-secret,beta-secret,a\n", "pairwise"),
        (f"item,system,{criterion}\nitem-000,alpha-secret,99\n", "99"),
    ):
        with pytest.raises((UsageError, FormatError), match=wrong):
            keep(text.encode())
    with pytest.raises(UsageError, match="win shares"):
        keep_judge(database, blobs, found["arena"], "judge.csv", b"")


def test_others_go_on_while_a_large_file_is_read(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, blobs = made_campaign(database), Blobs(tmp_path / "files")
    with database.reading() as connection:
        campaign = find_campaign(connection, made)
    seen = []

    def slow(data: bytes, path: Path, protocol: RatingProtocol, *, judge: bool) -> RatingFile:
        seen.append(database.submit(lambda connection: "done").result(20))
        return parse_ratings(data, path, protocol, judge=judge)

    monkeypatch.setattr(kept_judge, "parse_ratings", slow)
    criterion = campaign.rating.criterion[0].name
    text = f"item,system,{criterion}\nitem-000,alpha-secret,1\n".encode()
    assert keep_judge(database, blobs, campaign, "judge.csv", text) == 1
    assert seen == ["done"]
