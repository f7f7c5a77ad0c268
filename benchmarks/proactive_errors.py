"""What is wrong with bad replies, by rules, and dialogues to read: counts for the page, texts for the work folder.

A bad reply is one of the fifth with the lowest F1. A rule compares it with what the person said in its place, so that
a rule tells a difference, not always a fault: many replies are possible. All rules that hold are noted; a reply is
counted under the first of them, in the order of `KINDS`.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.proactive.knowledge import goal_completion, mentioned_objects, usable_facts, without_spaces
from duologue.metrics.overlap import count_overlap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duologue.core.records import Example
    from proactive_rows import Result

_BAD = 50
"""Bad replies that are looked at."""
_WORST = 5
"""They are drawn among one in so many, those with the lowest F1."""
_DIALOGUES = 10
_SHORT, _LONG = 0.5, 2.0
"""Share of the person's characters below which a reply is short, and above which it is long."""

_ASKS = re.compile(r"[？?]|[吗呢]\W*$|谁|什么|哪|几|怎么|多少")
_MERE_WONDER = re.compile(r"(真的|是|对)吗\W*|几乎|没什么")
"""What looks like a question and wants no answer."""


class Case(NamedTuple):
    """A reply beside the person's, texts without white space."""

    turn: int
    """The agent's turn, from 0."""
    heard: str
    """What the user said last; empty at the start."""
    before: str
    """All that was said."""
    topics: tuple[str, str]
    said: str
    wanted: str
    facts_said: frozenset[str]
    """Objects of the knowledge that the reply mentions."""
    facts_wanted: frozenset[str]


def case_of(one: Example, reply: str) -> Case:
    """Return a reply beside that of the person."""
    sample, facts = one.sample, usable_facts(one.sample)
    assert sample.goal is not None
    first, second = map(without_spaces, sample.goal.topics)
    wanted = one.references[0].text or ""
    return Case(
        turn=len(sample.history) // 2,
        heard=without_spaces(sample.history[-1].text) if sample.history else "",
        before="\n".join(without_spaces(turn.text) for turn in sample.history),
        topics=(first, second),
        said=without_spaces(reply),
        wanted=without_spaces(wanted),
        facts_said=mentioned_objects(reply, facts),
        facts_wanted=mentioned_objects(wanted, facts),
    )


def asks(text: str) -> bool:
    """Tell whether an utterance asks something.

    >>> asks("他 是 谁 ？"), asks("你 看 过 吗"), asks("真 的 吗 ？"), asks("很 好看 。")
    (True, True, False, False)
    """
    return bool(_ASKS.search(_MERE_WONDER.sub("", without_spaces(text))))


def _names(case: Case, topic: int, *, ours: bool) -> bool:
    """Tell whether a topic is named for the first time by one of the replies, ours or the person's, and not by both."""
    name = case.topics[topic]
    one, other = (case.said, case.wanted) if ours else (case.wanted, case.said)
    return name in one and name not in other and name not in case.before


def _unanswered(case: Case) -> bool:
    return asks(case.heard) and bool(case.facts_wanted) and not case.facts_said & case.facts_wanted


def _other_fact(case: Case) -> bool:
    return bool(case.facts_said and case.facts_wanted) and not case.facts_said & case.facts_wanted


KINDS: dict[str, tuple[str, Callable[[Case], bool]]] = {
    "opening": ("the first turn, where nothing was said before", lambda case: not case.turn),
    "question ignored": ("the user asked, the person answered with facts, the reply has none of them", _unanswered),
    "B too early": ("the reply names B first, the person does not yet", lambda case: _names(case, 1, ours=True)),
    "B too late": ("the person names B first, the reply does not yet", lambda case: _names(case, 1, ours=False)),
    "A too early": ("the reply names A first, the person does not yet", lambda case: _names(case, 0, ours=True)),
    "A too late": ("the person names A first, the reply does not yet", lambda case: _names(case, 0, ours=False)),
    "other fact": ("both use facts, none in common", _other_fact),
    "fact missing": ("the person uses a fact, the reply none", lambda case: bool(case.facts_wanted > case.facts_said)),
    "fact needless": ("the reply uses a fact, the person none", lambda case: bool(case.facts_said > case.facts_wanted)),
    "states": ("the person asks, the reply does not", lambda case: asks(case.wanted) and not asks(case.said)),
    "asks": ("the reply asks, the person does not", lambda case: asks(case.said) and not asks(case.wanted)),
    "too short": ("less than half as long as the person's", lambda case: len(case.said) < _SHORT * len(case.wanted)),
    "too long": ("more than twice as long as the person's", lambda case: len(case.said) > _LONG * len(case.wanted)),
    "other words": ("none of these", lambda case: True),  # noqa: ARG005  # what is left over
}
"""Per kind what it means, and its rule."""


def kinds_of(case: Case) -> list[str]:
    """Return the kinds whose rules hold for a reply, in the order of `KINDS`; `other words` only where it is alone."""
    found = [name for name, (_, holds) in KINDS.items() if holds(case)]
    return found[:-1] or found


def f1_of(one: Example, reply: str) -> float:
    """Return the F1 of characters of one reply, a fraction."""
    found = count_overlap(without_spaces(reply), without_spaces(one.references[0].text or ""))
    return 2 * found.hits / max(1, found.said + found.wanted)


def bad_places(examples: Sequence[Example], replies: Sequence[str], seed: int) -> list[int]:
    """Return the places of 50 replies drawn by seed among the fifth with the lowest F1; of equal ones the first."""
    order = sorted(range(len(replies)), key=lambda place: f1_of(examples[place], replies[place]))
    worst = order[: max(1, len(order) // _WORST)]
    return sorted(random.Random(seed).sample(worst, min(_BAD, len(worst))))


def errors_table(examples: Sequence[Example], result: Result, seed: int) -> list[str]:
    """Return a table of the kinds of bad replies: how many are counted under each, and for how many its rule holds."""
    found = [kinds_of(case_of(examples[place], result.replies[place])) for place in _bad(examples, result, seed)]
    lines = ["| kind | replies | rule holds | rule |", "|---|---|---|---|"]
    for name, (rule, _) in KINDS.items():
        first, any_ = sum(kinds[0] == name for kinds in found), sum(name in kinds for kinds in found)
        if any_:
            lines.append(f"| {name} | {first} | {any_} | {rule} |")
    return lines


def errors_text(examples: Sequence[Example], result: Result, seed: int) -> str:
    """Return the bad replies with what was said before, what the person said, and their kinds."""
    parts = [f"# Bad replies of {result.row.name}, trained on {result.row.regime}\n"]
    for place in _bad(examples, result, seed):
        one, reply = examples[place], result.replies[place]
        kinds = ", ".join(kinds_of(case_of(one, reply)))
        before = [f"- {turn.speaker}: {turn.text}" for turn in one.sample.history[-3:]]
        told = [f"- person: {one.references[0].text}", f"- reply: {reply} (F1 {100 * f1_of(one, reply):.0f})"]
        parts.append("\n".join([f"## {one.sample.id}: {kinds}\n", _goal(one), *before, *told]) + "\n")
    return "\n".join(parts)


def _bad(examples: Sequence[Example], result: Result, seed: int) -> list[int]:
    return bad_places(examples, result.replies, seed)


def dialogues_drawn(examples: Sequence[Example], seed: int) -> dict[str, list[int]]:
    """Return ten dialogues drawn by seed with the places of their samples, in the order of their names."""
    places: dict[str, list[int]] = {}
    for place, one in enumerate(examples):
        places.setdefault(one.sample.dialogue_id, []).append(place)
    names = sorted(places)
    return {name: places[name] for name in sorted(random.Random(seed).sample(names, min(_DIALOGUES, len(names))))}


def dialogues_table(examples: Sequence[Example], results: Sequence[Result], seed: int) -> list[str]:
    """Return a table of the drawn dialogues: turns, and per system F1 and goal completion."""
    heads = [f"{one.row.name}, {one.row.regime}" for one in results]
    lines = [f"| dialogue | turns | {' | '.join(heads)} |", f"|---|---|{'---|' * len(heads)}"]
    for name, places in dialogues_drawn(examples, seed).items():
        cells = [_dialogue_score(examples, one, places) for one in results]
        lines.append(f"| {name} | {len(places)} | {' | '.join(cells)} |")
    return lines


def _dialogue_score(examples: Sequence[Example], result: Result, places: Sequence[int]) -> str:
    """Return F1 over the characters of all turns, in percent, and goal completion."""
    replies = [result.replies[place] for place in places]
    wanted = [without_spaces(examples[place].references[0].text or "") for place in places]
    said = [count_overlap(without_spaces(reply), person) for reply, person in zip(replies, wanted, strict=True)]
    f1 = 200 * sum(one.hits for one in said) / max(1, sum(one.said + one.wanted for one in said))
    sample = examples[places[0]].sample
    assert sample.goal is not None
    return f"{f1:.1f} / {goal_completion(sample.goal.topics, usable_facts(sample), replies)}"


def dialogues_text(examples: Sequence[Example], results: Sequence[Result], seed: int) -> str:
    """Return the drawn dialogues: goal, knowledge, what people said, and what each system says in the same place."""
    parts = ["# Ten dialogues\n\nEach system replies to what the people had said before, not to its own replies.\n"]
    for name, places in dialogues_drawn(examples, seed).items():
        facts = [f"- {fact.subject} | {fact.relation} | {fact.object}" for fact in examples[places[0]].sample.knowledge]
        parts.append("\n".join([f"## {name}\n", _goal(examples[places[0]]), *facts]) + "\n")
        for place in places:
            one = examples[place]
            heard = [f"- user: {turn.text}" for turn in one.sample.history[-1:]]
            told = [f"    - {of.row.name}, {of.row.regime}: {of.replies[place]}" for of in results]
            parts.append("\n".join([*heard, f"- person: {one.references[0].text}", *told]) + "\n")
    return "\n".join(parts)


def _goal(one: Example) -> str:
    goal = one.sample.goal
    assert goal is not None
    return f"Goal: {' -> '.join(goal.topics)}\n"
