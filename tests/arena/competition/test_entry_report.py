"""Who may fetch the full report of an entry, which says what was right."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.arena.competition.entry_report import may_fetch
from duologue.arena.competition.phase_clock import closes_at
from duologue.arena.competition.track_archive import read_archive
from tests.arena.finals.service import archive

if TYPE_CHECKING:
    from duologue.arena.competition.track_file import Visibility


@pytest.mark.parametrize("seen", ["organiser", "owner", "all"])
def test_the_organiser_always_and_others_when_the_phase_is_over_and_they_see_its_scores(seen: Visibility) -> None:
    track = read_archive(archive()).definition
    phase = msgspec.structs.replace(track.phases[0], visible="all", visible_after=seen)
    closes = closes_at(track, phase)
    for organiser, own, over in product((True, False), repeat=3):
        may = may_fetch(track, phase, closes + (0 if over else -1), organiser=organiser, own=own)
        assert may == (organiser or (over and (seen == "all" or (seen == "owner" and own))))
