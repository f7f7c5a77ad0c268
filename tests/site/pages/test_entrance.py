from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.site.world import hidden, send

if TYPE_CHECKING:
    from tests.site.world import World


def test_a_link_may_be_pasted(world: World) -> None:
    link = world.link(world.ids["judge"])
    client = world.client()
    for pasted in (f" http://127.0.0.1:8300/enter/{link}\n", link, f"/enter/{link}/"):
        assert send(client, "/sign-in", "/sign-in", link=pasted).headers["location"] == f"/enter/{link}"


@pytest.mark.parametrize("pasted", ["hello there", "https://a/b?c=d", "…", "a/<b>"])
def test_what_is_no_link_is_said_to_be_none(world: World, pasted: str) -> None:
    answer = send(world.client(), "/sign-in", "/sign-in", link=pasted)
    assert answer.status_code == 400
    assert "lets nobody in" in answer.text


def test_a_double_click_lets_in_too(world: World) -> None:
    link = f"/enter/{world.link(world.ids['judge'])}"
    client = world.client()
    fields = hidden(client.get(link).text)
    key = client.cookies["duologue-visitor"]
    assert client.post(link, data=fields).status_code == 303
    first = client.cookies["duologue-session"]
    again = world.client()
    again.cookies.set("duologue-visitor", key)
    assert again.post(link, data=fields).status_code == 303
    assert again.cookies["duologue-session"] == first
    assert again.get("/account").status_code == 200


def test_a_link_leads_where_it_was_meant_to(world: World) -> None:
    link = f"/enter/{world.link(world.ids['judge'], target='/account')}"
    assert send(world.client(), link, link).headers["location"] == "/account"
