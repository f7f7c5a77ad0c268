"""Judge of finished conversations: goal completion, use of knowledge, unsupported facts, repetition, length.

Goal completion and the triples used are those of `knowledge` (specification, section 7.1), unsupported facts those
of `grounding`, coherence that of `coherence`. All are counted per dialogue, so dialogues are what intervals leave out.
Goal completion and coherence are counted by rule: their points are those of the human scales, their figures are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.proactive.knowledge import goal_completion, usable_facts, without_punctuation, without_spaces
from duologue.challenges.proactive.live import coherence
from duologue.challenges.proactive.live import free_user as free_users
from duologue.challenges.proactive.live.grounding import Evidence
from duologue.challenges.proactive.scoring.formulas import BY_RULE
from duologue.core.records import Problem, Sample
from duologue.metrics.conversation_report import conversation_report
from duologue.metrics.formulas import Ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.challenges.proactive.live.grounding import GroundingChecker
    from duologue.core.records import Dialogue, Report
    from duologue.metrics.counts import Metric

VERSION = "v2"
"""Rises when the same dialogues get other figures: v2 reads more questions and false claims, and no object inside a
topic's name."""
SHORTEST, LONGEST = 8, 18
"""Utterances of the shortest and of the longest human dialogue (visible development part)."""
_TRIPLES = 2


def formulas() -> tuple[Ratio, ...]:
    """Return the metrics of a conversation report in display order."""
    return (
        Ratio(
            "goal-completion",
            "goal points",
            "dialogues",
            f"goal-completion = goal points / dialogues, 0 to 2, {BY_RULE}",
            percent=False,
            lowest=0,
            highest=2,
            note=BY_RULE,
        ),
        Ratio(
            "coherence-by-rule",
            "coherence points",
            "dialogues",
            f"coherence-by-rule = coherence points / dialogues, 0 to 3, {BY_RULE}",
            percent=False,
            lowest=0,
            highest=3,
            note=BY_RULE,
        ),
        Ratio("topics-in-order", "in order", "dialogues"),
        Ratio("two-triples", "with two triples", "dialogues"),
        Ratio("facts-not-in-knowledge", "unfounded", "agent utterances", higher_is_better=False),
        Ratio("dialogues-with-repeats", "with repeats", "dialogues", higher_is_better=False),
        Ratio("repeated-utterances", "repeats", "agent utterances", higher_is_better=False),
        Ratio("repeated-sentences", "sentence repeats", "agent utterances", higher_is_better=False),
        Ratio("wrong-subject-type", "wrong types", "agent utterances", higher_is_better=False),
        Ratio("facts-contradicted", "contradictions", "agent utterances", higher_is_better=False),
        Ratio("questions-answered", "questions answered", "questions asked"),
        Ratio("triples-used", "triples", "dialogues", percent=False, lowest=0),
        Ratio("length-as-people", "of 8 to 18 utterances", "dialogues"),
        Ratio("utterances", "utterances", "dialogues", percent=False, lowest=0),
        Ratio("words", "words", "dialogues", percent=False, lowest=0),
        Ratio("words-per-agent-utterance", "agent words", "agent utterances", percent=False, lowest=0),
    )


class Flaw(NamedTuple):
    """An agent utterance with an unsupported fact, or a repeated one."""

    dialogue: str
    turn: int
    """Index of the utterance in the dialogue, from 0."""
    what: tuple[str, ...]
    """The unsupported objects and numbers; empty for a repeated utterance."""


def flaws(dialogue: Dialogue, checker: GroundingChecker) -> tuple[list[Flaw], list[Flaw]]:
    """Return the agent utterances with unsupported facts, and those that repeat an earlier one.

    White space and punctuation are ignored when comparing utterances.
    """
    evidence = Evidence(dialogue.goal, dialogue.knowledge)
    unsupported, repeated = [], []
    before: set[str] = set()
    for place, turn in enumerate(dialogue.turns):
        if turn.speaker != "system":
            evidence.add(turn.text)
            continue
        wrong = checker.unsupported(turn.text, evidence)
        if wrong:
            unsupported.append(Flaw(dialogue.id, place, wrong))
        said = without_punctuation(turn.text)
        if said in before:
            repeated.append(Flaw(dialogue.id, place, ()))
        before.add(said)
    return unsupported, repeated


def counted(dialogue: Dialogue, checker: GroundingChecker) -> dict[str, float]:
    """Return the counts of one finished dialogue by name."""
    said = [turn.text for turn in dialogue.turns if turn.speaker == "system"]
    facts = usable_facts(Sample(id="", dialogue_id="", knowledge=dialogue.knowledge, goal=dialogue.goal))
    points = goal_completion(dialogue.goal.topics, facts, said) if dialogue.goal is not None else 0
    texts = [without_spaces(text) for text in said]
    triples = sum(any(map(one.is_in, texts)) for one in facts)
    unsupported, repeated = flaws(dialogue, checker)
    coherent = coherence.coherence_of(dialogue)
    return {
        "dialogues": 1,
        "goal points": points,
        "coherence points": coherent.points,
        "in order": points > 0,
        "triples": triples,
        "with two triples": triples >= _TRIPLES,
        "utterances": len(dialogue.turns),
        "of 8 to 18 utterances": SHORTEST <= len(dialogue.turns) <= LONGEST,
        "words": sum(len(turn.text.split()) for turn in dialogue.turns),
        "agent utterances": len(said),
        "agent words": sum(len(text.split()) for text in said),
        "unfounded": len(unsupported),
        "repeats": len(repeated),
        "with repeats": bool(repeated),
        "sentence repeats": coherent.count(coherence.REPETITION),
        "wrong types": coherent.count(coherence.TYPE),
        "contradictions": coherent.count(coherence.CONTRADICTION),
        "questions asked": coherent.asked,
        "questions answered": coherent.asked - coherent.count(coherence.QUESTION),
    }


def judge(
    dialogues: Sequence[Dialogue], checker: GroundingChecker, *, goals_hash: str, free_user: bool = False
) -> Report:
    """Return the report on finished dialogues with 95 % intervals over dialogues.

    Every utterance with an unsupported fact and every repeated one is a warning among the problems; with `free_user` so
    is what the user says of goal and knowledge, which is counted. Raises `UsageError` without dialogues.
    """
    metrics: tuple[Metric[Any], ...] = (*formulas(), *(free_users.formulas() if free_user else ()))
    names = [one.id for one in dialogues]
    found = [counted(one, checker) | (free_users.counted(one) if free_user else {}) for one in dialogues]
    problems = [
        problem
        for one in dialogues
        for problem in (*_problems(one, checker), *(free_users.problems(one) if free_user else ()))
    ]
    return conversation_report(
        "proactive",
        names,
        found,
        metrics,
        rank_by="goal-completion",
        version=VERSION,
        options=(f"{len(checker)} objects",),
        hashes={"goals": goals_hash},
        problems=problems,
    )


def _problems(dialogue: Dialogue, checker: GroundingChecker) -> Iterator[Problem]:
    """Yield a warning per flaw of a dialogue in turn order; a whole utterance said again is named once."""
    unsupported, repeated = flaws(dialogue, checker)
    again = {flaw.turn for flaw in repeated}
    found = [(flaw.turn, "fact-unfounded", f"nothing bears out {', '.join(flaw.what)}") for flaw in unsupported]
    found += [(turn, "utterance-repeated", "the agent has said this before") for turn in again]
    found += [
        (flaw.turn, flaw.rule, _MESSAGES[flaw.rule].format(what=flaw.what))
        for flaw in coherence.coherence_of(dialogue).flaws
        if not (flaw.rule == coherence.REPETITION and flaw.turn in again)
    ]
    for turn, rule, message in sorted(found, key=lambda one: one[0]):
        place = f"dialogue '{dialogue.id}', utterance {turn} (from 0)"
        text = f"{message}: {dialogue.turns[turn].text}"
        yield Problem(rule=rule, severity="warning", place=place, message=text)


_MESSAGES = {
    coherence.TYPE: "'{what}' takes a person for a film, or a film for a person",
    coherence.CONTRADICTION: "the knowledge has another value than {what}",
    coherence.REPETITION: "the agent has said '{what}' before",
    coherence.QUESTION: "the user asked for {what}, which the knowledge has",
}
