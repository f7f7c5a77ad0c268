from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site.world import send

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
