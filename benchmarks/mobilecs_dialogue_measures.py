"""What `mobilecs_dialogue.py` measures beside the scores: values without ground, requests by kind, time, the probe."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.challenges.mobilecs.knowledge.kb import base_of
from duologue.challenges.mobilecs.schema.ontology import (
    GENERATED_REPLY,
    GENERATED_STAFF_INTENT,
    GENERATED_USER_INTENT,
    NOISE,
    STAFF_TEXT,
)
from duologue.challenges.mobilecs.scoring.dialogue.strict import answered_items
from duologue.challenges.mobilecs.simulator.staff_turn import StatedAmounts
from duologue.challenges.mobilecs.task import DialogueTask

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.core.records import Answer, Example

_LONGEST = 24
_MOSTLY = 0.5
COMMAS = 200


class Requests(NamedTuple):
    """Requested items that the staff answered too, by what became of them."""

    kinds: dict[str, dict[str, int]]
    """By kind of the item (slot of a service, of the user, services of a type): fates with their numbers."""


def dialogues(examples: Sequence[Example]) -> Iterator[list[Example]]:
    """Yield the turns of each dialogue."""
    found: dict[str, list[Example]] = {}
    for one in examples:
        found.setdefault(one.sample.dialogue_id, []).append(one)
    yield from found.values()


def hallucinated(examples: Sequence[Example], answers: Mapping[str, Answer]) -> dict[str, float]:
    """Return how many values the replies state, and how many of them have no ground, also as a share.

    A value is an amount by its shape (fee, volume, minutes, duration), or a name or slot value of some knowledge base
    of the test data that is knowledge in most of the people's replies that say it. It has ground where the call's base
    has it, literally or in another spelling of case and breaks, or the user has said it.
    """
    lexicon = _lexicon(examples)
    counts: Counter[str] = Counter()
    for turns in dialogues(examples):
        base = base_of(turns[0].sample.knowledge)
        known = _plain("，".join(value for slots in base.values() for value in slots.values()))
        said = ""
        for turn in turns:
            said += "，" + turn.sample.history[-1].text
            answer = answers.get(turn.sample.id)
            reply = (answer.text or "") if answer is not None else ""
            none, words = StatedAmounts({}, {}), StatedAmounts(base, {"user": {"said": said}})
            counts["replies"] += bool(reply)
            counts["amounts"] += none.groundless(reply, [])
            counts["wrong amounts"] += words.groundless(reply, [])
            stated = _stated(_plain(reply), lexicon)
            counts["texts"] += len(stated)
            counts["wrong texts"] += sum(one not in known and one not in _plain(said) for one in stated)
    total, wrong = counts["amounts"] + counts["texts"], counts["wrong amounts"] + counts["wrong texts"]
    return {**counts, "stated": total, "wrong": wrong, "share": wrong / total if total else 0.0}


def _plain(text: str) -> str:
    return text.lower().translate(str.maketrans("", "", NOISE))


def _stated(text: str, lexicon: set[str]) -> list[str]:
    """Return the entries of the lexicon in a text, the longest at each place."""
    found, start = [], 0
    while start < len(text):
        end = next((e for e in range(min(len(text), start + _LONGEST), start + 1, -1) if text[start:e] in lexicon), 0)
        if end:
            found.append(text[start:end])
        start = end or start + 1
    return found


def _lexicon(examples: Sequence[Example]) -> set[str]:
    """Return the names and values that are mostly knowledge where people say them."""
    calls = []
    for turns in dialogues(examples):
        base = base_of(turns[0].sample.knowledge)
        slots = (one for entry in base.values() for slot, one in entry.items() if slot != "type")
        values = {_plain(value) for one in slots for value in one.split(",")}
        replies = [_plain(turn.references[0].text or "") for turn in turns if turn.references]
        calls.append(({one for one in values if 1 < len(one) <= _LONGEST}, replies))
    every = set().union(*(values for values, _ in calls))
    spoken: Counter[str] = Counter()
    own: Counter[str] = Counter()
    for values, replies in calls:
        for reply in replies:
            pieces = {reply[a:e] for a in range(len(reply)) for e in range(a + 2, min(len(reply), a + _LONGEST) + 1)}
            for one in pieces & every:
                spoken[one] += 1
                own[one] += one in values
    return {one for one in every if own[one] > _MOSTLY * spoken[one]}


def requests_by_kind(examples: Sequence[Example], answers: Mapping[str, Answer]) -> Requests:
    """Return what became of the requested items that the staff answered (strict)."""
    kinds: dict[str, Counter[str]] = {}
    for turns in dialogues(examples):
        row: Any = turns[0].source
        gold = answered_items(row, [turn[STAFF_TEXT] for turn in row["content"]])
        found = (answers.get(turn.sample.id) for turn in turns)
        replies = [(one.text or "") if one is not None else "" for one in found]
        given = answered_items(row, replies)
        for item, is_answered in gold.items():
            if is_answered:
                places = [n for n, reply in enumerate(replies) if any(value in reply.lower() for value in item.values)]
                fate = "answered" if given[item] else _fate(places, item.asked_in)
                kinds.setdefault(_kind(item.values, row["KB"]), Counter())[fate] += 1
    return Requests({kind: dict(counts) for kind, counts in sorted(kinds.items())})


def _fate(places: Sequence[int], asked: frozenset[int]) -> str:
    if not places:
        return "never told"
    if len(places) > 2:
        return "told in more than two replies"
    if asked and max(places) < min(asked):
        return "told before it was asked for"
    return "told too late or among others"


def _kind(values: frozenset[str], base: Mapping[str, Mapping[str, str]]) -> str:
    owners = {
        "name" if slot == "name" else key
        for key, slots in base.items()
        for slot, joined in slots.items()
        if values & set(joined.lower().split(","))
    }
    if "NA" in owners:
        return "of the user"
    return "services of a type" if owners == {"name"} else "of a service"


def latency(system: Any, examples: Sequence[Example]) -> dict[str, float]:
    """Return milliseconds of single answers, p50 and p95, in dialogues that are played turn by turn."""
    task, times = DialogueTask(), list[float]()
    system.prepare(task.info, 1, {})
    system.answer([examples[0].sample])  # what is loaded at the first answer counts as loading
    rounds = task.rounds(examples)
    batch = next(rounds, None)
    while batch is not None:
        answers = []
        for one in batch:
            begun = time.process_time()
            answers += system.answer([one.sample])
            times.append(1000 * (time.process_time() - begun))
        try:
            batch = rounds.send(answers)
        except StopIteration:
            batch = None
    times.sort()
    return {"p50": times[len(times) // 2], "p95": times[int(len(times) * 0.95)], "turns": len(times)}


def probe(rows: Any) -> list[Any]:
    """Return the result of a system that knows nothing: constant intents, commas, the base recited at the end."""
    made = []
    for row in rows:
        values = [value for slots in row["KB"].values() for slot, value in slots.items() if slot != "type"]
        replies = ["您好", *[""] * (len(row["content"]) - 2), "，".join(values)][-len(row["content"]) :]
        turns = [
            {
                **turn,
                GENERATED_USER_INTENT: "询问",
                GENERATED_STAFF_INTENT: "通知" + "," * COMMAS,
                GENERATED_REPLY: reply,
            }
            for turn, reply in zip(row["content"], replies, strict=True)
        ]
        made.append({**row, "content": turns})
    return made
