from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.challenges.mobilecs.simulator.simulated_calls import calls

from duologue.challenges.mobilecs.simulator.agenda_user import AgendaUser
from duologue.challenges.mobilecs.simulator.goal_rows import generated_goals, goals_of_file, is_playable
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def test_goals_of_a_file_are_its_own_or_sampled_and_others_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "goals.json"
    own, bare = calls()[0], {key: value for key, value in calls()[1].items() if key != "goal"}
    nothing = {**calls()[2], "goal": {}}
    path.write_text(json.dumps([own, bare, nothing]), encoding="utf-8")
    found = goals_of_file(path, 1)
    assert list(found.rows) == [own["id"], bare["id"]]
    assert found.rows[own["id"]] == {"goal": own["goal"], "KB": own["KB"]}
    assert (found.sampled, found.unplayable) == (1, 1)
    path.write_text(json.dumps([nothing]), encoding="utf-8")
    with pytest.raises(FormatError, match="no goal can be played"):
        goals_of_file(path, 1)


def test_generated_goals_can_be_played() -> None:
    rows = generated_goals(1)
    assert len(rows) > 200
    user = AgendaUser(speaks=False)
    for number, row in enumerate(rows):
        user.reset(row["goal"], row["KB"], number)


def test_what_is_playable() -> None:
    base = {"ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元"}}
    assert is_playable({"ent-1": {"业务费用": "?"}}, base)
    assert not is_playable({"ent-1": {"流量总量": "?"}}, base)
    assert not is_playable({"ent-1": {"业务费用": "?"}, "咨询": "询问-电视"}, base)
