from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.restaurant.formats.domain_file import shipped_path
from duologue.challenges.restaurant.live.partner import RestaurantPartner
from duologue.challenges.restaurant.schema.user_sentences import STANDARD
from duologue.challenges.restaurant.systems.solver.solver import Solver
from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.errors import FormatError, UsageError
from duologue.core.play import play
from duologue.core.records import Dialogue, Turn

if TYPE_CHECKING:
    from pathlib import Path

TASK = RestaurantTask()
SMALL = """
name = "small"
thing = "museum"

[[slots]]
name = "city"
values = ["ghent", "turin", "porto", "lyon"]

[[slots]]
name = "day"
values = ["monday", "friday", "sunday", "tuesday"]

[[slots]]
name = "guests"
values = ["two", "four", "six", "eight"]
"""


def test_a_talk_in_a_domain_uses_its_words() -> None:
    partner = RestaurantPartner(Solver(), TASK.world(shipped_path("cinema")), seed=1)
    assert "i'd like to book cinema tickets" in partner.welcome
    assert not any(opening in partner.welcome for opening in STANDARD.openings)
    said = [turn.text for turn in partner.reply("Two tickets for a comedy on friday, please")]
    assert "in which part of town should it be" in said
    partner.reply("near the harbour")
    said = [turn.text for turn in partner.reply("in the evening please")]
    assert any(text.startswith("api_call comedy harbour friday evening two") for text in said)


@pytest.mark.parametrize(("name", "slots"), [("cinema", "five"), ("hotel", "six"), ("small", "three")])
def test_the_note_of_a_simulation_counts_the_slots_of_the_domain(name: str, slots: str, tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    place = path if name == "small" else shipped_path(name)
    stage = TASK.stage(place, (), n=1, seed=1, max_turns=None)
    (note,) = stage.notes
    assert f"in full bookings with {slots} slots, begun as test dialogues are of domain '{name}'" in note
    silent = [Dialogue(id=scene.id, turns=(Turn(speaker="user", text="hello"),)) for scene in stage.scenes]
    messages = [problem.message for problem in stage.judge(silent).problems]
    assert not any("restaurant" in message for message in messages)


@pytest.mark.parametrize("name", ["cinema", "hotel"])
def test_every_booking_of_a_domain_succeeds_with_the_rule_bot(name: str) -> None:
    stage = TASK.stage(shipped_path(name), (), n=6, seed=3, max_turns=None)
    solver = Solver()
    solver.prepare(TASK.info, 3, stage.worlds)
    report = stage.judge([play(solver, stage.user, scene, random.Random(3)) for scene in stage.scenes])
    assert {score.name: score.value for score in report.scores}["success"] == 1.0
    assert stage.with_user is not None
    with pytest.raises(UsageError, match=f"found domain '{name}'"):
        stage.with_user(Solver())


def test_a_broken_domain_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text('name = "x"\n')
    with pytest.raises(FormatError, match=r"x\.toml"):
        TASK.world(tmp_path / "x.toml")
