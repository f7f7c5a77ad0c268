"""Reads track 2 dialogues: re-paired turns with a local knowledge base (specification, section 8.1).

A test file has the user's side and the knowledge base. A file with the gold fields (`客服`, the intents, `goal`) also
gives references and user goals. Fields ending in `-生成` belong to result files and are ignored here.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.mobilecs.formats.issues import (
    Issues,
    expected_text,
    is_raw,
    odd_field,
    open_rows,
    row_id,
    unique_id,
)
from duologue.challenges.mobilecs.knowledge.goal import goal_of
from duologue.challenges.mobilecs.knowledge.kb import facts_of
from duologue.challenges.mobilecs.schema.intents import acts_of, entity_argument
from duologue.challenges.mobilecs.schema.ontology import (
    CONSULT,
    SPEAKERS,
    STAFF_INTENT,
    STAFF_TEXT,
    USER_INTENT,
    USER_TEXT,
)
from duologue.core import long_dialogues, problems
from duologue.core.decoded import is_text, is_whole, pointer, shown
from duologue.core.long_dialogues import long_dialogue
from duologue.core.records import Act, Annotation, Answer, Example, Fact, Goal, Sample, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Named = tuple[str, dict[str, Any]]
    """A unique id and its dialogue row."""

RULES = {
    "not-a-list": "the file holds one JSON list",
    "item-not-object": "each dialogue is an object",
    "raw-file": "the file holds re-paired turns, not raw ones",
    "dialog-id-missing": "each dialogue has an `id`",
    "dialog-id-type": "an `id` is a text that is not empty",
    "dialog-id-repeated": "no two dialogues have the same `id` (a warning; the second is called `<id>~2`)",
    "base-type": "`KB` is an object of objects of texts",
    "goal-type": "`goal`, where it is given, is an object of objects of texts, `咨询` a text or a list of them",
    "content-type": "`content` is a list of turns",
    long_dialogues.RULE: long_dialogues.RULE_SAYS,
    "turn-type": "a turn is an object",
    "user-text": "a turn has the user's text under `用户`",
    "truth-type": "`客服`, `用户意图` and `客服意图`, where they are given, are texts",
    problems.RULE: problems.RULE_SAYS,
}
"""Rules for track 2 data files by id."""

TURN_MARK = "#"
"""Separates dialogue id and turn number in the id of a sample."""


class RowWithNeighbours(dict[str, Any]):
    """A decoded dialogue with neighbours in its file that have no turns.

    A dialogue without turns (the real test data has one) gives no example, but the official scorer counts its requests
    and writers write it. So the row of the next dialogue carries it; the last dialogue carries those after it.
    """

    def __init__(self, row: Mapping[str, Any], *, before: Sequence[Named] = (), after: Sequence[Named] = ()) -> None:
        super().__init__(row)
        self.before = before
        """Dialogues without turns before this one, with their ids."""
        self.after = after
        """Those after the last dialogue of a file."""


def with_neighbours(name: str, row: Any) -> list[Named]:
    """Return a dialogue and the neighbours without turns that it carries, in the order of the file.

    >>> with_neighbours("a", {"id": "a"})
    [('a', {'id': 'a'})]
    """
    return [*row.before, (name, row), *row.after] if isinstance(row, RowWithNeighbours) else [(name, row)]


def read_examples(rows: Any, issues: Issues) -> list[Example]:
    """Return one example per turn of a decoded track 2 file; `issues` collects its problems.

    Histories have the user's side alone; `DialogueTask.rounds` adds the system's own replies. The source of an example
    is the row of its dialogue, shared by all its turns.
    """
    return [example for name, row in _with_turns(read_rows(rows, issues)) for example in _examples(row, name)]


def read_rows(rows: Any, issues: Issues) -> list[Named]:
    """Return the dialogues of a decoded track 2 file with unique ids; `issues` collects its problems."""
    found: list[Named] = []
    taken: dict[str, int] = {}
    for number, row in enumerate(open_rows(rows, issues)):
        issues.enter(number, row.get("id") if isinstance(row, dict) else None)
        before = issues.errors
        name = _row_id(row, issues)
        if name is not None and issues.errors == before:
            found.append((unique_id(name, taken, issues), row))
    return found


def _with_turns(found: Sequence[Named]) -> list[Named]:
    """Return the dialogues with turns, which carry the others as neighbours."""
    kept: list[Named] = []
    turnless: list[Named] = []
    for name, row in found:
        if not row["content"]:
            turnless.append((name, row))
            continue
        kept.append((name, RowWithNeighbours(row, before=turnless) if turnless else row))
        turnless = []
    if turnless and kept:
        name, row = kept[-1]
        before = row.before if isinstance(row, RowWithNeighbours) else ()
        kept[-1] = (name, RowWithNeighbours(row, before=before, after=turnless))
    return kept


def _row_id(row: Any, issues: Issues) -> str | None:
    """Return the id of a row, collecting all its problems."""
    if isinstance(row, list):
        issues.add("raw-file", "", "found a list of turns, as the first version of the raw data has it", _CONVERT)
        return None
    if not isinstance(row, dict):
        issues.add("item-not-object", "", f"found {shown(row)}, expected an object with id, KB and content")
        return None
    if is_raw(row):
        issues.add(
            "raw-file", "/content", f"the turns have '{SPEAKERS[0]}', as raw data has it", _convert(row["content"][0])
        )
        return None
    name = row_id(row, issues)
    if isinstance(row.get("KB"), dict):
        _expect_table(row["KB"], "base-type", "/KB", issues)
    else:
        issues.add("base-type", "/KB", odd_field(row, "KB", "an object of entities and their slots"))
    if row.get("goal") is not None:
        _expect_table(row["goal"], "goal-type", "/goal", issues)
    content = row.get("content")
    if not isinstance(content, list):
        issues.add("content-type", "/content", odd_field(row, "content", "a list of turns"))
        return None
    for place, turn in enumerate(content):
        _expect_turn(turn, f"/content/{place}", issues)
    issues.take(long_dialogue(2 * len(content), f"{issues.place}/content"))
    return name


def _convert(turn: dict[str, Any]) -> str:
    """Return what to do with a dialogue that begins with a raw turn: bare ones have no intents to convert."""
    return _CONVERT if STAFF_INTENT in turn or USER_INTENT in turn else _LOCAL


_LOCAL = "it has no intents: give it a local knowledge base with `duologue run mobilecs/extraction` and `data local-kb`"
_CONVERT = "make track 2 data of it with `duologue data convert mobilecs/dialogue --from raw --to track2`"


def _expect_table(table: Any, rule: str, place: str, issues: Issues) -> None:
    if not isinstance(table, dict):
        issues.add(rule, place, f"found {shown(table)}, expected an object")
        return
    for name, entry in table.items():
        where = place + pointer(name)
        _expect_key(name, rule, where, issues)
        if name == CONSULT and rule == "goal-type":
            if not all(map(is_text, entry if isinstance(entry, list) else [entry])):
                issues.add(rule, where, f"found {shown(entry)}, expected a text or a list of texts")
        elif not isinstance(entry, dict):
            issues.add(rule, where, f"found {shown(entry)}, expected an object of slots")
        else:
            for slot, value in entry.items():
                _expect_key(slot, rule, where + pointer(slot), issues)
                if not is_text(value):
                    issues.add(rule, where + pointer(slot), f"found {shown(value)}, expected {expected_text(value)}")


def _expect_key(key: str, rule: str, place: str, issues: Issues) -> None:
    if not is_whole(key):
        issues.add(rule, place, f"the key is {shown(key)}, expected {expected_text(key)}")


def _expect_turn(turn: Any, place: str, issues: Issues) -> None:
    if not isinstance(turn, dict):
        issues.add("turn-type", place, f"found {shown(turn)}, expected an object")
        return
    issues.expect_text(turn, USER_TEXT, "user-text", f"{place}/{USER_TEXT}", empty=True)
    for key in (STAFF_TEXT, USER_INTENT, STAFF_INTENT):
        if key in turn:
            issues.expect_text(turn, key, "truth-type", f"{place}/{key}", empty=True)


def _examples(row: dict[str, Any], name: str) -> list[Example]:
    knowledge, goal = facts_of(row["KB"]), goal_of(row.get("goal"))
    names = entity_names(knowledge)
    examples, history = [], list[Turn]()
    for number, turn in enumerate(row["content"]):
        history.append(Turn(speaker="user", text=turn[USER_TEXT]))
        examples.append(_example(row, turn, f"{name}{TURN_MARK}{number}", name, history, knowledge, goal, names))
    return examples


def _example(
    row: dict[str, Any],
    turn: dict[str, Any],
    sample_id: str,
    name: str,
    history: list[Turn],
    knowledge: tuple[Fact, ...],
    goal: Goal | None,
    names: dict[str, tuple[str, ...]],
) -> Example:
    sample = Sample(id=sample_id, dialogue_id=name, history=tuple(history), knowledge=knowledge)
    reference = reference_of(turn, names)
    return Example(sample=sample, references=(reference,) if reference else (), user_goal=goal, source=row)


def reference_of(turn: dict[str, Any], names: dict[str, tuple[str, ...]]) -> Answer | None:
    """Return the staff's reply to a turn in the form of a system's answer; `None` if the file does not have it.

    Arguments have entity names, unambiguous ones if possible: a system does not know the annotators' ids, and the
    official scorer accepts names alone.
    """
    if STAFF_TEXT not in turn:
        return None
    annotation = None
    if USER_INTENT in turn or STAFF_INTENT in turn:
        acts = (
            *named_acts(acts_of(turn.get(USER_INTENT, ""), "user"), names),
            *acts_of(turn.get(STAFF_INTENT, ""), "system"),
        )
        annotation = Annotation(acts=acts)
    return Answer(text=turn[STAFF_TEXT], annotation=annotation)


def entity_names(knowledge: tuple[Fact, ...]) -> dict[str, tuple[str, ...]]:
    """Return the names of each entity in a local knowledge base, unambiguous ones first."""
    named = ((fact.subject, fact.object) for fact in knowledge if fact.relation == "name")
    found = {subject: names if isinstance(names, tuple) else (str(names),) for subject, names in named}
    counts = Counter(one for names in found.values() for one in set(names))
    return {subject: tuple(sorted(names, key=lambda one: counts[one] > 1)) for subject, names in found.items()}


def named_acts(acts: tuple[Act, ...], names: dict[str, tuple[str, ...]]) -> tuple[Act, ...]:
    """Return acts with `<name>-<slot>` in place of `<entity id>-<slot>` for entities with a name."""
    return tuple(msgspec.structs.replace(act, args=tuple(_named(one, names) for one in act.args)) for act in acts)


def _named(argument: str, names: dict[str, tuple[str, ...]]) -> str:
    parsed = entity_argument(argument)
    if parsed is None or parsed[0] not in names:
        return argument
    return f"{names[parsed[0]][0]}-{parsed[1]}"


def place_of(sample_id: str) -> tuple[str, int] | None:
    """Return dialogue id and turn number of a sample id; `None` for an id of another form.

    >>> place_of("1c34#2#0"), place_of("1c34")
    (('1c34#2', 0), None)
    """
    name, mark, number = sample_id.rpartition(TURN_MARK)
    return (name, int(number)) if mark and number.isascii() and number.isdecimal() and len(number) < 7 else None
