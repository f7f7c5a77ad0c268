"""The page of the table of proactive systems: scores, turns, paired tests, errors, dialogues, costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.proactive.scoring.slices import cuts_of
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.records import Scoring
from duologue.metrics.counts import Counts
from families import tested
from p_values import p_value
from proactive_errors import dialogues_table, errors_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from proactive_rows import Data, Result, Row

_SCORES = ("f1", "bleu-1", "bleu-2", "distinct-1", "distinct-2")


def page(data: Data, results: Sequence[Result], seed: int, part_seed: int) -> str:
    """Return the page: scores, turns, tests, errors, dialogues, costs."""
    analysed = to_analyse(results)
    dialogues = len({one.sample.dialogue_id for one in data.examples})
    sizes = ", ".join(f"`{regime}` {size:,} agent turns" for regime, size in data.sizes.items())
    head = f"""# Proactive dialogue: all systems on the visible development part

Made by `python benchmarks/proactive.py --data FOLDER`, seed {seed}. Scored are the {len(data.examples):,} agent turns
of {dialogues} visible sessions that share no pair of topics with the training data (chosen by seed {part_seed}).
Training data: {sizes}.
Systems trained with partial sessions, which come from the competition's test files, must not be compared with published
figures on those files.
"""
    parts = {
        "Scores": (
            _scores_table(results),
            """Official formulas: F1 in percent, the others as fractions; in brackets 95 % intervals, dialogues drawn
whole. Knowledge F1 and goal completion (0 to 2) are ours; both are counted by rule and are not the human scales.""",
        ),
        "By turn": (
            _turns_table(data, results),
            """F1, DISTINCT-1 and DISTINCT-2 of the agent's first, second, ... turn. DISTINCT falls with the number of
replies: compare it down a column only.""",
        ),
        "Paired tests": (
            _tests_table(results),
            """F1 of the first against the second, dialogues drawn whole; p of the paired randomisation test,
corrected over this table, which is one family.""",
        ),
        "Errors": (
            errors_table(data.examples, analysed, seed),
            f"""Bad replies of {analysed.row.name} ({analysed.row.regime}): 50 drawn by seed from the fifth with the
lowest F1. Each stands under the first rule that holds, compared with what the person said in its place; `rule holds`
counts all. The command writes them to `errors.md` in its work folder.""",
        ),
        "Dialogues": (
            dialogues_table(data.examples, to_read(results), seed),
            """Ten dialogues drawn by seed: F1 of all replies together, and goal completion by rule (0 to 2). The
command writes them to `dialogues.md` in its work folder.""",
        ),
        "Costs": (
            _costs_table(results),
            """Wall and CPU seconds of `duologue train` and of `duologue run` over all samples, start included;
milliseconds per reply on one core after loading.""",
        ),
    }
    return head + "".join(f"\n## {name}\n\n{text}\n\n{_joined(lines)}\n" for name, (lines, text) in parts.items())


def to_analyse(results: Sequence[Result]) -> Result:
    """Return the result whose errors are looked at: the last of a system, or the last of all where there is none."""
    return ([one for one in results if one.row.kind == "system"] or results)[-1]


def to_read(results: Sequence[Result]) -> list[Result]:
    """Return the results whose dialogues are shown: those of the regime that is analysed, without ablations."""
    regime = to_analyse(results).row.regime
    return [one for one in results if one.row.regime == regime and one.row.kind != "ablation"]


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def _named(row: Row) -> str:
    return f"{row.name} | {row.regime}"


def _scores_table(results: Sequence[Result]) -> list[str]:
    lines = [
        "| system | training data | F1 | BLEU-1 | BLEU-2 | DISTINCT-1 | DISTINCT-2 | knowledge F1 | goal |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for one in results:
        found = {score.name: score for score in (*one.strict.scores, *one.official.scores)}
        cells = []
        for name in _SCORES:
            score, scale, digits = found[name], 100 if name == "f1" else 1, 2 if name == "f1" else 3
            low, high = (scale * (end if end is not None else score.value) for end in (score.low, score.high))
            cells.append(f"{scale * score.value:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})")
        cells.append(f"{100 * found['knowledge-f1'].value:.1f}")
        cells.append(f"{2 * found['goal-completion'].value:.2f}")
        lines.append(f"| {_named(one.row)} | {' | '.join(cells)} |")
    return lines


def _turns_table(data: Data, results: Sequence[Result]) -> list[str]:
    turns = cuts_of(data.examples, "turn")
    people = [(one.references[0].text or "") for one in data.examples]
    heads = " | ".join(f"turn {turn} (n {len(places)})" for turn, places in turns.items())
    lines = [
        f"| system | training data | {heads} |",
        f"|---|---|{'---|' * len(turns)}",
    ]
    for one in results:
        f1 = {part.value: part.scores[0].value for part in one.official.slices if part.by == "turn"}
        cells = (f"{100 * f1[turn]:.1f} / {_distinct(one.replies, at)}" for turn, at in turns.items())
        lines.append(f"| {_named(one.row)} | {' | '.join(cells)} |")
    cells = (_distinct(people, at) for at in turns.values())
    lines.append(f"| people | - | {' | '.join(cells)} |")
    return lines


def _distinct(replies: Sequence[str], places: Sequence[int]) -> str:
    """Return DISTINCT-1 and -2 of some replies as `eval.py` computes them."""
    found = []
    for n in (1, 2):
        words = [replies[place].strip().split(" ") for place in places]
        grams = ["".join(of[at : at + n]) for of in words for at in range(len(of) - n + 1)]
        found.append(f"{len(set(grams)) / max(1, len(grams)):.3f}")
    return " / ".join(found)


def _tests_table(results: Sequence[Result]) -> list[str]:
    (metric,) = (one for one in ProactiveTask().metrics(Scoring(variant="official")) if one.name == "f1")
    pairs = [
        (one, other)
        for one in results
        for other in results
        if one.row.kind == "system" != other.row.kind
        and (other.row.regime == one.row.regime or other.row.system == "template")
    ]
    counts = {id(result): Counts.of_report(result.official) for result in results}
    tests = tested([(counts[id(one)], counts[id(other)], metric) for one, other in pairs])
    lines = ["| first | second | training data | difference | 95 % interval | p |", "|---|---|---|---|---|---|"]
    for (one, other), found in zip(pairs, tests, strict=True):
        cells = (one.row.name, other.row.name, one.row.regime, f"{100 * found.difference:+.2f}")
        lines.append(
            f"| {' | '.join(cells)} | {100 * found.low:+.2f} to {100 * found.high:+.2f} | {p_value(found.p_adjusted)} |"
        )
    return lines


def _costs_table(results: Sequence[Result]) -> list[str]:
    lines = [
        "| system | training data | settings | training: wall | CPU | MB | answering: wall | CPU | p50 ms | p95 ms |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    train = {"wall": 0.0, "cpu": 0.0}
    for one in results:
        costs = one.costs
        cells = [f"{costs['train'][part]:.0f}" if "train" in costs else "-" for part in ("wall", "cpu", "mb")]
        cells += [f"{costs['run'][part]:.0f}" for part in ("wall", "cpu")]
        cells += [f"{costs['latency'][part]:.0f}" if "latency" in costs else "-" for part in ("p50", "p95")]
        lines.append(f"| {_named(one.row)} | {' '.join(one.row.settings) or '-'} | {' | '.join(cells)} |")
        for part in train:
            train[part] += costs.get("train", train | {part: 0.0})[part]
    total = f"{train['wall'] / 60:.0f} min | {train['cpu'] / 60:.0f} min"
    return [*lines, f"| all trainings | | | {total} | | | | | |"]
