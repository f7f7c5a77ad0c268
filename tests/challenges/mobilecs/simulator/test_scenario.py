from __future__ import annotations

from duologue.challenges.mobilecs.simulator.scenario import SCENARIOS, draw_scenario
from duologue.core.rng import Rng


def test_scenarios_are_drawn_by_their_shares_and_by_what_is_spoken_of() -> None:
    drawn = [draw_scenario(Rng(number), [], ["业务"]) for number in range(2000)]
    assert set(drawn) == set(SCENARIOS)
    assert abs(drawn.count("inquiry") / 2000 - 0.22) < 0.03
    faults = [draw_scenario(Rng(number), ["故障问题"], []) for number in range(200)]
    assert faults.count("fault") > 100
