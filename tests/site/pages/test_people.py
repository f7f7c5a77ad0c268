from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.site.world import send

from duologue.arena.people.people import find_person, list_people

if TYPE_CHECKING:
    from tests.site.world import World


def test_an_admin_adds_somebody_who_comes_in_by_the_link_that_is_shown(world: World) -> None:
    client = world.client("admin")
    made = send(client, "/people", "/people", name="Wei", role=["volunteer", "judge"])
    link = re.search(r'href="http://127\.0\.0\.1(/enter/[^"]+)"', made.text)
    assert link
    guest = world.client()
    entered = send(guest, link[1], link[1])
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    assert "Hello, Wei" in guest.get("/").text
    assert world.client().get(link[1]).status_code == 403  # a judge's link lets in once


def test_a_volunteers_link_lets_in_again(world: World) -> None:
    made = send(world.client("admin"), "/people", "/people", name="Wei", role="volunteer")
    link = re.search(r'href="http://127\.0\.0\.1(/enter/[^"]+)"', made.text)
    assert link
    for _ in range(2):
        assert send(world.client(), link[1], link[1]).status_code == 303


def test_roles_links_and_access_are_changed_on_a_persons_page(world: World) -> None:
    client, judge = world.client("admin"), world.client("judge")
    who = world.ids["judge"]
    page = f"/people/{who}"
    assert send(client, page, f"{page}/roles", role=["annotator"]).headers["location"] == f"{page}?said=people.saved"
    assert "Saved." in client.get(f"{page}?said=people.saved").text
    made = send(client, page, f"{page}/links", days="3")
    link = re.search(r"/enter/(\w+)\.[^\"]+", made.text)
    assert link
    assert send(client, page, f"{page}/links/{link[1]}/revoke").status_code == 303
    assert "revoked" in client.get(page).text
    assert send(world.client(), "/sign-in", link[0]).status_code == 403
    assert judge.get("/account").status_code == 200
    assert send(client, page, f"{page}/close").status_code == 303
    assert judge.get("/account").status_code == 303
    assert send(client, page, f"{page}/reopen").status_code == 303
    with world.database.reading() as connection:
        assert find_person(connection, who).roles == ("annotator",)
        assert find_person(connection, who).closed_at is None


def test_the_last_admin_is_told_why_nothing_changes(world: World) -> None:
    page = f"/people/{world.ids['admin']}"
    answer = send(world.client("admin"), page, f"{page}/close")
    assert answer.status_code == 400
    assert "last admin" in answer.text
    with world.database.reading() as connection:
        assert len(list_people(connection, "admin", closed=False)) == 1


def test_a_person_who_is_not_there_is_said_to_be_missing(world: World) -> None:
    answer = world.client("admin").get("/people/nobody")
    assert answer.status_code == 404
