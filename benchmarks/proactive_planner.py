r"""Measure what each part brings to the planner, with the same weights, and write `benchmarks/PROACTIVE_PLANNER.md`.

    python benchmarks/proactive_planner.py --data FOLDER --model MODEL [--work workspace/proactive] [--write]

FOLDER is that of `benchmarks/proactive.py`, which makes `data/train.jsonl` and `data/partial.jsonl` below `--work` and
puts 500 visible sessions aside; MODEL is a planner trained on these two:

    duologue train proactive --system planner --train work/data/train.jsonl --train work/data/partial.jsonl --seed 1 \
        --set threads=1 --out MODEL

Replies stay below `--work`, by model and variant: a second run makes only what is not there (`--only` one of them).
Without `--write` the page is printed. What stands in the file behind the line `<!-- by hand -->` stays.
"""

from __future__ import annotations

import argparse
import json
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from unittest.mock import patch

import msgspec

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.knowledge import complete_dialogues
from duologue.challenges.proactive.live.grounding import GroundingChecker
from duologue.challenges.proactive.live.judge import counted, formulas
from duologue.challenges.proactive.systems.planner.planner import Planner
from duologue.challenges.proactive.systems.planner.reply_generator import GeneratedReplies, ReplyGenerator
from duologue.challenges.proactive.systems.planner.roles import roles_of
from duologue.challenges.proactive.systems.planner.slots import Filling
from duologue.challenges.proactive.systems.planner.state import PRONOUNS, state_of
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.disk import read_bytes, sha256, write_text
from duologue.core.plugins import load_system
from duologue.core.records import Dialogue, Scoring, Turn
from duologue.metrics.counts import Counts, tally
from families import tested
from p_values import p_value
from page_notes import by_hand
from proactive_rows import make_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.challenges.proactive.systems.planner.recipe import PlannerRecipe
    from duologue.challenges.proactive.systems.planner.state import PlannerState
    from duologue.core.records import Example, Report
    from proactive_rows import Data

Kind = TypeVar("Kind", bound=msgspec.Struct)

_ALONE, _RECOMBINED, _SECOND, _WHOLE = "candidates alone", "clauses recombined", "second choice", "planner"
_INDEXED, _UNDRAWN = "no generated candidates", "no drawn replies"
_AS_SAID, _ANY_ROLE, _UNHEEDED = "pronouns as said", "any role", "questions unheeded"
_VARIANTS: dict[str, dict[str, Any]] = {
    _ALONE: {"recombine": False},
    _RECOMBINED: {"second_choice": False},
    _SECOND: {"own_variety": 0.0},
    _WHOLE: {},
    _INDEXED: {"generator": {"beam": 0}},
    _UNDRAWN: {"generator": {"drawn": 0}},
    _AS_SAID: {"pronouns": False},
    _ANY_ROLE: {"roles": False},
    _UNHEEDED: {"answers": "never"},
}
"""What is changed in the recipe of the model, and in its parts."""
_GENERATED: dict[tuple[object, ...], GeneratedReplies] = {}
_TESTED = (
    (_WHOLE, _ALONE, ("f1", "bleu-1", "bleu-2", "knowledge-f1")),
    (_RECOMBINED, _ALONE, ("f1",)),
    (_SECOND, _RECOMBINED, ("f1",)),
    (_WHOLE, _SECOND, ("f1",)),
    (_WHOLE, _RECOMBINED, ("f1",)),
    (_WHOLE, _INDEXED, ("f1",)),
    (_WHOLE, _UNDRAWN, ("f1",)),
    (_WHOLE, _AS_SAID, ("f1",)),
    (_WHOLE, _ANY_ROLE, ("f1",)),
    (_WHOLE, _UNHEEDED, ("f1",)),
)
"""First, second, and the measures of which their difference is tested."""
_LATENCY_SAMPLES = 200
_SHOWN = (
    "coherence-by-rule",
    "goal-completion",
    "wrong-subject-type",
    "facts-contradicted",
    "facts-not-in-knowledge",
    "repeated-sentences",
    "questions-answered",
)


class Answered(NamedTuple):
    """The replies of a variant, their scores, and milliseconds per reply, ascending."""

    name: str
    replies: list[str]
    official: Report
    strict: Report
    times: list[float]


def answered(name: str, data: Data, model: Path, work: Path) -> Answered:
    """Return a variant's replies, made now where they are not there."""
    key = sha256(read_bytes(model / "system.toml"))[:12]
    path = work / "planner" / f"{key}-{name.replace(' ', '-')}.txt"
    if not path.is_file():
        whole = load_system(model)
        assert isinstance(whole, Planner)
        system = Planner(_changed(whole.recipe, _VARIANTS[name]))
        system.load(model)
        system.prepare(ProactiveTask.info, 1, {})
        samples = [one.sample for one in data.examples]
        with _generated_once():
            replies = [one.text or "" for one in system.answer(samples)]
        times = []
        for sample in samples[:: max(1, len(samples) // _LATENCY_SAMPLES)]:
            started = time.process_time()
            system.answer([sample])
            times.append(1000 * (time.process_time() - started))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path.with_suffix(".json"), json.dumps(sorted(times)))
        write_text(path, "".join(f"{reply}\n" for reply in replies))
    task = ProactiveTask()
    reports = [task.score(data.examples, task.read(path), Scoring(variant=one)) for one in ("official", "strict")]
    times = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return Answered(name, path.read_text(encoding="utf-8").splitlines(), reports[0], reports[1], times)


@contextmanager
def _generated_once() -> Iterator[None]:
    """Let variants share what is generated for a state where their recipes ask for the same; all have one generator."""
    generate = ReplyGenerator.replies

    def replies(self: ReplyGenerator, state: PlannerState, recipe: PlannerRecipe) -> GeneratedReplies:
        asked = (state, recipe.generator, recipe.draws, recipe.pronouns)
        if asked not in _GENERATED:
            _GENERATED[asked] = generate(self, state, recipe)
        return _GENERATED[asked]

    with patch.object(ReplyGenerator, "replies", replies):
        yield


def _changed(recipe: Kind, entries: Mapping[str, Any]) -> Kind:
    """Return a recipe with other entries, in its parts too."""
    flat = {
        name: _changed(getattr(recipe, name), value) if isinstance(value, dict) else value
        for name, value in entries.items()
    }
    return msgspec.structs.replace(recipe, **flat)


def page(data: Data, found: Sequence[Answered], people: Sequence[Dialogue]) -> str:
    """Return the page."""
    return f"""# Planner: what each part brings

Made by `python benchmarks/proactive_planner.py --data FOLDER --model MODEL --write` from one planner, trained with
seed 1 on `sessions + partial` ({data.sizes["sessions + partial"]:,} agent turns; see [all systems](PROACTIVE.md)): all
rows have the same weights. Scored are the {len(data.examples):,} agent turns of 500 visible sessions that share
no pair of topics with the training data. Everything that is weighed was chosen or fitted on the held-out sixteenth of
the training data, but for what the notes at the end name.

* {_ALONE}: the best candidate is said as it is, retrieved or generated (`recombine=false`)
* {_RECOMBINED}: by minimum Bayes risk alone (`second_choice=false`)
* {_SECOND}: recombined replies ranked anew with the word model, whatever the planner often says (`own_variety=0`)
* {_WHOLE}: as it is by default
* {_INDEXED}: the beam of the copy transformer adds no candidates (`generator.beam=0`)
* {_UNDRAWN}: the second choice compares with no drawn replies (`generator.drawn=0`). Its weights are those fitted with
  both; a planner trained without either is a row of [all systems](PROACTIVE.md)
* {_AS_SAID}: 他 and 她 as the people of the templates said them (`pronouns=false`)
* {_ANY_ROLE}: a director may be called the lead, and a lead the director (`roles=false`)
* {_UNHEEDED}: whatever the user asks for (`answers=never`)

## Scores

F1 in percent, the others as fractions; in brackets 95 % intervals, dialogues drawn whole. p50 and p95 are milliseconds
of one processor core for one reply.

{_joined(_scores(found))}

## Paired tests

The first against the second, dialogues swapped whole; p corrected over this table.

{_joined(_tests(found))}

## Facts and coherence

Each agent turn of the person replaced by the reply to the dialogue so far, judged as `duologue simulate` judges. Goal
completion (0 to 2) and coherence (0 to 3) are counted by rule and are not the human scales: rules see wrong types,
contradicted facts, sentences said twice and unanswered questions for given facts, and no more. Rates are of agent
turns; of questions, of those asked; of pronouns (他, 她), of replies with one where the stars are of one sex alone. A
wrong role: of a star whom goal and knowledge make a director alone, a reply speaks of leads (主演, 出演, 饰演, 参演)
and names none that is given, or the same of a lead and directors. It is the planner's own rule; four of the ten found
in people's replies are of another film, or of a name that the knowledge has not.

{_joined(_judged(data, found, people))}
"""


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def _scores(found: Sequence[Answered]) -> list[str]:
    names = ("f1", "bleu-1", "bleu-2", "distinct-1", "distinct-2")
    heads = ("F1", "BLEU-1", "BLEU-2", "DISTINCT-1", "DISTINCT-2", "knowledge precision", "recall", "F1", "p50", "p95")
    lines = [f"| planner | {' | '.join(heads)} |", f"|{'---|' * (len(heads) + 1)}"]
    for one in found:
        scores = {score.name: score for score in (*one.strict.scores, *one.official.scores)}
        cells = []
        for name in names:
            score, scale, digits = scores[name], 100 if name == "f1" else 1, 2 if name == "f1" else 3
            low, high = (scale * (end if end is not None else score.value) for end in (score.low, score.high))
            cells.append(f"{scale * score.value:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})")
        cells += [f"{100 * scores[f'knowledge-{part}'].value:.1f}" for part in ("precision", "recall", "f1")]
        cells += [f"{one.times[int(len(one.times) * share)]:.0f}" for share in (0.5, 0.95)]
        lines.append(f"| {one.name} | {' | '.join(cells)} |")
    return lines


def _tests(found: Sequence[Answered]) -> list[str]:
    metrics = {one.name: one for one in ProactiveTask().metrics(Scoring(variant="strict"))}
    counts = {one.name: Counts.of_report(one.strict) for one in found}
    rows = [(first, second, metrics[name]) for first, second, names in _TESTED for name in names]
    compared = tested([(counts[first], counts[second], metric) for first, second, metric in rows])
    lines = ["| first | second | measure | difference | 95 % interval | p |", "|---|---|---|---|---|---|"]
    for (first, second, metric), one in zip(rows, compared, strict=True):
        shown = [f"{100 * value:+.2f}" for value in (one.difference, one.low, one.high)]
        measured, interval = f"{metric.name} x 100", f"{shown[1]} to {shown[2]}"
        cells = (first, second, measured, shown[0], interval, p_value(one.p_adjusted))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _judged(data: Data, found: Sequence[Answered], people: Sequence[Dialogue]) -> list[str]:
    checker = GroundingChecker(people)
    rows = {"people": [one.references[0].text or "" for one in data.examples]} | {
        one.name: one.replies for one in found
    }
    lines = [f"| agent | {' | '.join(_SHOWN)} | wrong pronouns | wrong roles |", f"|{'---|' * (len(_SHOWN) + 3)}"]
    for name, replies in rows.items():
        dialogues = [_replaced(data.examples, replies, places) for places in complete_dialogues(data.examples)]
        counts = tally(formulas(), [one.id for one in dialogues], [counted(one, checker) for one in dialogues])
        values = {one.name: (one.value(counts), one.percent) for one in formulas()}
        shown = [values[score] for score in _SHOWN]
        cells = (f"{100 * value:.2f} %" if percent else f"{value:.3f}" for value, percent in shown)
        said = f"{_wrong_pronouns(data.examples, replies)} | {_wrong_roles(data.examples, replies)}"
        lines.append(f"| {name} | {' | '.join(cells)} | {said} |")
    return lines


def _wrong_pronouns(examples: Sequence[Example], replies: Sequence[str]) -> str:
    """Return the share of replies with 他 or 她 that have the wrong one, where the stars are of one sex alone."""
    wrong = pronouns = 0
    for one, reply in zip(examples, replies, strict=True):
        state = state_of(one.sample)
        right = {pronoun for pronoun, kind in zip(state.pronouns, state.domains, strict=True) if kind == "S"}
        said = PRONOUNS.intersection(reply.split())
        if said and len(right) == 1 and "" not in right:
            pronouns += 1
            wrong += bool(said - right)
    return f"{100 * wrong / pronouns:.1f} % of {pronouns}"


def _wrong_roles(examples: Sequence[Example], replies: Sequence[str]) -> str:
    """Return how many replies deny the role of their star, of those whose star has one alone."""
    stars = [(roles_of(one.sample), reply) for one, reply in zip(examples, replies, strict=True)]
    denied = [roles.are_denied_by(Filling(tuple(reply.split()), ())) for roles, reply in stars]
    return f"{sum(denied)} of {sum(roles.acts != roles.directs for roles, _ in stars):,}"


def _replaced(examples: Sequence[Example], replies: Sequence[str], places: Sequence[int]) -> Dialogue:
    """Return a dialogue with replies in place of what the person said, who knew nothing of them."""
    turns: list[Turn] = []
    for place in places:
        history = examples[place].sample.history
        turns += [*history[len(turns) :], Turn(speaker="system", text=replies[place])]
    sample = examples[places[0]].sample
    return Dialogue(id=sample.dialogue_id, turns=tuple(turns), knowledge=sample.knowledge, goal=sample.goal)


def main() -> None:
    """Read the arguments, answer what is missing, write or print the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with the real files")
    parser.add_argument("--model", type=Path, required=True, help="a trained planner")
    parser.add_argument("--work", type=Path, default=Path("workspace/proactive"), help="folder for data and replies")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("PROACTIVE_PLANNER.md"))
    parser.add_argument("--only", choices=list(_VARIANTS), help="make the replies of this variant, and no page")
    parser.add_argument("--write", action="store_true", help="write the page")
    arguments = parser.parse_args()
    data = make_data(arguments.data, arguments.work, 500, 1)
    if arguments.only:
        answered(arguments.only, data, arguments.model, arguments.work)
        return
    found = [answered(name, data, arguments.model, arguments.work) for name in _VARIANTS]
    text = page(data, found, files.load_sessions(arguments.data / "duconv_dev_visible.jsonl.gz"))
    if arguments.write:
        write_text(arguments.out, text + by_hand(arguments.out))
    else:
        print(text)


if __name__ == "__main__":
    main()
