"""The page of `mobilecs_dialogue.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.schema.intents import intent_of
from duologue.challenges.mobilecs.schema.ontology import STAFF_TEXT, USER_TEXT
from duologue.challenges.mobilecs.task import DialogueTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.records import Example

SHOWN = 3
"""Dialogues that are printed."""
VARIANTS, MUST = "## Variants of the agent", "## Must"
"""Headings of the section that is written by itself, too, and of the one after it."""
_PERCENT = ("user-intent-f1", "system-intent-f1", "success")
_FATES = (
    "answered",
    "never told",
    "told in more than two replies",
    "told before it was asked for",
    "told too late or among others",
)


def page(
    results: Sequence[Any],
    probe: Mapping[str, Mapping[str, float]],
    missed: Sequence[str],
    examples: Sequence[Example],
    replies: Path,
    sizes: tuple[int, ...],
    of_variants: str,
) -> str:
    """Return the page; sizes are those of `train`, `dev` and test, and of the simulated conversations.

    `of_variants` is the section of `variants`.
    """
    train, dev, test, played = sizes
    parts = [
        _HEAD.format(train=train, dev=dev, test=test),
        _scores(results, probe, "strict"),
        _OFFICIAL,
        _scores(results, probe, "official"),
        _MEASURES,
        _measures(results),
        _SIMULATED.format(played=played),
        _simulated(results),
        _REQUESTS,
        *(_requests(one) for one in results if one.row.name in {"agent", "agent-baseline"}),
        *([of_variants] if of_variants else []),
        f"{MUST}\n\n" + ("".join(f"* Missed: {one}.\n" for one in missed) or "All figures that must hold do.\n"),
        _DIALOGUES,
        *([_dialogues(examples, replies)] if replies.is_file() else []),
    ]
    return "\n".join(parts)


_HEAD = """# Agents of MobileCS track 2

Written by `python benchmarks/mobilecs_dialogue.py`. All calls are generated (`duologue generate mobilecs --set
profile=crowd --set argument_rate=0.4`): systems learn from {train} calls of seed 11 (another {dev} decide when
to stop), thresholds and the form of the agent were chosen on other calls of `dev` of that seed, and what stands
here was measured on {test} test calls of seed 2001, by which nothing was chosen. Models are trained by `duologue train
mobilecs/dialogue --system NAME --train track2/train.json --held-out track2/dev.json --seed 1` and answer by
`duologue run`. Systems see the user's side, the call's knowledge base and their own earlier replies. p: paired
test of `combined` against `agent`, whole dialogues swapped.

Generated calls share one simulator, so a cue or a wording learned from seed 11 is there in seed 2001: on the
real corpus all figures will be lower. No system has the simulator's phrases or catalogue; all learn from track
2 files alone.

## Scores (strict)
"""
_OFFICIAL = """## Scores (official)

`probe` knows nothing: the user always asks, the staff always inform, followed by 200 commas, and the last reply
recites the knowledge base (specification, section 15). The official scores reward it; the strict ones do not.
"""
_MEASURES = """## Values, time, training

A stated value is an amount by its shape (fees, volumes, minutes, durations), or a name or value of some test
call that is mostly knowledge where people say it. It is without ground where neither the call's knowledge base
has it (case and breaks aside) nor the user has said it. Time is CPU time of `answer` for one turn, in calls
that are played turn by turn, on one core.
"""
_SIMULATED = """## Simulated users

`duologue simulate mobilecs/dialogue --system MODEL --goals test.json --n {played} --seed 1`: whole conversations
with the agenda-based user, whose questions are phrased partly otherwise than in generated calls. Systems that
are not in the table have not been played (`--played 0`).
"""
_REQUESTS = """## Errors by kind

Requested items that the staff answered too, by the strict count.
"""
_VARIANTS = f"""{VARIANTS}

Strict scores; `python benchmarks/mobilecs_dialogue.py --variants` makes this section. Each is trained anew with one
entry of the recipe changed. p: paired test of `combined` against the agent, whole dialogues swapped.

"""
_DIALOGUES = """## Dialogues

Test calls, the first ones with a request. The user's side is fixed: the user answers the staff of the generated
call, not the agent.
"""


def variants(results: Sequence[Any]) -> str:
    """Return the section of the agent, first, and of its variants."""
    head = ["system", "combined", "95 %", "user F1", "staff F1", "success", "BLEU", "less than the agent", "p"]
    head += ["values without ground, %", "p95 ms", "training, CPU min", ""]
    first = results[0].strict["combined"][0]
    rows = []
    for one in results:
        (combined, low, high), values = one.strict["combined"], {name: found[0] for name, found in one.strict.items()}
        less = [f"{first - combined:.3f}", _p(one.p)] if one.row.sets else ["", ""]
        costs = [f"{100 * one.hallucinated['share']:.2f}", f"{one.latency['p95']:.1f}", f"{one.minutes:.1f}"]
        shown = [f"{combined:.3f}", f"{low:.3f} to {high:.3f}", *_shares(values), f"{values['bleu']:.2f}"]
        rows.append([one.row.name, *shown, *less, *costs, one.row.what])
    return _VARIANTS + _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _scores(results: Sequence[Any], probe: Mapping[str, Mapping[str, float]], variant: str) -> str:
    strict = variant == "strict"
    head = ["system", "combined", *(["95 %"] if strict else []), "user F1", "staff F1", "success", "BLEU"]
    rows = []
    for one in results:
        values = {name: value[0] if strict else value for name, value in getattr(one, variant).items()}
        low, high = one.strict["combined"][1:]
        interval = [f"{low:.3f} to {high:.3f}"] if strict else []
        p = [_p(one.p) if one.p < 1 else ""] if strict else []
        about = [*p, one.row.what] if strict else []
        values_shown = [*_shares(values), f"{values['bleu']:.2f}"]
        rows.append([one.row.name, f"{values['combined']:.3f}", *interval, *values_shown, *about])
    empty = ["", *_shares(probe[variant]), f"{probe[variant]['bleu']:.2f}", "", "constants and a recital"]
    known = empty if strict else empty[1:-2]
    rows.append(["probe", f"{probe[variant]['combined']:.3f}", *known])
    return _table([*head, *(["p", ""] if strict else [])], rows)


def _shares(values: Mapping[str, float]) -> list[str]:
    return [f"{100 * values[name]:.1f}" for name in _PERCENT]


def _p(value: float) -> str:
    return "< .0001" if value < 1e-4 else f"{value:.4f}".lstrip("0")


def _measures(results: Sequence[Any]) -> str:
    head = ["system", "stated values", "without ground", "%", "p50 ms", "p95 ms", "training, CPU min"]
    rows = [
        [
            one.row.name,
            f"{one.hallucinated['stated']:.0f}",
            f"{one.hallucinated['wrong']:.0f}",
            f"{100 * one.hallucinated['share']:.2f}",
            f"{one.latency['p50']:.1f}",
            f"{one.latency['p95']:.1f}",
            f"{one.minutes:.1f}" if one.row.trained else "",
        ]
        for one in results
    ]
    return _table(head, rows)


def _simulated(results: Sequence[Any]) -> str:
    names = ("success", "strict-success", "answered-requests", "turns", "reward", "hallucinated-values")
    rows = [
        [
            one.row.name,
            *(
                f"{one.simulated[name]:.2f}" if name in {"turns", "reward"} else f"{100 * one.simulated[name]:.1f}"
                for name in names
            ),
        ]
        for one in results
        if one.simulated
    ]
    return _table(["system", *names], rows)


def _requests(one: Any) -> str:
    rows = [[kind, *(str(fates.get(fate, 0)) for fate in _FATES)] for kind, fates in one.requests.kinds.items()]
    return f"{one.row.name}:\n\n" + _table(["item", *_FATES], rows)


def _dialogues(examples: Sequence[Example], replies: Path) -> str:
    """Return some dialogues as they were answered, beside what the staff said."""
    answers = DialogueTask().answers(DialogueTask().read(replies), examples)
    turns: dict[str, list[Example]] = {}
    for one in examples:
        turns.setdefault(one.sample.dialogue_id, []).append(one)
    parts = []
    asking = [name for name, own in turns.items() if own[0].user_goal and any(i.asked for i in own[0].user_goal.items)]
    for name in asking[:SHOWN]:
        row: Any = turns[name][0].source
        lines = [
            [str(n), turn[USER_TEXT], _intent(said, "user"), said.text or "", _intent(said, "system"), turn[STAFF_TEXT]]
            for n, (said, turn) in enumerate(
                zip((answers[one.sample.id] for one in turns[name]), row["content"], strict=True)
            )
        ]
        base = "; ".join(
            f"{key}: {', '.join(f'{s} {v}' for s, v in slots.items())}" for key, slots in row["KB"].items()
        )
        parts.append(
            f"Knowledge base: {base}\n\n" + _table(["", "user", "understood", "agent", "does", "staff"], lines)
        )
    return "\n".join(parts)


def _intent(answer: Any, speaker: str) -> str:
    return intent_of(act for act in answer.annotation.acts if act.speaker == speaker) if answer.annotation else ""
