from __future__ import annotations

from pathlib import Path

import pytest

from duologue.core.errors import UsageError
from duologue.core.plugins import load_task, make_system
from duologue.run.forecast import forecast_file, forecast_lines
from duologue.systems.endpoint.endpoint import EndpointSystem
from duologue.systems.endpoint.recipe import EndpointRecipe

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
CALLS = GOLDEN / "mobilecs/dialogue/contract/dialogues.json"


def endpoint(**entries: float) -> EndpointSystem:
    return EndpointSystem(EndpointRecipe(url="http://127.0.0.1:9/v1", model="m", cache="", **entries))  # type: ignore[arg-type]  # numbers alone


def test_a_forecast_counts_the_calls_of_all_rounds() -> None:
    task = load_task("mobilecs/dialogue")
    found = forecast_file(task, endpoint(reply_tokens=100), CALLS, name="endpoint", world=None, seed=1)
    assert (found.answers, found.counts["calls"], found.counts["most_completion_tokens"]) == (12, 12, 1200)
    assert found.rounds > 1
    lines = forecast_lines(found)
    assert lines[0] == "12 answers take 12 calls, 0 of them kept from before"
    assert lines[-1].startswith("later prompts will be longer")
    assert "cost" not in lines[1]


def test_a_forecast_of_cost_uses_the_prices() -> None:
    dear = endpoint(reply_tokens=100, price_out=10_000.0)
    found = forecast_file(load_task("mobilecs/dialogue"), dear, CALLS, name="endpoint", world=None, seed=1)
    assert "cost at most about 12.00" in forecast_lines(found)[1]


def test_a_system_that_costs_nothing_has_no_forecast() -> None:
    system = make_system("rule-agent")
    with pytest.raises(UsageError, match="'rule-agent' costs nothing by the call"):
        forecast_file(load_task("mobilecs/dialogue"), system, CALLS, name="rule-agent", world=None, seed=1)


def test_examples_are_never_those_of_the_file_that_is_answered(tmp_path: Path) -> None:
    copy = tmp_path / "train.json"
    copy.write_bytes(CALLS.read_bytes())
    recipe = EndpointRecipe(url="http://127.0.0.1:9/v1", model="m", cache="", examples=str(copy), shots=1)
    with pytest.raises(UsageError, match="are the file that is answered"):
        forecast_file(
            load_task("mobilecs/dialogue"), EndpointSystem(recipe), CALLS, name="endpoint", world=None, seed=1
        )
