"""Checks a track 2 result file and reports all its problems at once (specification, sections 8.1 and 15).

Variant `official` accepts every file that the official scorer gets through. Variant `strict` requires all three
generated texts for every turn of the data.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats import track2
from duologue.challenges.mobilecs.formats.files import answer_of
from duologue.challenges.mobilecs.formats.issues import Issues, odd_field, open_rows
from duologue.challenges.mobilecs.formats.track2 import TURN_MARK, with_neighbours
from duologue.challenges.mobilecs.schema.english import bilingual
from duologue.challenges.mobilecs.schema.intents import STAFF_LABELS, USER_LABELS, entity_argument
from duologue.challenges.mobilecs.schema.ontology import (
    GENERATED,
    GENERATED_USER_INTENT,
    STAFF_INTENT,
    STAFF_TEXT,
    USER_INTENT,
    USER_TEXT,
)
from duologue.challenges.mobilecs.schema.task_infos import DIALOGUE
from duologue.challenges.mobilecs.scoring import results
from duologue.challenges.mobilecs.scoring.dialogue import official
from duologue.challenges.mobilecs.scoring.official_errors import OfficialError, official_errors
from duologue.core import problems
from duologue.core.decoded import made_whole, shown
from duologue.core.errors import FormatError
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.records import Answer, Example, Submission

RULES = {
    **results.RULES,
    "content-type": "each item has `content`, a list of turns",
    "turn-type": "a turn is an object",
    "turn-missing": "each turn of the data is answered",
    "turn-unknown": "a dialogue has no more turns than in the data",
    "user-text-differs": "a turn's `用户`, where it is given, is what the user says there in the data",
    "generated-missing": "an answered turn has all of `用户意图-生成`, `客服意图-生成` and `客服-生成`",
    "generated-type": "the generated fields are texts",
    "label-unknown": "intents are labels of the inventories (a warning; they cannot be right)",
    "argument-with-id": "arguments name an entity and not its id (a warning; the official scorer never counts ids)",
    "official-crash": "the official scorer gets through the file",
    problems.RULE: problems.RULE_SAYS,
}
"""Ids of the rules for track 2 result files, and what each demands."""

_LABELS = {"user": USER_LABELS, "system": STAFF_LABELS}


@dataclass(frozen=True, slots=True)
class CheckedReplies:
    """Problems and usable answers of a result file under the strict rules."""

    problems: tuple[Problem, ...]
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """Answers by sample id, without turns that have an error of their own."""


def check(submission: Submission, examples: Sequence[Example] | None, variant: str) -> tuple[Problem, ...]:
    """Return all problems of a result file, warnings included, at most about 1,000 errors and as many warnings.

    `examples` is the data, if known; without references the official check looks at the generated fields alone.
    Raises `UsageError` for an unknown variant.
    """
    DIALOGUE.expect_variant(variant)
    if variant == "official":
        return _official(submission, examples)
    return examine(submission, examples).problems


def _official(submission: Submission, examples: Sequence[Example] | None) -> tuple[Problem, ...]:
    unreadable = results.unreadable_officially(submission)
    if unreadable:
        return unreadable
    try:
        if examples and any(example.references for example in examples):
            return tuple(division_problems(official.score(merged(examples, submission.rows))))
        _replay_on_generated(submission.rows)
    except OfficialError as error:
        return (error.problem(),)
    return ()


def division_problems(scored: Sequence[official.ScoredDialogue]) -> list[Problem]:
    """Return each division by zero of the official program as a problem."""
    message, advice = "the official track 2 scorer ends with ZeroDivisionError", "variant strict has 0 for 0 / 0"
    return [
        Problem(rule="official-crash", message=f"{message}: {reason}", advice=advice)
        for reason in official.divisions_by_zero(scored)
    ]


def _replay_on_generated(rows: Any) -> None:
    """Process the generated fields as the scorer does, without the gold fields it compares them to."""
    with official_errors("track 2 scorer"):
        for row in rows:
            for turn in row["content"]:
                if GENERATED_USER_INTENT in turn:
                    for key in GENERATED:
                        turn[key].split(",")


def gold_dialogues(examples: Sequence[Example]) -> dict[str, Any]:
    """Return the source rows of the examples by dialogue id, including those of dialogues without turns."""
    sources = {example.sample.dialogue_id: example.source for example in examples}
    return dict(one for name, source in sources.items() for one in with_neighbours(name, source))


def merged(examples: Sequence[Example], rows: Any) -> list[dict[str, Any]]:
    """Return the dialogues with gold and generated fields, as the official scorer reads them.

    Rows are merged into the dialogue of the same id; the n-th row of an id into its n-th dialogue. A row of another id
    stays as it is, and a dialogue without a row has no generated fields. Raises `OfficialError` for rows of a shape
    that the scorer cannot read.
    """
    with official_errors("track 2 scorer"):
        waiting: dict[str, list[Any]] = {}
        golds = list(gold_dialogues(examples).values())
        for gold in golds:
            waiting.setdefault(name_of(gold), []).append(gold)
        found = []
        for row in rows:
            own = waiting.get(name_of(row), [])
            found.append(_merge(own.pop(0), row) if own else row)
        found += [_merge(gold, {"content": []}) for left in waiting.values() for gold in left]
        return found


def name_of(row: Mapping[str, Any]) -> str:
    """Return the id of a dialogue as a text, whatever its type: the official scorer never looks at it."""
    found = row.get("id")
    return made_whole(found) if isinstance(found, str) else json.dumps(found)


def _merge(gold: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    content = []
    for number, turn in enumerate(gold["content"]):
        kept = {key: value for key, value in turn.items() if key not in GENERATED}
        answered = row["content"][number] if number < len(row["content"]) else {}
        content.append({**kept, **{key: answered[key] for key in GENERATED if key in answered}})
    content += row["content"][len(content) :]
    return {**gold, "content": content}


def own_truth(submission: Submission) -> list[Example]:
    """Return the examples of a whole submission, which contains its gold fields (`客服`, intents, `goal`) itself.

    They are read as from a data file, without the generated fields. Raises `FormatError` for a file of another form
    or with gold fields missing.
    """
    issues = Issues(submission.problems)
    if results.is_unreadable(submission):
        raise FormatError(submission.path, issues.problems)
    rows = open_rows(submission.rows, issues)
    found = track2.read_examples([_without_generated(row) for row in rows], issues)
    if issues.errors:
        raise FormatError(submission.path, issues.problems)
    lacking = {key for row in rows for turn in row["content"] for key in _GOLD_FIELDS if key not in turn}
    lacking |= {"goal" for row in rows if row.get("goal") is None}
    if lacking or not found:
        message = f"the file is to be its own truth and does not hold {', '.join(sorted(lacking)) or 'any turn'}"
        advice = "give the truth with --gold"
        raise FormatError(submission.path, [Problem(rule="truth-unknown", message=message, advice=advice)])
    return found


_GOLD_FIELDS = (STAFF_TEXT, USER_INTENT, STAFF_INTENT)


def _without_generated(row: Any) -> Any:
    if not isinstance(row, dict) or not isinstance(row.get("content"), list):
        return row
    content = [
        {key: value for key, value in turn.items() if key not in GENERATED} if isinstance(turn, dict) else turn
        for turn in row["content"]
    ]
    return {**row, "content": content}


def examine(submission: Submission, examples: Sequence[Example] | None) -> CheckedReplies:
    """Return all problems under the strict rules, and the answers that are usable."""
    known = None if examples is None else _user_texts(examples)
    problems, dialogues = results.examine(submission, known, "id and content", _answers)
    answers = {
        f"{name}{TURN_MARK}{place}": answer for name, turns in dialogues.items() for place, answer in turns.items()
    }
    return CheckedReplies(problems, answers)


def _user_texts(examples: Sequence[Example]) -> dict[str, list[str]]:
    """Return the user's texts of each dialogue, turn by turn."""
    found: dict[str, list[str]] = {name: [] for name in gold_dialogues(examples)}
    for example in examples:
        texts = found.setdefault(example.sample.dialogue_id, [])
        texts += [turn.text for turn in example.sample.history if turn.speaker == "user"][len(texts) :]
    return found


def _answers(row: dict[str, Any], texts: list[str] | None, issues: Issues) -> dict[int, Answer]:
    """Collect the problems of a dialogue's row and return its answers by turn number."""
    content = row.get("content")
    if not isinstance(content, list):
        issues.add("content-type", "/content", odd_field(row, "content", "a list of turns"))
        return {}
    read = [_answer(turn, place, texts, issues) for place, turn in enumerate(content)]
    if texts is not None and len(content) < len(texts):
        message = f"{len(content)} of {len(texts)} turns are there; the rest has no answer"
        issues.add("turn-missing", "/content", message)
    return {place: answer for place, answer in enumerate(read) if answer is not None}


def _answer(turn: Any, place: int, texts: list[str] | None, issues: Issues) -> Answer | None:
    pointer = f"/content/{place}"
    if not isinstance(turn, dict):
        issues.add("turn-type", pointer, f"found {shown(turn)}, expected an object")
        return None
    if texts is not None:
        if place >= len(texts):
            issues.add("turn-unknown", pointer, f"the dialogue has {len(texts)} turns in the data")
            return None
        if USER_TEXT in turn and turn[USER_TEXT] != texts[place]:
            message = f"the user says {shown(texts[place])} in the data, found {shown(turn[USER_TEXT])}"
            issues.add("user-text-differs", f"{pointer}/{USER_TEXT}", message, "are the answers in their places?")
            return None
    given = [key for key in GENERATED if key in turn]
    if not given:
        severity = "error" if texts is not None else "warning"  # the data says which turns are to be answered
        issues.add("turn-missing", pointer, "the turn has no generated fields, so it has no answer", severity=severity)
        return None
    lacking = [key for key in GENERATED if key not in turn]
    if lacking:
        issues.add("generated-missing", pointer, f"there is no {', '.join(map(repr, lacking))}")
        return None
    if not issues.expect_texts(turn, GENERATED, "generated-type", pointer, empty=True):
        return None
    answer = answer_of(turn)
    _warn_of_acts(answer, pointer, issues)
    return answer


def _warn_of_acts(answer: Answer, pointer: str, issues: Issues) -> None:
    for act in answer.annotation.acts if answer.annotation is not None else ():
        if act.name not in _LABELS[act.speaker]:
            advice = f"the labels are {', '.join(map(bilingual, _LABELS[act.speaker]))}"
            issues.warn("label-unknown", pointer, f"{shown(act.name)} is no label of the {act.speaker}", advice)
        if act.speaker == "user" and any(entity_argument(argument) for argument in act.args):
            advice = "write <name>-<slot> with a name of the knowledge base"
            issues.warn("argument-with-id", pointer, "an argument has an entity id, not a name", advice)
