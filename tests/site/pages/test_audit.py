from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from tests.site.world import send

from duologue.arena.people.audit import audit_entries
from duologue.arena.people.people import add_person

if TYPE_CHECKING:
    import pytest
    from tests.site.world import World


def test_what_was_done_is_listed_by_action_and_in_pieces(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    client = world.client("admin")
    send(client, "/people", "/people", name="Wei", role="judge")
    shown = client.get("/audit").text
    assert "person.add" in shown
    assert "Some admin" in shown
    assert "link.make" not in client.get("/audit?action=person.").text
    monkeypatch.setattr("duologue.site.pages.audit._ROWS", 3)
    assert "before=" in client.get("/audit").text
    assert client.get("/audit?before=1").text.count("<tr>") == 1
    assert client.get("/audit?before=x").status_code == 200


def test_what_was_done_together_is_listed_whole(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write(lambda c: [add_person(c, f"Bo {one}", ["judge"], now=2**41, by=None) for one in range(7)])
    with world.database.reading() as connection:
        everybody = {one.about for one in audit_entries(connection, limit=1000, action="person.add")}
    monkeypatch.setattr("duologue.site.pages.audit._ROWS", 3)
    client = world.client("admin")
    seen: list[str] = []
    page: str | None = "/audit?action=person.add"
    while page:
        text = client.get(page).text
        seen += re.findall(r'<td class="mono">([0-9a-f]{16})</td>', text)
        older = re.search(r'<a href="(/audit\?before=[^"]+)"', text)
        page = unescape(older[1]) if older else None
    assert len(seen) == len(everybody) > 7
    assert set(seen) == everybody
