from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.errors import BotError, UsageError
from duologue.core.plugins import load_task, make_system
from duologue.core.records import Annotation, Answer, Record, Sample
from duologue.run.forecast import RunForecast, forecast_file, forecast_lines, together
from duologue.run.journal import journal_path
from duologue.run.predict import predict_file
from duologue.systems.endpoint.endpoint import EndpointSystem
from duologue.systems.endpoint.recipe import EndpointRecipe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.core.protocols import TaskInfo, World

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
CALLS = GOLDEN / "mobilecs/dialogue/contract/dialogues.json"
OUT = Path("result.json")
"""Where nothing was written, and nothing is."""


def endpoint(**entries: float) -> EndpointSystem:
    return EndpointSystem(EndpointRecipe(url="http://127.0.0.1:9/v1", model="m", cache="", **entries))  # type: ignore[arg-type]  # numbers alone


def test_a_forecast_counts_the_calls_of_all_rounds() -> None:
    task = load_task("mobilecs/dialogue")
    found = forecast_file(task, endpoint(reply_tokens=100), CALLS, OUT, name="endpoint", world=None, kb=None, seed=1)
    assert (found.answers, found.counts["calls"], found.counts["most_completion_tokens"]) == (12, 12, 1200)
    assert found.rounds > 1
    lines = forecast_lines(found)
    assert lines[0] == "12 answers take 12 calls, 0 of them kept from before"
    assert lines[-1].startswith("later prompts will be longer")
    assert "cost" not in lines[1]


class Paid:
    """Answers so many samples, then fails; its forecast counts samples and the replies that their histories hold."""

    Recipe = Record
    seen = ""

    def __init__(self, most: int) -> None:
        self.most, self.told = most, 0

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None: ...

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [answer for _, answer, _ in self.answer_each(samples)]

    def answer_each(self, samples: Sequence[Sample]) -> Iterator[tuple[int, Answer, dict[str, Any]]]:
        for place in range(len(samples)):
            if not self.most:
                raise BotError("the endpoint is gone")
            self.most -= 1
            yield place, Answer(text="好的。", annotation=Annotation()), {}

    def forecast(self, samples: Sequence[Sample]) -> dict[str, float]:
        self.told += len(samples)
        known = sum(turn.text == "好的。" for one in samples for turn in one.history)
        return {"calls": len(samples), "kept": 0, "prompt_tokens": known, "most_completion_tokens": 0, "cost": 0}


@pytest.mark.parametrize("done", [0, 1, 5, 7])
def test_what_a_stopped_run_left_is_not_forecast_again(tmp_path: Path, done: int) -> None:
    task, out = load_task("mobilecs/dialogue"), tmp_path / "result.json"
    whole = forecast_file(task, Paid(0), CALLS, out, name="paid", world=None, kb=None, seed=1)
    with pytest.raises(BotError, match="go"):
        predict_file(task, Paid(done), CALLS, out, name="paid", world=None, kb=None, seed=1)
    journal = journal_path(out)
    before = journal.read_bytes()
    found = forecast_file(task, Paid(0), CALLS, out, name="paid", world=None, kb=None, seed=1)
    assert (found.answers, found.left, found.counts["calls"]) == (whole.answers, done, whole.answers - done)
    assert (found.counts["prompt_tokens"] > 0) == (done > 0)  # replies that are known stand in the histories
    assert journal.read_bytes() == before
    told = f"kept of a stopped run: {done} of 12 answers"
    assert (told in forecast_lines(found)) == bool(done)
    other = forecast_file(task, Paid(0), CALLS, out, name="paid", world=None, kb=None, seed=2)
    assert (other.left, other.counts) == (0, whole.counts)
    assert sorted(one.name for one in tmp_path.iterdir()) == [journal.name]


def test_a_forecast_of_cost_uses_the_prices() -> None:
    dear = endpoint(reply_tokens=100, price_out=10_000.0)
    found = forecast_file(
        load_task("mobilecs/dialogue"), dear, CALLS, OUT, name="endpoint", world=None, kb=None, seed=1
    )
    assert "cost at most about 12.00" in forecast_lines(found)[1]


def test_a_system_that_costs_nothing_has_no_forecast() -> None:
    system = make_system("rule-agent")
    with pytest.raises(UsageError, match="'rule-agent' costs nothing by the call"):
        forecast_file(
            load_task("mobilecs/dialogue"), system, CALLS, OUT, name="rule-agent", world=None, kb=None, seed=1
        )


def test_examples_are_never_those_of_the_file_that_is_answered(tmp_path: Path) -> None:
    copy = tmp_path / "train.json"
    copy.write_bytes(CALLS.read_bytes())
    recipe = EndpointRecipe(url="http://127.0.0.1:9/v1", model="m", cache="", examples=str(copy), shots=1)
    with pytest.raises(UsageError, match="are the file that is answered"):
        forecast_file(
            load_task("mobilecs/dialogue"), EndpointSystem(recipe), CALLS, OUT,
            name="endpoint", world=None, kb=None, seed=1,
        )  # fmt: skip


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
    found = forecast_file(task, endpoint(reply_tokens=100), CALLS, OUT, name="endpoint", world=None, kb=None, seed=1)
    assert found.rounds == longest
