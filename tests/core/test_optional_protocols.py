"""What a live partner is by itself, before a challenge says more."""

from __future__ import annotations

import pytest

from duologue.core.optional_protocols import Partner
from duologue.core.records import Dialogue, Turn


class Parrot(Partner):
    """Says what was said."""

    welcome = "hello"

    def reply(self, text: str) -> list[Turn]:
        return [Turn(speaker="system", text=text)]

    def dialogue(self) -> Dialogue:
        return Dialogue(id="", turns=())


def test_a_partner_hides_nothing_begins_with_nothing_and_goes_on() -> None:
    parrot = Parrot()
    assert (parrot.finished, parrot.secretive, parrot.on_piece, parrot.on_taken_back) == (False, False, None, None)
    assert (parrot.how_to_talk, parrot.goal_card(), parrot.opening()) == ("", [], [])
    assert [parrot.shown(turn) for turn in parrot.reply("a b")] == [["a b"]]


@pytest.mark.parametrize("lacking", ["welcome", "reply", "dialogue"])
def test_a_partner_without_what_it_must_say_cannot_be_made(lacking: str) -> None:
    mute = type("Mute", (Parrot,), {lacking: vars(Partner)[lacking]})
    with pytest.raises(TypeError, match=rf"abstract.*{lacking}"):
        mute()
