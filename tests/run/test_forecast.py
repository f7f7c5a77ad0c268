from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from duologue.core.errors import UsageError
from duologue.core.plugins import load_task, make_system
from duologue.run.forecast import RunForecast, forecast_file, forecast_lines, together
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


def test_several_runs_take_what_each_takes_and_as_many_rounds_as_the_longest() -> None:
    first = RunForecast(1, {"calls": 2.0, "kept": 1.0}, 4)
    second = RunForecast(5, {"calls": 3.0, "kept": 0.0}, 1)
    assert together([first, second]) == RunForecast(6, {"calls": 5.0, "kept": 1.0}, 4)


def test_what_is_kept_is_no_new_call_and_later_prompts_are_longer_where_there_are_rounds() -> None:
    counts = {"calls": 1500.0, "kept": 300.0, "prompt_tokens": 2e4, "most_completion_tokens": 1e3, "cost": 1234.5}
    lines = forecast_lines(RunForecast(2000, counts, 1))
    assert lines[:2] == [
        "2,000 answers take 1,500 calls, 300 of them kept from before",
        "1,200 new calls: about 20,000 tokens in, at most 1,000 out, cost at most about 1,234.50",
    ]
    assert len(lines) == 3
    assert len(forecast_lines(RunForecast(2000, counts, 2))) == 4


def test_there_are_as_many_rounds_as_the_longest_call_has_turns() -> None:
    task = load_task("mobilecs/dialogue")
    longest = max(Counter(one.sample.dialogue_id for one in task.load(CALLS)).values())
    found = forecast_file(task, endpoint(reply_tokens=100), CALLS, name="endpoint", world=None, seed=1)
    assert found.rounds == longest
