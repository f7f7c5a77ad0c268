"""Forecast of a run: what a system that is paid by the call would ask, without asking."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core.amounts import amount
from duologue.core.disk import is_stream
from duologue.core.errors import UsageError
from duologue.core.records import Annotation, Answer
from duologue.run.journal import answers_left, journal_path
from duologue.run.predict import demand_questions, demand_unread, identity_of, in_world, next_round, note_of_run
from duologue.run.resumed import question_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import System, Task, World
    from duologue.core.records import Example, Sample

_SILENT = Answer(text="", annotation=Annotation())
"""What stands in histories for replies that are not known yet."""


class RunForecast(NamedTuple):
    """What answering a file would take."""

    answers: int
    counts: dict[str, float]
    """What the system tells by name, added up over all samples."""
    rounds: int
    """More than one where later histories hold replies that are not known yet: those are taken to be empty."""
    left: int = 0
    """Answers that a stopped run left in its journal: they are among `answers`, and nothing else counts them."""


def forecast_file(
    task: Task, system: System, data: Path, out: Path, *, name: str, world: World | None, kb: Path | None, seed: int
) -> RunForecast:
    """Return what the system of that name would take to answer a file; nothing is asked and nothing written.

    What a stopped run of the same to `out` has answered is not asked again. Raises as `forecast_examples` and
    `predict_file` do.
    """
    demand_unread(system, data)
    examples = in_world(list(task.load(data)), world)
    demand_questions(examples, data)
    teller = teller_of(system, name)
    _prepare(task, teller, world, seed)
    left: Mapping[int | str, Answer] = {}
    if not is_stream(out):
        note = note_of_run(task, system, data, name=name, world=world, kb=kb, seed=seed)
        left = answers_left(journal_path(out), identity_of(note, system))
    return _forecast(task, teller, examples, lambda place, _: left.get(place))


def forecast_examples(
    task: Task,
    system: System,
    examples: Sequence[Example],
    *,
    name: str,
    world: World | None,
    seed: int,
    left: Mapping[int | str, Answer] = MappingProxyType({}),
) -> RunForecast:
    """Return the same for examples; `left` are answers that are there already, by `question_key`.

    Raises `UsageError` for a system that tells no forecast.
    """
    teller = teller_of(system, name)
    _prepare(task, teller, world, seed)
    return _forecast(task, teller, examples, lambda _, sample: left.get(question_key(system, sample)) if left else None)


def _prepare(task: Task, system: System, world: World | None, seed: int) -> None:
    system.prepare(task.info, seed, {} if world is None else {world.name: world})


def _forecast(
    task: Task, teller: Any, examples: Sequence[Example], left: Callable[[int, Sample], Answer | None]
) -> RunForecast:
    """Return what a prepared system would take; `left` has the answer that is there already for a place and sample."""
    counts: Counter[str] = Counter()
    rounds = task.rounds(examples)
    batch, number, begun, known = next(rounds, None), 0, 0, 0
    while batch is not None:
        found = [left(place, one.sample) for place, one in enumerate(batch, begun)]
        asked = [one.sample for one, answer in zip(batch, found, strict=True) if answer is None]
        number += bool(asked)
        counts.update(teller.forecast(asked))
        begun += len(batch)
        known += len(batch) - len(asked)
        batch = next_round(rounds, [_SILENT if answer is None else answer for answer in found])
    return RunForecast(len(examples), dict(counts), number, known)


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
    answers, left = sum(one.answers for one in forecasts), sum(one.left for one in forecasts)
    return RunForecast(answers, dict(counts), max(one.rounds for one in forecasts), left)


def forecast_lines(found: RunForecast) -> Sequence[str]:
    """Return a forecast in words."""
    counts = found.counts
    new = counts["calls"] - counts["kept"]
    answers = amount(found.answers - found.left, "answer takes", "answers take")
    lines = [] if not found.left else [f"kept of a stopped run: {found.left:,} of {amount(found.answers, 'answer')}"]
    lines += [
        f"{answers} {amount(round(counts['calls']), 'call')}, {counts['kept']:,.0f} of them kept from before",
        f"{amount(round(new), 'new call')}: {amount_words(counts)}",
        "nothing was asked and nothing written; the tokens of prompts are estimated from their bytes",
    ]
    if found.rounds > 1:
        lines.append("later prompts will be longer: they hold the replies before them, which are not known yet")
    return lines
