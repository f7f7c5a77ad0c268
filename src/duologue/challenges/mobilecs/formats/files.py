"""Reads and writes the official files of both tracks (specification, sections 1, 6.1 and 8.1).

All are one JSON list in the official layout: two blanks per level, Chinese unescaped, no final newline. Records keep
their decoded row in `source`, key order included, so that writing reproduces it.
"""

from __future__ import annotations

import json
import logging
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from duologue.challenges.mobilecs.formats import raw, track2
from duologue.challenges.mobilecs.formats.annotated_rows import annotated_row
from duologue.challenges.mobilecs.formats.issues import Issues
from duologue.challenges.mobilecs.knowledge.goal import goal_row
from duologue.challenges.mobilecs.knowledge.kb import base_of
from duologue.challenges.mobilecs.schema.intents import acts_of, intent_of
from duologue.challenges.mobilecs.schema.ontology import (
    GENERATED,
    GENERATED_REPLY,
    GENERATED_STAFF_INTENT,
    GENERATED_USER_INTENT,
    STAFF_INTENT,
    STAFF_TEXT,
    USER,
    USER_INTENT,
    USER_TEXT,
)
from duologue.core import disk
from duologue.core.decoded import is_text
from duologue.core.errors import AnswerError, FormatError, UsageError
from duologue.core.gc_pause import gc_paused
from duologue.core.records import Annotation, Answer, Problem, Submission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from duologue.core.records import Dialogue, Example, Mention, Span

EXTRACTION_LAYOUT, DIALOGUE_LAYOUT = "mobilecs-extraction-result", "mobilecs-dialogue-result"
"""Names of the result formats in `Submission.layout`."""

Loaded = TypeVar("Loaded")

_WARNINGS_LOGGED = 20
_LOG = logging.getLogger(__name__)


def load_raw(path: Path) -> list[Dialogue]:
    """Return the dialogues of a raw file (the first public version too), in its order.

    Odd cases are repaired with a logged warning. Raises `FormatError` with all problems and `StorageError`.
    """
    return _load(path, raw.read_dialogues)


def load_extraction(path: Path) -> list[Example]:
    """Return one example per raw dialogue: its bare turns, and its mentions and values as the reference.

    Odd cases and errors are those of `load_raw`.
    """
    return _load(path, raw.read_examples)


def load_dialogue(path: Path) -> list[Example]:
    """Return one example per turn of a track 2 file. Raises `FormatError` with all problems and `StorageError`."""
    return _load(path, track2.read_examples)


def _load(path: Path, read: Callable[[Any, Issues], list[Loaded]]) -> list[Loaded]:
    issues = Issues()
    with gc_paused():
        found = read(decode(path, issues), issues)
    raise_or_log(path, issues)
    return found


def decode(path: Path, issues: Issues) -> Any:
    """Return the decoded rows of a file; `issues` gets the warnings about its bytes."""
    rows, data, warnings = disk.read_json(path)
    issues.take(warnings)
    issues.whole = b"\\ud" not in data and b"\\uD" not in data
    return rows


def raise_or_log(path: Path, issues: Issues) -> None:
    """Raise `FormatError` for a file with errors; log the warnings of any other."""
    if issues.errors:
        raise FormatError(path, issues.problems)
    for problem in issues.problems[:_WARNINGS_LOGGED]:
        _LOG.warning("%s: %s: %s; %s", path, problem.place, problem.message, problem.advice or "read all the same")
    if len(issues.problems) > _WARNINGS_LOGGED:
        _LOG.warning("%s: %d more warnings", path, len(issues.problems) - _WARNINGS_LOGGED)


def read_result(path: Path, layout: str) -> Submission:
    """Return a result file as it is, with the problems of its bytes: packing, encoding, JSON.

    The rows are for the checkers. Raises `StorageError` if the file cannot be read.
    """
    data, problems, rows = b"", list[Problem](), None
    try:
        data = disk.read_bytes(path)
        text, problems = disk.decode_text(data, path)
        with gc_paused():
            rows = disk.decode_json(text, path)
    except FormatError as error:
        problems = [*problems, *error.problems]
    found = disk.sha256(data) if data else ""
    return Submission(rows=rows, layout=layout, problems=tuple(problems), hash=found, path=str(path))


def dump(rows: Any) -> bytes:
    """Return rows in the official layout. Raises `UsageError` for text that UTF-8 cannot encode."""
    try:
        return json.dumps(rows, ensure_ascii=False, indent=2).encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(f"a text holds half a surrogate pair, which UTF-8 cannot say: {error.reason}") from error


def write_raw(dialogues: Iterable[Dialogue], path: Path) -> None:
    """Write raw dialogues as they were read. Raises `UsageError` for a dialogue that was not read from a raw file."""
    rows = []
    for dialogue in dialogues:
        if dialogue.source is None:
            raise UsageError(f"dialogue '{dialogue.id}' was not read from a raw file")
        rows.append(dialogue.source)
    disk.write_bytes(path, dump(rows))


def write_annotated(dialogues: Iterable[Dialogue], path: Path) -> None:
    """Write dialogues that people annotated as a raw file; turns whose annotation is as it was read, as they were."""
    disk.write_bytes(path, dump([annotated_row(one) for one in dialogues]))


def write_dialogues(examples: Iterable[Example], path: Path) -> None:
    """Write the track 2 dialogues that the examples were read from, as they were."""
    sources = {id(example.source): example.source for example in examples}
    rows = [row for source in sources.values() for _, row in track2.with_neighbours("", source)]
    disk.write_bytes(path, dump(rows))


def write_extraction(answers: Iterable[tuple[str, Answer]], path: Path) -> None:
    """Write a track 1 result file: mentions and values of each dialogue, with turn and utterance.

    Raises `AnswerError` for an answer without annotation, or a mention or value without a span.
    """
    disk.write_bytes(path, dump([_extraction_row(name, answer) for name, answer in answers]))


def _extraction_row(name: str, answer: Answer) -> dict[str, Any]:
    if answer.annotation is None:
        raise AnswerError(f"the answer to dialogue '{name}' has no annotation; this task finds mentions and values")
    mentions, values = answer.annotation.mentions, answer.annotation.values
    names = {one.entity: one.text for one in reversed(mentions)}
    return {
        "id": name,
        "entities": [
            {"id": _entity(one, name), "name": one.text, "type": one.label, **_place(one.span, name)}
            for one in mentions
        ],
        "triples": [
            {
                "ent-id": one.entity or USER,
                "ent-name": names.get(one.entity, USER) if one.entity else USER,
                "prop": one.slot,
                "value": one.text,
                **_place(one.span, name),
            }
            for one in values
        ],
    }


def _entity(mention: Mention, name: str) -> str:
    if mention.entity is None:
        raise AnswerError(f"dialogue '{name}': the mention '{mention.text}' belongs to no entity; give it an id")
    return mention.entity


def _place(span: Span | None, name: str) -> dict[str, Any]:
    """Return position, official turn and utterance; the utterance distinguishes the two sides of a turn."""
    if span is None:
        raise AnswerError(f"dialogue '{name}': a mention or value without a span cannot be written")
    return {"position": [span.start, span.end], "turn_id": span.turn // 2, "utterance_id": span.turn}


def write_replies(examples: Iterable[Example], answers: Iterable[tuple[str, Answer]], path: Path) -> None:
    """Write a track 2 result file: the test file, from which the examples were read, with its blanks filled.

    A dialogue of no example is written without knowledge base and user texts. Dialogues come in the order of their
    first answers. A turn without an answer, or with one that has neither text nor annotation, gets no generated
    fields. Raises `UsageError` for an id that is not that of a turn.
    """
    by_dialogue: dict[str, dict[int, Answer]] = {}
    for sample_id, answer in answers:
        place = track2.place_of(sample_id)
        if place is None:
            raise UsageError(f"'{sample_id}' is not the id of a turn, such as 1c34{track2.TURN_MARK}0")
        by_dialogue.setdefault(place[0], {})[place[1]] = answer
    known = {example.sample.dialogue_id: example.source for example in examples}
    disk.write_bytes(path, dump([_reply_row(name, turns, known.get(name)) for name, turns in by_dialogue.items()]))


def _reply_row(name: str, answers: dict[int, Answer], test: Mapping[str, Any] | None) -> dict[str, Any]:
    texts = [{USER_TEXT: turn[USER_TEXT]} for turn in test["content"]] if test is not None else []
    texts += [{} for _ in range(len(texts), max(answers) + 1)]
    content = [{**text, **_generated(answers.get(number))} for number, text in enumerate(texts)]
    return {"id": name, **({"KB": test["KB"]} if test is not None else {}), "content": content}


def write_conversations(dialogues: Iterable[Dialogue], path: Path) -> None:
    """Write whole conversations, the user first, as track 2 dialogues with the system's fields filled.

    The last words of the user, which nobody answers, are left out, as the official preprocessing does.
    """
    disk.write_bytes(path, dump([conversation_row(one) for one in dialogues]))


def conversation_row(dialogue: Dialogue) -> dict[str, Any]:
    """Return the track 2 row of a conversation; the scorers take it as it is."""
    content = []
    for user, system in pairwise(dialogue.turns):
        if (user.speaker, system.speaker) == ("user", "system"):
            said = user.annotation.acts if user.annotation is not None else ()
            generated = _generated(Answer(text=system.text, annotation=system.annotation))
            staff = {STAFF_TEXT: system.text, USER_INTENT: intent_of(said)}
            staff[STAFF_INTENT] = generated[GENERATED_STAFF_INTENT]
            content.append({USER_TEXT: user.text, **staff, **generated})
    goal = {} if dialogue.goal is None else goal_row(dialogue.goal)
    return {"id": dialogue.id, "KB": base_of(dialogue.knowledge), "goal": goal, "content": content}


def _generated(answer: Answer | None) -> dict[str, str]:
    if answer is None or (answer.text is None and answer.annotation is None):
        return {}
    acts = answer.annotation.acts if answer.annotation is not None else ()
    filled = (
        intent_of(act for act in acts if act.speaker == "user"),
        intent_of(act for act in acts if act.speaker == "system"),
        answer.text or "",
    )
    return dict(zip(GENERATED, filled, strict=True))


def answer_of(turn: Mapping[str, Any]) -> Answer:
    """Return the answer in a turn of a result file; parts that are not given are `None`."""
    intents = [
        acts_of(turn[key], speaker) if is_text(turn.get(key)) else None
        for key, speaker in ((GENERATED_USER_INTENT, "user"), (GENERATED_STAFF_INTENT, "system"))
    ]
    annotation = None
    if any(acts is not None for acts in intents):
        annotation = Annotation(acts=tuple(act for acts in intents for act in acts or ()))
    reply = turn.get(GENERATED_REPLY)
    return Answer(text=reply if is_text(reply) else None, annotation=annotation)
