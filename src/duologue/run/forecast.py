"""Forecast of a run: what a system that is paid by the call would ask, without asking."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.amounts import amount
from duologue.core.errors import UsageError
from duologue.core.records import Annotation, Answer
from duologue.run.predict import demand_questions, demand_unread, in_world, next_round

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import System, Task, World
    from duologue.core.records import Example

_SILENT = Answer(text="", annotation=Annotation())
"""What stands in histories for replies that are not known yet."""


class RunForecast(NamedTuple):
    """What answering a file would take."""

    answers: int
    counts: dict[str, float]
    """What the system tells by name, added up over all samples."""
    rounds: int
    """More than one where later histories hold replies that are not known yet: those are taken to be empty."""


def forecast_file(task: Task, system: System, data: Path, *, name: str, world: World | None, seed: int) -> RunForecast:
    """Return what the system of that name would take to answer a file; nothing is asked and nothing written.

    Raises as `forecast_examples` and `predict_file` do.
    """
    demand_unread(system, data)
    examples = in_world(list(task.load(data)), world)
    demand_questions(examples, data)
    return forecast_examples(task, system, examples, name=name, world=world, seed=seed)


def forecast_examples(
    task: Task, system: System, examples: Sequence[Example], *, name: str, world: World | None, seed: int
) -> RunForecast:
    """Return the same for examples. Raises `UsageError` for a system that tells no forecast."""
    told = teller_of(system, name).forecast
    system.prepare(task.info, seed, {} if world is None else {world.name: world})
    counts: Counter[str] = Counter()
    rounds = task.rounds(examples)
    batch, number = next(rounds, None), 0
    while batch is not None:
        number += 1
        counts.update(told([example.sample for example in batch]))
        batch = next_round(rounds, [_SILENT] * len(batch))
    return RunForecast(len(examples), dict(counts), number)


def teller_of(system: System, name: str) -> Any:
    """Return a system as one that tells its `forecast`. Raises `UsageError` for one that does not."""
    if not hasattr(system, "forecast"):
        raise UsageError(f"system '{name}' costs nothing by the call, so it has no forecast; leave --dry-run out")
    return system


def amount_words(counts: Mapping[str, float]) -> str:
    """Return what new calls take in words: tokens of prompts, of answers at most, and the cost where there is one."""
    cost = f", cost at most about {counts['cost']:,.2f}" if counts["cost"] else ""
    tokens = f"about {counts['prompt_tokens']:,.0f} tokens in, at most {counts['most_completion_tokens']:,.0f} out"
    return tokens + cost


def together(forecasts: Sequence[RunForecast]) -> RunForecast:
    """Return what several runs take in all."""
    counts: Counter[str] = Counter()
    for one in forecasts:
        counts.update(one.counts)
    return RunForecast(sum(one.answers for one in forecasts), dict(counts), max(one.rounds for one in forecasts))


def forecast_lines(found: RunForecast) -> Sequence[str]:
    """Return a forecast in words."""
    counts = found.counts
    new = counts["calls"] - counts["kept"]
    answers = amount(found.answers, "answer takes", "answers take")
    lines = [
        f"{answers} {amount(round(counts['calls']), 'call')}, {counts['kept']:,.0f} of them kept from before",
        f"{amount(round(new), 'new call')}: {amount_words(counts)}",
        "nothing was asked and nothing written; the tokens of prompts are estimated from their bytes",
    ]
    if found.rounds > 1:
        lines.append("later prompts will be longer: they hold the replies before them, which are not known yet")
    return lines
