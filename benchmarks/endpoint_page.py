"""The page of endpoints: tables of tasks and of rankings, each between marks, beside what other programs wrote."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from duologue.metrics.significance import FEWEST
from endpoint_rankings import CALLS, ORDERS, drawn_rows, knowing, spread, told_hit
from mobilecs_page import table
from p_values import p_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from endpoint_rankings import ToldLabels
    from endpoint_tasks import TaskRow

_KNOWN = (0.0, 1.0, 2.0, 3.0)
"""Nats by which a model is supposed to hold the right candidate for likelier than these small ones do."""
_BOUND = 0.02
"""Difference in P@1 that both ends of an interval must keep."""
_TITLE = "# Endpoints: chat models as systems, users and judges\n"
_SECTIONS = {
    "tasks": "Local models on all six tasks",
    "rankings": "Rankings by a chat-only endpoint",
    "judges": "Judges",
    "load": "Serving under load",
}
_EMPTY = "Not measured yet.\n"


def page(before: str, tables: Sequence[Sequence[TaskRow]], told: Mapping[str, Sequence[ToldLabels]], asked: int) -> str:
    """Return the page with the sections that were made; the others are those of the page `before`."""
    made = {}
    if tables:
        made["tasks"] = tasks_section(tables, asked)
    if told:
        made["rankings"] = rankings_section(told)
    return _laid_out(before, made)


def with_section(before: str, name: str, text: str) -> str:
    """Return the page with one section made anew."""
    return _laid_out(before, {name: text})


def _laid_out(before: str, made: Mapping[str, str]) -> str:
    parts = [_TITLE]
    for name, title in _SECTIONS.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        found = re.search(f"{begin}\n(.*?){end}", before, re.DOTALL)
        text = made.get(name) or (found[1] if found else _EMPTY)
        parts.append(f"## {title}\n\n{begin}\n{text}{end}\n")
    return "\n".join(parts)


def tasks_section(tables: Sequence[Sequence[TaskRow]], asked: int) -> str:
    """Return the table of tasks."""
    head = ["task", "system", "n", "score", "value, 95 %", "against the first row", "not readable", "tokens"]
    rows = [_task_row(row) for found in tables for row in found]
    return f"""{table(head, rows)}
About {asked} samples of each task, each of a dialogue of its own (in `mobilecs/dialogue` whole calls, each turn with
the model's own earlier replies): so few tell great differences alone, and fewer than {FEWEST} dialogues have no
interval. p is corrected over the rows of a task. The other systems and floors need no training; trained systems stand
on the pages of their challenges. Models are told the last 12 turns and at most 20 facts, and write 48 tokens at most
(96 in `mobilecs/dialogue`, 160 in `mobilecs/extraction`). Bookings and calls are generated.
"""


def _task_row(row: TaskRow) -> list[str]:
    score = next(one for one in row.report.scores if one.name == row.report.rank_by)
    scale, digits = (100, 1) if score.percent else (1, 3)
    value = f"{scale * score.value:.{digits}f}"
    if score.low is not None and score.high is not None and not math.isnan(score.low):
        value += f" [{scale * score.low:.{digits}f}, {scale * score.high:.{digits}f}]"
    test = ""
    if row.test is not None and not math.isnan(row.test.p):
        test = f"{scale * row.test.difference:+.{digits}f} (p {p_value(row.test.p_adjusted)})"
    usage = row.usage
    tokens = f"{usage['prompt_tokens']:,} in, {usage['completion_tokens']:,} out" if usage else ""
    unread = str(usage.get("unparsable", "")) if usage else ""
    return [row.task, row.system, str(row.report.n), score.name, value, test, unread, tokens]


def rankings_section(told: Mapping[str, Sequence[ToldLabels]]) -> str:
    """Return what ways of ranking agree on, measured and for models that know more."""
    return "\n\n".join([_RANKINGS, *(_ranked(model, labels) for model, labels in told.items())]) + "\n"


def _ranked(model: str, labels: Sequence[ToldLabels]) -> str:
    place, candidate = spread(labels)
    hit, low, high = (100 * one for one in told_hit(labels))
    chance = 100 * sum(1 / len(one.orders[0]) for one in labels) / len(labels)
    rows = []
    for nats in _KNOWN:
        shown = knowing(labels, nats)
        drawn = drawn_rows(shown)
        enough = next((one.calls for one in drawn if max(map(abs, one.difference)) <= _BOUND), None)
        cells = [_drawn(one.hit, one.difference, one.agreement) for one in drawn]
        last = "not shown" if enough is None else f"{enough:,} calls"
        rows.append([f"{nats:g}", f"{100 * told_hit(shown)[0]:.1f}", *cells, last])
    head = ["known (nats)", "logprobs", *(f"sampled, {calls:,} calls" for calls in CALLS), "within 2 points with"]
    return f"""### {model}

{len(labels)} generated bookings in {ORDERS} orders. P@1 of `ranking=logprobs`: {hit:.1f} [{low:.1f}, {high:.1f}], by
chance {chance:.1f}. The log probability of a label has a variance of {place:.2f} squared nats by its place and of
{candidate:.3f} by the candidate.

{table(head, rows).rstrip()}"""


def _drawn(hit: float, difference: tuple[float, float, float], agreement: float) -> str:
    value, low, high = (100 * one for one in difference)
    return f"{100 * hit:.1f}: {value:+.1f} [{low:+.1f}, {high:+.1f}], {100 * agreement:.0f} % alike"


_RANKINGS = """`ranking=sampled` asks for the best label at a temperature of 1, in several orders, and takes the
effect of the place out of the choices; in the limit of many calls these are the probabilities that `ranking=logprobs`
is told. The server told the probabilities of the first token once for each order; what any number of draws comes to
follows from them and was computed, 40 times for each sample. Cells have P@1, its difference from the logprob way on
the same samples in points with a 95 % interval over samples, and how often both choose alike. Row 0 is the model as it
is; in the others it is supposed to hold the right candidate for likelier by so many nats, with its own favour for
places. The last column says with how many calls the whole interval is within 2 points.

A model whose labels depend on their places alone knows nothing of the candidates. Both ways are at chance then and
choose alike only where so many calls are made that they tell apart probabilities which hardly differ: the last columns
show where the ways meet, and cost more than any ranking is worth. What a model knows decides how many calls are
needed."""
