"""How finished conversations are judged: did the agent lead from A to B with what it knows, without inventing things.

Goal completion and the triples used are those of `goals` (specification, section 7.1), unfounded facts those of
`claims`. All are counted per dialogue, so intervals draw dialogues.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.proactive.knowledge import bare, completion, squeezed, usable
from duologue.challenges.proactive.live.grounding import Ground
from duologue.core.errors import UsageError
from duologue.core.records import Problem, Report, Sample
from duologue.metrics.counts import Metric, share, sign, tally
from duologue.metrics.significance import scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.challenges.proactive.live.grounding import Claims
    from duologue.core.records import Dialogue
    from duologue.metrics.counts import Floats

VARIANT = "conversation"
SHORTEST, LONGEST = 8, 18
"""Utterances of the shortest and of the longest dialogue of people (visible development part)."""
_TRIPLES = 2
_RESAMPLES = 2_000


class Ratio(Metric[dict[str, float]]):
    """One count by another, both named. Looks at what was counted in one dialogue, by name."""

    def __init__(self, name: str, part: str, whole: str, *, percent: bool = True, better: bool = True) -> None:
        self.name, self.columns = name, (part, whole)
        self.formula = f"{name} = {part} / {whole}"
        self.percent, self.higher_is_better = percent, better

    def count(self, seen: dict[str, float]) -> tuple[float, float]:
        """Return part and whole."""
        part, whole = self.columns
        return seen[part], seen[whole]

    def total(self, sums: Floats) -> Floats:
        """Return part / whole; NaN where there is nothing to divide by."""
        return share(sums[..., 0], sums[..., 1])


def formulas() -> tuple[Ratio, ...]:
    """Return the formulas over the counts of a conversation report, in the order in which they are shown."""
    return (
        Ratio("goal-completion", "goal points", "dialogues", percent=False),
        Ratio("topics-in-order", "in order", "dialogues"),
        Ratio("two-triples", "with two triples", "dialogues"),
        Ratio("facts-not-in-knowledge", "unfounded", "agent utterances", better=False),
        Ratio("dialogues-with-repeats", "with repeats", "dialogues", better=False),
        Ratio("repeated-utterances", "repeats", "agent utterances", better=False),
        Ratio("triples-used", "triples", "dialogues", percent=False),
        Ratio("length-as-people", "of 8 to 18 utterances", "dialogues"),
        Ratio("utterances", "utterances", "dialogues", percent=False),
        Ratio("words", "words", "dialogues", percent=False),
        Ratio("words-per-agent-utterance", "agent words", "agent utterances", percent=False),
    )


class Flaw(NamedTuple):
    """Something an agent should not have said."""

    dialogue: str
    turn: int
    """Index of the utterance in the dialogue, from 0."""
    what: tuple[str, ...]
    """The unfounded objects and numbers; empty for a repeated utterance."""


def flaws(dialogue: Dialogue, claims: Claims) -> tuple[list[Flaw], list[Flaw]]:
    """Return the agent's utterances with unfounded facts, and those that it has said before in the dialogue.

    White space and punctuation make no difference to a repeated utterance.
    """
    ground = Ground(dialogue.goal, dialogue.knowledge)
    unfounded, repeated = [], []
    before: set[str] = set()
    for place, turn in enumerate(dialogue.turns):
        if turn.speaker != "system":
            ground.hear(turn.text)
            continue
        wrong = claims.unfounded(turn.text, ground)
        if wrong:
            unfounded.append(Flaw(dialogue.id, place, wrong))
        said = bare(turn.text)
        if said in before:
            repeated.append(Flaw(dialogue.id, place, ()))
        before.add(said)
    return unfounded, repeated


def counted(dialogue: Dialogue, claims: Claims) -> dict[str, float]:
    """Return what the formulas count in one finished dialogue, by name."""
    said = [turn.text for turn in dialogue.turns if turn.speaker == "system"]
    facts = usable(Sample(id="", dialogue_id="", knowledge=dialogue.knowledge, goal=dialogue.goal))
    points = completion(dialogue.goal.topics, facts, said) if dialogue.goal is not None else 0
    texts = [squeezed(text) for text in said]
    triples = sum(any(one.object in text for text in texts) for one in facts)
    unfounded, repeated = flaws(dialogue, claims)
    return {
        "dialogues": 1,
        "goal points": points,
        "in order": points > 0,
        "triples": triples,
        "with two triples": triples >= _TRIPLES,
        "utterances": len(dialogue.turns),
        "of 8 to 18 utterances": SHORTEST <= len(dialogue.turns) <= LONGEST,
        "words": sum(len(turn.text.split()) for turn in dialogue.turns),
        "agent utterances": len(said),
        "agent words": sum(len(text.split()) for text in said),
        "unfounded": len(unfounded),
        "repeats": len(repeated),
        "with repeats": bool(repeated),
    }


def judge(dialogues: Sequence[Dialogue], claims: Claims, *, seed: int, goals_hash: str) -> Report:
    """Return the figures of finished dialogues with 95 % intervals (2,000 bootstrap draws of dialogues by `seed`).

    Every utterance with an unfounded fact and every repeated one is a warning among the problems. Raises `UsageError`
    when there are no dialogues.
    """
    if not dialogues:
        raise UsageError("there are no dialogues to judge")
    metrics: tuple[Metric[Any], ...] = formulas()
    counts = tally(metrics, [one.id for one in dialogues], [counted(one, claims) for one in dialogues])
    known = [one for one in metrics if counts.sums()[counts.positions(one.columns)][1] > 0]
    parts = ("proactive", VARIANT, f"n {len(dialogues)}", f"goals {goals_hash[:8]}", f"{len(claims)} objects", "v1")
    found = scores(counts, known, seed=seed, signature=" | ".join(parts), resamples=_RESAMPLES)
    return Report(
        task="proactive",
        variant=VARIANT,
        n=len(dialogues),
        scores=found,
        rank_by="goal-completion",
        signature=sign(known, *parts),
        columns=counts.columns,
        items=counts.rows(),
        problems=tuple(problem for one in dialogues for problem in _problems(one, claims)),
    )


def _problems(dialogue: Dialogue, claims: Claims) -> Iterator[Problem]:
    """Yield a warning per flaw of a dialogue, in the order of its turns."""
    for flaw in sorted(chain(*flaws(dialogue, claims)), key=lambda one: one.turn):
        said = dialogue.turns[flaw.turn].text
        if flaw.what:
            message = f"nothing bears out {', '.join(flaw.what)}: {said}"
        else:
            message = f"the agent has said this before: {said}"
        rule = "fact-unfounded" if flaw.what else "utterance-repeated"
        place = f"dialogue '{dialogue.id}', utterance {flaw.turn} (from 0)"
        yield Problem(rule=rule, severity="warning", place=place, message=message)
