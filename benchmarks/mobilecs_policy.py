"""Policies learned from rewards against the supervised and the rule policy: writes `MOBILECS_POLICY.md`.

    python benchmarks/mobilecs_policy.py --work workspace/policies [--seed 1] [--unseen 1003] [--goals 1000] [--write]

One supervised agent is trained on a generated `crowd` corpus of one seed; each policy is learned on top of it, as
`duologue train --set policy=...` does after the same supervised training. All are measured on a corpus of another seed:
success, turns, reward and values without ground over simulated calls, and intents and BLEU on its dialogues. Each part
is kept in the folder, so that a stopped run goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import msgspec

from duologue import api
from duologue.challenges.mobilecs.live.scenes import make_stage
from duologue.challenges.mobilecs.simulator.goal_rows import is_playable
from duologue.challenges.mobilecs.simulator.recipe import CallCorpusRecipe
from duologue.challenges.mobilecs.systems.agent.agent import CustomerAgent
from duologue.challenges.mobilecs.systems.agent.policy_trainer import PolicyTrainer
from duologue.challenges.mobilecs.systems.agent.recipe import AgentRecipe, RewardTerm
from duologue.challenges.mobilecs.systems.agent.reinforced_policy import PolicyWeights, ReinforcedPolicy
from duologue.challenges.mobilecs.systems.agent.trainer import training_rows
from duologue.challenges.mobilecs.systems.rule_agent import RuleAgent
from duologue.challenges.mobilecs.task import DialogueTask
from duologue.core.protocols import Run
from duologue.core.records import Report
from duologue.models.inference import threads
from duologue.run.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.core.protocols import System

PAGE = Path(__file__).with_name("MOBILECS_POLICY.md")
TASK = DialogueTask()
ARGUMENTS = 0.4
LEARNED = ("policy-gradient", "reward-weighted")
TERMS: tuple[str, ...] = get_args(RewardTerm)
PARTS: dict[str, dict[str, Any]] = {"strict success": {"strict_reward": 0.0}, "cues": {"cue_rate": 0.0}}
"""What can be left out beside the terms of the simulator's reward, and how."""
ABLATION_CALLS, ABLATION_GOALS = 600, 300
MEASURES = ("success", "strict-success", "turns", "reward", "hallucinated-values", "repeated-replies")
PERCENT = {"user-intent-f1", "system-intent-f1", "success", "strict-success", "hallucinated-values", "repeated-replies"}

QUALITY = ("user-intent-f1", "system-intent-f1", "success", "bleu", "combined")
TEXT = """# MobileCS: policies learned from rewards

`python benchmarks/mobilecs_policy.py --work FOLDER --seed {seed} --n {n} --goals {goals} --unseen {unseen}{ablate}
--write`

One supervised agent was trained on the training part of {n} generated `crowd` dialogues (argument rate
{arguments}, seed {seed}). Policies are learned on top of it in calls with simulated users, the agenda-based and
the trained one in turn, who play goals of the same training dialogues. Everything below is measured on a corpus
of another seed ({unseen}). `duologue train mobilecs/dialogue --system agent --set policy=policy-gradient
--train track2/train.json --out model` does both trainings, and `run`, `simulate` and `chat` use the policy that
is saved with the model.

`policy-gradient` is REINFORCE online, with a baseline that is linear in the state. `reward-weighted` plays a
log of calls with the supervised policy, drawn by its values, then imitates what paid, without further calls.
Both choose among the actions of the supervised policy and others that tell what the user seems to have asked
for earlier in the call.

Beside the reward of the simulator strict success is rewarded, and a requested value in a third reply costs as much.
Which words ask for which slot is learned in the calls, too, from what was answered. The supervised policy fails because
it says goodbye before anything was asked for, because the value that is wanted is the third of a piece that it tells
twice, or because it does not understand a rare slot: of 33 requests left open in 400 calls with the trained user
12, 10 and 11. What was chosen was chosen on goals of seed 1001; on seed 1002 an earlier attempt, without
exploration and without a cost of third replies, was measured (success +4.5 with the trained user, strict success -6.6
with the agenda-based one). A weight of 1.5 instead of 0.5 of strict success made it no better on seed 1001 (85.3
against 88.0 % with the trained user, 88.0 against 88.5 with the other).

What is won has a price, which the tables show: a policy that tells what may have been asked for, until it is asked no
more, names some values in a third reply, or among others. Where nobody asks again, on dialogues as people had them,
strict success falls.

Goals are those of annotated dialogues, and sampled from the knowledge base where a dialogue's own asks for
nothing. Success is the official one over the whole conversation; the strict one wants a value soon after its
request and not among many others. Values without ground and repeated replies are per reply. Intervals are 95 %,
over calls.

## Training

{training_table}

## {played} goals, agenda-based user

{agenda_table}

Differences from the supervised policy, paired by goal (bold: p < .05, corrected for all scores of a report):

{paired_table}

## {trained_played} goals, trained user

The user has learned from dialogues of the unseen corpus, other ones than those whose goals it plays.

{trained_table}

Differences from the supervised policy, as above:

{trained_paired_table}

## On dialogues

The test part of the unseen corpus ({test} turns), rounds answered from the system's own replies, strict
scores. Coherence was judged by people in the challenge; what stands in for it here is whether the staff's
intents are those of people (`system-intent-f1`).

{people_table}

{quality_table}
"""
PARTS_TEXT = """
## What each part brings

Policy gradient with {ablation_calls} calls, one term of the reward or one part left out in learning;
{ablation_goals} goals, trained user. The rewards in the table have all terms.

{terms_table}
"""


class Settings(NamedTuple):
    """Where and how large."""

    work: Path
    seed: int
    n: int
    goals: int
    unseen_seed: int
    ablated: tuple[str, ...] = (*TERMS, *PARTS)
    """Terms of the reward and parts that are left out one by one."""

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what an earlier run has kept under a name, or what `make` makes, which is kept then."""
        path = self.work / f"{name}.json"
        if not path.exists():
            print(f"{time.strftime('%H:%M:%S')} {name}", file=sys.stderr)
            path.write_text(json.dumps(make(), ensure_ascii=False), encoding="utf-8")
        return json.loads(path.read_text(encoding="utf-8"))

    def corpus(self, name: str, seed: int, n: int) -> Path:
        """Return the folder of track 2 files of a generated corpus."""
        folder = self.work / name
        if not (folder / "track2" / "test.json").exists():
            recipe = CallCorpusRecipe(profile="crowd", argument_rate=ARGUMENTS, n=n, unlabelled_ratio=0.0)
            TASK.generate(recipe, seed, folder, workers=1, progress=None)
        return folder / "track2"

    @property
    def learned_from(self) -> Path:
        """Folder of the corpus that everything learns from."""
        return self.corpus("learned-from", self.seed, self.n)

    @property
    def unseen(self) -> Path:
        """Folder of the corpus that everything is measured on: another seed, other products, other accounts."""
        return self.corpus("unseen", self.unseen_seed, max(self.goals * 3 // 2, 40))

    @property
    def played(self) -> Path:
        """Dialogues whose goals are played: a goal that asks for nothing is left out, so that one is sampled."""
        path = self.work / "goals.json"
        if not path.exists():
            rows = json.loads((self.unseen / "train.json").read_text(encoding="utf-8"))
            for one in rows:
                if not is_playable(one["goal"], one["KB"]):
                    del one["goal"]
            path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
        return path


def trained(settings: Settings) -> dict[str, float]:
    """Train the supervised agent; return its CPU seconds."""
    begun = time.process_time()
    api.train(
        TASK.info.name,
        "agent",
        settings.work / "agent",
        data=[settings.learned_from / "train.json"],
        held_out=[settings.learned_from / "dev.json"],
        seed=settings.seed,
    )
    return {"seconds": time.process_time() - begun}


def agent_of(settings: Settings) -> CustomerAgent:
    """Return the supervised agent."""
    settings.kept("agent-training", lambda: trained(settings))
    agent = CustomerAgent()
    agent.load(settings.work / "agent")
    return agent


def learned(settings: Settings, policy: str, **changes: Any) -> dict[str, Any]:
    """Learn a policy on top of the supervised agent; return it with its CPU seconds."""
    agent, begun = agent_of(settings), time.process_time()
    recipe = msgspec.structs.replace(AgentRecipe(), policy=policy, **changes)
    rows = training_rows(list(TASK.load(settings.learned_from / "train.json")))
    run = Run(folder=settings.work, seed=settings.seed)
    with threads(1):
        found = PolicyTrainer(agent, rows, recipe, run).learn()
    return {"policy": msgspec.to_builtins(found), "seconds": time.process_time() - begun, "calls": recipe.calls}


def system_of(settings: Settings, name: str) -> System:
    """Return the system of a policy by its name; `without PART` is a policy gradient with less to learn from."""
    if name == "rules":
        return RuleAgent()
    agent = agent_of(settings)
    if name == "supervised":
        return agent
    if name in LEARNED:
        found = settings.kept(f"policy {name}", lambda: learned(settings, name))
    else:
        term = name.removeprefix("without ")
        changes = PARTS.get(term, {} if term == "all terms" else {"without_reward": (term,)})
        found = settings.kept(f"policy {name}", lambda: learned(settings, LEARNED[0], calls=ABLATION_CALLS, **changes))
    agent.policy = ReinforcedPolicy(msgspec.convert(found["policy"], PolicyWeights))
    return agent


def simulated(settings: Settings, name: str, goals: int, *, trained_user: bool = False) -> Report:
    """Return the report on simulated calls of a policy; the trained user has learned from other dialogues."""

    def played() -> Any:
        users = (settings.unseen / "dev.json", settings.unseen / "test.json") if trained_user else ()
        stage = make_stage(settings.played, users, n=goals, seed=settings.seed, max_turns=None)
        system = system_of(settings, name)
        with threads(1):
            return msgspec.to_builtins(simulate(TASK, system, stage, name=name, seed=settings.seed).report)

    user = "trained" if trained_user else "agenda"
    return msgspec.convert(settings.kept(f"calls {name}, {user} user, {goals}", played), Report)


def scored(settings: Settings, name: str) -> Report:
    """Return the strict scores of a policy on the dialogues of people (generated ones) of the unseen corpus."""

    def answered() -> Any:
        data = settings.unseen / "test.json"
        result = settings.work / f"answers-{name}.json"
        result.unlink(missing_ok=True)
        with threads(1):
            api.predict(TASK.info.name, system_of(settings, name), data, out=result)
        return msgspec.to_builtins(api.score(TASK.info.name, result, data, system=name))

    return msgspec.convert(settings.kept(f"scores {name}", answered), Report)


def row(report: Report, names: Sequence[str]) -> str:
    """Return the cells of some scores, with their intervals."""
    found = {one.name: one for one in report.scores}
    cells = []
    for name in names:
        one = found[name]
        times, digits = (100, 1) if name in PERCENT else (1, 2)
        low, high = one.low or 0.0, one.high or 0.0
        cells.append(f"{times * one.value:.{digits}f} [{times * low:.{digits}f}, {times * high:.{digits}f}]")
    return " | ".join(cells)


def differences(report: Report, base: Report, names: Sequence[str]) -> str:
    """Return the cells of paired differences with their intervals; the better one is marked where p < .05."""
    found = {str(line[0]): line for line in api.compare(report, base).rows()}
    cells = []
    for name in names:
        _, _, _, difference, low, high, p, _ = found[name]
        times, digits = (100, 1) if name in PERCENT else (1, 2)
        numbers = [times * float(str(one)) for one in (difference, low, high)]
        told = "{:+.{d}f} [{:+.{d}f}, {:+.{d}f}]".format(*numbers, d=digits)
        cells.append(f"**{told}**" if float(str(p)) < 0.05 else told)
    return " | ".join(cells)


def paired(calls: Mapping[str, Report]) -> list[str]:
    """Return a line for each policy but the supervised one: how much better it is, on the same goals."""
    base = calls["supervised"]
    return [f"{name} | {differences(report, base, MEASURES)}" for name, report in calls.items() if report is not base]


def table(head: Sequence[str], lines: Sequence[str]) -> str:
    """Return a table."""
    return "\n".join([f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {line} |" for line in lines)])


def page(settings: Settings) -> str:
    """Return the page; parts that are not there yet are made."""
    seconds = {"supervised": settings.kept("agent-training", lambda: trained(settings))["seconds"]}
    names = ("rules", "supervised", *LEARNED)
    for name in LEARNED:
        system_of(settings, name)
        seconds[name] = settings.kept(f"policy {name}", dict)["seconds"]
    people = {name: scored(settings, name) for name in names[1:]}
    calls = {name: simulated(settings, name, settings.goals) for name in names}
    others = {name: simulated(settings, name, settings.goals, trained_user=True) for name in names}
    terms = ("all terms", *(f"without {term}" for term in settings.ablated)) if settings.ablated else ()
    ablations = {name: simulated(settings, name, ABLATION_GOALS, trained_user=True) for name in terms}
    base = simulated(settings, "supervised", ABLATION_GOALS, trained_user=True) if terms else calls["supervised"]
    sections = {
        "training": [
            f"supervised agent | {seconds['supervised']:.0f} | none",
            *(f"{name} | {seconds[name]:.0f} | {settings.kept(f'policy {name}', dict)['calls']}" for name in LEARNED),
        ],
        "agenda": [f"{name} | {row(report, MEASURES)}" for name, report in calls.items()],
        "paired": paired(calls),
        "trained": [f"{name} | {row(report, MEASURES)}" for name, report in others.items()],
        "trained_paired": paired(others),
        "people": [f"{name} | {row(report, QUALITY)}" for name, report in people.items()],
        "quality": [f"{name} | {differences(people[name], people['supervised'], QUALITY)}" for name in LEARNED],
        "terms": [
            f"nothing (supervised) | {row(base, MEASURES)}",
            *(f"{name} | {row(report, MEASURES)}" for name, report in ablations.items()),
        ],
    }
    heads = {"training": ("what", "CPU seconds", "simulated calls"), "people": ("policy", *QUALITY)}
    heads |= {"quality": ("difference from supervised", *QUALITY), "terms": ("learned with", *MEASURES)}
    tables = {name: table(heads.get(name, ("policy", *MEASURES)), lines) for name, lines in sections.items()}
    ablate = "".join([" --ablate", *(f" '{one}'" if " " in one else f" {one}" for one in settings.ablated)])
    numbers = {
        **settings._asdict(),
        "ablate": "" if settings.ablated == Settings._field_defaults["ablated"] else ablate,
        "unseen": settings.unseen_seed,
        "arguments": ARGUMENTS,
        "played": calls["rules"].signature.n,
        "trained_played": others["rules"].signature.n,
        "ablation_calls": ABLATION_CALLS,
        "ablation_goals": base.signature.n,
        "test": people["supervised"].signature.n,
    }
    return (TEXT + PARTS_TEXT * bool(terms)).format(
        **numbers, **{f"{name}_table": text for name, text in tables.items()}
    )


def main() -> int:
    """Measure what is missing; print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for corpora, the agent and figures")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unseen", type=int, default=1003, help="seed of the corpus that is measured on")
    parser.add_argument("--n", type=int, default=1000, help="dialogues of the corpus that is learned from")
    parser.add_argument("--goals", type=int, default=1000)
    parser.add_argument("--ablate", nargs="*", choices=(*TERMS, *PARTS), help="what to leave out one by one")
    parser.add_argument("--write", action="store_true", help="write the page instead of printing it")
    chosen = parser.parse_args()
    chosen.work.mkdir(parents=True, exist_ok=True)
    settings = Settings(chosen.work, chosen.seed, chosen.n, chosen.goals, chosen.unseen)
    text = page(settings if chosen.ablate is None else settings._replace(ablated=tuple(chosen.ablate)))
    if chosen.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
