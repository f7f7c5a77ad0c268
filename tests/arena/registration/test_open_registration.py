"""Many people come in by one link, each as a person of their own, no more than it lets in."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from duologue.arena.campaigns.campaign import close_campaign, find_campaign
from duologue.arena.campaigns.volunteers import codes_of
from duologue.arena.people.audit import audit_entries
from duologue.arena.people.links import find_link
from duologue.arena.people.open_links import open_links_of, revoke_open_link
from duologue.arena.people.people import find_person, list_people
from duologue.arena.people.secret import new_secret
from duologue.arena.people.sessions import person_of_session
from duologue.arena.registration.open_registration import door_of, join, join_as, open_for_many, open_links_into
from duologue.core.errors import NotFoundError, UsageError
from tests.arena.campaigns.made import add_people, made_campaign
from tests.arena.finals.service import open_service

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.arena.database.database import Database
    from duologue.arena.people.secret import EntrySecret
    from tests.arena.conftest import Clock


def opened_for(database: Database, kind: str, subject: str, limit: int = 2, days: float = 3) -> EntrySecret:
    secret = new_secret()
    database.write(
        lambda c: open_for_many(c, secret, kind, subject, limit=limit, days=days, now=database.now(), by=None)
    )
    return secret


def come_in(database: Database, link: EntrySecret, name: str = "volunteer") -> tuple[str | None, EntrySecret]:
    own, session = new_secret(), new_secret()
    target = database.write(lambda c: join(c, link.text, own, session, name=name, now=database.now()))
    if target is not None:
        with database.reading() as connection:
            person = person_of_session(connection, session.text, now=database.now())
            kept = find_link(connection, own.text, now=database.now())
        assert person is not None
        assert kept is not None
        assert kept.person_id == person.id
        assert kept.target == target
        assert not kept.once
    return target, own


def test_as_many_come_in_as_it_says_each_with_a_code_of_their_own(database: Database) -> None:
    campaign = made_campaign(database)
    link = opened_for(database, "campaign", campaign[:8])
    found = [come_in(database, link)[0] for _ in range(3)]
    assert found == [f"/rate/{campaign}", f"/rate/{campaign}", None]
    with database.reading() as connection:
        assert sorted(codes_of(connection, find_campaign(connection, campaign)).values()) == ["r01", "r02"]
        (kept,) = open_links_into(connection, "campaign", campaign)
        entries = audit_entries(connection, action="open_link.")
        assert [one for one in list_people(connection) if one.roles != ("volunteer",)] == []
    assert (kept.used, kept.valid(database.now())) == (2, False)
    assert sorted(one.action for one in entries) == ["open_link.join", "open_link.join", "open_link.make"]
    assert link.text not in str(entries)


def test_it_ends_with_its_time_by_hand_and_with_the_campaign(database: Database, clock: Clock) -> None:
    campaign = made_campaign(database)
    for number, end in enumerate(("time", "hand", "campaign")):
        link = opened_for(database, "campaign", campaign)
        assert come_in(database, link)[0] is not None
        if end == "time":
            clock.pass_by(days=3)
        elif end == "hand":
            database.write(partial(revoke_open_link, link_id=link.id, now=database.now(), by=None))
        else:
            with database.reading() as connection:
                there = find_campaign(connection, campaign)
            database.write(partial(close_campaign, campaign=there, now=database.now()))
        assert come_in(database, link)[0] is None, end
        with database.reading() as connection:
            assert len(codes_of(connection, find_campaign(connection, campaign))) == number + 1


def test_participants_of_a_track_give_a_name(database: Database, tmp_path: Path) -> None:
    open_service(database, tmp_path)
    link = opened_for(database, "track", "service")
    with pytest.raises(UsageError, match="a name has"):
        come_in(database, link, "")
    assert come_in(database, link, "Wei Li")[0] == "/tracks/service/register"
    with database.reading() as connection:
        (person,) = list_people(connection, "participant")
        assert open_links_of(connection, "track", "service")[0].used == 1, "who was refused took no place"
    assert person.name == "Wei Li"


def test_who_is_known_comes_in_as_themselves_and_takes_one_place(database: Database) -> None:
    campaign = made_campaign(database)
    add_people(database, "judge")
    link = opened_for(database, "campaign", campaign)
    for _ in range(2):
        went = database.write(lambda c: join_as(c, link.text, "judge", now=database.now()))
        assert went == f"/rate/{campaign}"
    with database.reading() as connection:
        assert codes_of(connection, find_campaign(connection, campaign)) == {"judge": "r01"}
        assert find_person(connection, "judge").may("volunteer")
        assert open_links_of(connection, "campaign", campaign)[0].used == 1


def test_nothing_else_lets_anybody_in(database: Database) -> None:
    campaign = made_campaign(database)
    link = opened_for(database, "campaign", campaign)
    with database.reading() as connection:
        for text in ("", "x", f"{link.id}.wrong", link.text[:-1], link.text + "x" * 300):
            assert door_of(connection, text, now=database.now()) is None
    for kind, subject, wrong in (
        ("campaign", "nothing", "no campaign"),
        ("track", "nothing", "no track"),
        ("people", "x", "into a campaign or a track"),
    ):
        with pytest.raises(UsageError, match=wrong):
            opened_for(database, kind, subject)
    for limit, days, wrong in ((0, 3, "1 to"), (2, 0, "more than 0"), (2, 999, "at most")):
        with pytest.raises(UsageError, match=wrong):
            opened_for(database, "campaign", campaign, limit, days)
    with pytest.raises(NotFoundError, match="no open link"):
        database.write(lambda c: revoke_open_link(c, "x", now=1, by=None))
