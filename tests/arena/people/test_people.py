from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from duologue.arena.people.audit import AuditPlace, audit_entries
from duologue.arena.people.links import find_link, follow_link, is_local, links_of, make_link, revoke_link
from duologue.arena.people.people import (
    Person,
    add_person,
    close_person,
    find_person,
    list_people,
    reopen_person,
    set_language,
    set_roles,
)
from duologue.arena.people.secret import derived_secret, hash_of, matches, new_secret
from duologue.arena.people.sessions import end_session, end_sessions, person_of_session
from duologue.arena.people.tables import access_tokens, sign_in_links, sign_in_sessions
from duologue.arena.people.tokens import make_token, person_of_token, revoke_token, tokens_of
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from tests.arena.conftest import Clock

    from duologue.arena.database.database import Database
    from duologue.arena.people.secret import EntrySecret


class People:
    """A database with one person, and what tests do with it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.ada = self.add("Ada", "admin")

    def add(self, name: str, *roles: str) -> str:
        return str(self.do(add_person, name, roles, by=None))

    def do(self, action: Any, /, *arguments: Any, **options: Any) -> Any:
        now = self.database.now()
        return self.database.write(lambda connection: action(connection, *arguments, now=now, **options))

    def see(self, action: Any, /, *arguments: Any, **options: Any) -> Any:
        with self.database.reading() as connection:
            return action(connection, *arguments, **options)

    def link(self, person_id: str, **options: Any) -> EntrySecret:
        secret = new_secret()
        self.do(make_link, secret, person_id, by=None, **options)
        return secret

    def enter(self, link: EntrySecret) -> tuple[str | None, EntrySecret]:
        session = new_secret()
        return self.do(follow_link, link.text, session), session

    def who(self, session: EntrySecret) -> Person | None:
        found: Person | None = self.see(person_of_session, session.text, now=self.database.now())
        return found


@pytest.fixture
def people(database: Database) -> People:
    return People(database)


def test_people_have_roles_that_an_admin_changes(people: People) -> None:
    wei = people.add("  Wei   Li ", "volunteer", "judge")
    assert people.see(find_person, wei).roles == ("judge", "volunteer")
    assert people.see(find_person, wei).name == "Wei Li"
    people.do(set_roles, wei, ["annotator"], by=people.ada)
    found = people.see(find_person, wei)
    assert found.may("annotator", "judge")
    assert not found.may("judge")
    assert found.may()
    assert people.see(find_person, people.ada).may("judge")
    assert {one.name for one in people.see(list_people)} == {"Ada", "Wei Li"}
    assert [one.name for one in people.see(list_people, "annotator")] == ["Wei Li"]


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\u202eb", "a\0b"])
def test_a_name_is_short_and_printable(people: People, name: str) -> None:
    with pytest.raises(UsageError, match="printable"):
        people.add(name, "volunteer")
    assert len(people.see(list_people)) == 1


def test_an_unknown_role_is_refused_and_the_near_one_named(people: People) -> None:
    with pytest.raises(UsageError, match="did you mean 'organiser'"):
        people.add("Wei", "organizer")


def test_the_last_admin_stays_one(people: People) -> None:
    for action, rest in ((close_person, ()), (set_roles, (["judge"],))):
        with pytest.raises(UsageError, match="last admin"):
            people.do(action, people.ada, *rest, by=None)
    other = people.add("Bo", "admin")
    people.do(close_person, people.ada, by=other)
    with pytest.raises(UsageError, match="last admin"):
        people.do(close_person, other, by=None)


def test_nobody_of_an_unknown_id_is_found(people: People) -> None:
    with pytest.raises(UsageError, match="no person 'x'"):
        people.see(find_person, "x")


def test_a_link_for_one_time_lets_in_once(people: People) -> None:
    link = people.link(people.ada, target="/people")
    found = people.see(find_link, link.text, now=people.database.now())
    assert found.person_id == people.ada
    target, session = people.enter(link)
    assert target == "/people"
    person = people.who(session)
    assert person is not None
    assert person.name == "Ada"
    assert people.enter(link)[0] is None
    assert people.see(links_of, people.ada)[0].used_at == people.database.now()


def test_a_volunteers_link_lets_in_as_often_as_its_time_allows(people: People, clock: Clock) -> None:
    wei = people.add("Wei", "volunteer")
    link = people.link(wei, once=False, days=2)
    first, second = people.enter(link)[1], people.enter(link)[1]
    assert people.who(first) == people.who(second)
    clock.pass_by(days=2)
    assert people.enter(link)[0] is None
    assert people.who(first) is not None
    clock.pass_by(days=30)
    assert people.who(first) is None


def test_a_revoked_link_ends_the_sessions_that_began_with_it(people: People) -> None:
    link, other = people.link(people.ada, once=False), people.link(people.ada)
    session, kept = people.enter(link)[1], people.enter(other)[1]
    people.do(revoke_link, link.id, by=people.ada)
    assert people.enter(link)[0] is None
    assert people.who(session) is None
    assert people.who(kept) is not None


@pytest.mark.parametrize("change", ["word", "id", "none", "long", "dotless", "surrogate"])
def test_what_is_no_secret_lets_nobody_in(people: People, change: str) -> None:
    link = people.link(people.ada, once=False)
    session = people.enter(link)[1]
    token = new_secret()
    people.do(make_token, token, people.ada, "mine", by=people.ada)
    name, _, word = link.text.partition(".")
    text = {
        "word": f"{name}.{word[:-1]}",
        "id": f"x{name[1:]}.{word}",
        "none": "",
        "long": link.text + "x" * 1000,
        "dotless": name,
        "surrogate": f"{name}.\udcff",
    }[change]
    now = people.database.now()
    assert people.see(find_link, text, now=now) is None
    for look, secret in ((person_of_session, session), (person_of_token, token)):
        assert people.see(look, secret.text, now=now) is not None
        wrong = text.replace(name, secret.id).replace(word, secret.text.partition(".")[2])
        assert people.see(look, wrong, now=now) is None


def test_only_hashes_of_secrets_are_kept(people: People) -> None:
    link = people.link(people.ada)
    session = people.enter(link)[1]
    token = new_secret()
    people.do(make_token, token, people.ada, "mine", by=people.ada)
    for table in (sign_in_links, sign_in_sessions, access_tokens):
        rows = str(people.see(lambda connection, one=table: connection.execute(one.select()).all()))
        for secret in (link, session, token):
            assert secret.text.partition(".")[2] not in rows


def test_a_form_that_is_sent_twice_makes_one_link(people: People) -> None:
    first, second = derived_secret("session", "nonce"), derived_secret("session", "nonce")
    assert first == second
    assert derived_secret("session", "other").id != first.id
    assert derived_secret("another", "nonce").text != first.text
    assert matches(first.text, first.hash)
    assert first.hash == hash_of(first.text.partition(".")[2])


def test_whoever_is_closed_is_out_at_once_and_may_be_let_in_again(people: People) -> None:
    wei = people.add("Wei", "volunteer")
    link = people.link(wei, once=False)
    session = people.enter(link)[1]
    token = new_secret()
    people.do(make_token, token, wei, "mine", by=wei)
    people.do(close_person, wei, by=people.ada)
    now = people.database.now()
    assert people.who(session) is None
    assert people.enter(link)[0] is None
    assert people.see(person_of_token, token.text, now=now) is None
    assert [one.name for one in people.see(list_people, closed=False)] == ["Ada"]
    people.do(reopen_person, wei, by=people.ada)
    assert people.who(session) is None  # it was ended
    assert people.enter(link)[0] == "/"
    assert people.see(person_of_token, token.text, now=now) is not None


def test_sessions_end_alone_or_all(people: People) -> None:
    link = people.link(people.ada, once=False)
    one, two, three = (people.enter(link)[1] for _ in range(3))
    ada = people.see(find_person, people.ada)
    people.do(end_session, one.text, ada)
    assert people.who(one) is None
    assert people.who(two) is not None
    people.do(end_sessions, people.ada, by=people.ada)
    assert people.who(two) is people.who(three) is None


def test_tokens_expire_and_are_revoked_by_their_owner_alone(people: People, clock: Clock) -> None:
    wei = people.add("Wei", "volunteer")
    token = new_secret()
    people.do(make_token, token, people.ada, " my  laptop ", by=people.ada, days=1)
    assert [one.label for one in people.see(tokens_of, people.ada)] == ["my laptop"]
    with pytest.raises(UsageError, match="no token"):
        people.do(revoke_token, token.id, wei, by=wei)
    assert people.see(person_of_token, token.text, now=clock()) is not None
    clock.pass_by(days=1)
    assert people.see(person_of_token, token.text, now=clock()) is None
    fresh = new_secret()
    people.do(make_token, fresh, people.ada, "b", by=people.ada)
    people.do(revoke_token, fresh.id, people.ada, by=people.ada)
    assert people.see(person_of_token, fresh.text, now=clock()) is None


@pytest.mark.parametrize("days", [0, -1, 367, float("nan")])
def test_links_and_tokens_live_a_year_at_most(people: People, days: float) -> None:
    with pytest.raises(UsageError, match="days"):
        people.link(people.ada, days=days)
    with pytest.raises(UsageError, match="days"):
        people.do(make_token, new_secret(), people.ada, "a", by=None, days=days)


@pytest.mark.parametrize("label", ["", "x" * 61, "a\nb\0"])
def test_a_tokens_label_is_short_and_printable(people: People, label: str) -> None:
    with pytest.raises(UsageError, match="label"):
        people.do(make_token, new_secret(), people.ada, label, by=None)


@pytest.mark.parametrize(
    ("path", "local"),
    [
        ("/", True),
        ("/people?a=b#c", True),
        ("//evil.example", False),
        ("/\\evil.example", False),
        ("/a\\b", False),
        ("https://evil.example/", False),
        ("javascript:alert(1)", False),
        ("/a\r\nSet-Cookie: x", False),
        ("/\tevil", False),
        ("", False),
    ],
)
def test_links_lead_to_this_site_alone(people: People, path: str, *, local: bool) -> None:
    assert is_local(path) == local
    if not local:
        with pytest.raises(UsageError, match="no path of the site"):
            people.link(people.ada, target=path)


def test_the_language_is_one_that_there_is(people: People) -> None:
    people.database.write(lambda connection: set_language(connection, people.ada, "zh"))
    assert people.see(find_person, people.ada).language == "zh"
    with pytest.raises(UsageError, match="no language"):
        people.database.write(lambda connection: set_language(connection, people.ada, "de"))


def test_the_audit_log_says_who_did_what_without_names(people: People, clock: Clock) -> None:
    clock.pass_by(seconds=1)
    wei = people.do(add_person, "Wei", ["volunteer"], by=people.ada)
    link = people.link(wei)
    clock.pass_by(seconds=1)
    people.enter(link)
    entries = people.see(audit_entries)
    assert entries[0].action == "session.start"
    assert {one.action for one in entries[1:3]} == {"link.make", "person.add"}
    added = next(one for one in entries if one.about == wei and one.action == "person.add")
    assert (added.person_id, added.name) == (people.ada, "Ada")
    assert entries[3].person_id is None
    assert "Wei" not in str([one.detail for one in entries])
    assert [one.action for one in people.see(audit_entries, action="person.", limit=1)] == ["person.add"]
    assert people.see(audit_entries, action="%") == []
    assert [one.action for one in people.see(audit_entries, person_id=wei)] == ["session.start"]
    assert len(people.see(audit_entries, before=AuditPlace(clock.now))) == 3
