from __future__ import annotations

import math

from duologue.arena.competition.kept_score import kept_score
from duologue.core.records import Score


def test_a_note_is_kept_where_there_is_one_and_no_number_is_none() -> None:
    noted = Score(name="goal", value=1.5, low=math.nan, high=2.0, percent=False, note="by rule, not the human scale")
    assert kept_score(noted) == {
        "name": "goal",
        "value": 1.5,
        "low": None,
        "high": 2.0,
        "percent": False,
        "higher_is_better": True,
        "note": "by rule, not the human scale",
    }
    assert "note" not in kept_score(Score(name="f1", value=0.5, low=None, high=None))
