"""Validation rules for the rows of data files; all problems are collected (specification, section 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core import problems
from duologue.core.decoded import is_text, shown
from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA_RULES = {
    "foreign-file": "a very large file holds dialogues",
    "not-a-list": "a file holds one JSON list",
    "item-not-object": "each item of the list is an object",
    "dialog-id-missing": "each dialogue has a `dialog_id`",
    "dialog-id-type": "a `dialog_id` is a text that is not empty",
    "dialog-id-repeated": "no two dialogues have the same `dialog_id`",
    "utterances-missing": "each dialogue of a data file has `utterances`",
    "utterances-type": "`utterances` is a list of texts of whole characters, not empty",
    "candidates-missing": "each dialogue of a data file has `candidates`",
    "candidates-type": "`candidates` is a list of objects, not empty",
    "candidate-id-missing": "each candidate has a `candidate_id`",
    "candidate-id-type": "a `candidate_id` is a text that is not empty",
    "candidate-id-repeated": "no two candidates of a dialogue have the same `candidate_id`",
    "candidate-text": "each candidate has an `utterance`, a text",
    "answer-type": "an `answer` is an object with `candidate_id` and `utterance`",
    "answer-unknown": "the answer is one of the candidates of its dialogue",
    "answer-differs": "the answer has the same text as the candidate of its id",
    problems.RULE: problems.RULE_SAYS,
}
"""Ids of the rules for data files, and what each demands."""

NOT_A_LIST = "[Error] The result file should be a list ..."
"""What the official programs print for a file that holds no list."""


def place_of(row: Any, number: int) -> str:
    """Return how messages name a row: by its dialogue id, or by its number in the list, from 1."""
    name = row.get("dialog_id") if isinstance(row, dict) else None
    return f"dialogue {shown(name)}" if isinstance(name, str) and name else f"item {number}"


def data_problems(rows: list[Any]) -> list[Problem]:
    """Return all problems of the rows of a data file; of more than 1,000 the others are counted."""
    return list(problems.capped(_data_problems(rows)))


def _data_problems(rows: list[Any]) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        place = place_of(row, number)
        yield from (placed(problem, place) for problem in _row_problems(row))
        name = row.get("dialog_id") if isinstance(row, dict) else None
        if isinstance(name, str) and name:
            if name in seen:
                message = f"item {number} has the same dialog_id as item {seen[name]}"
                yield Problem(rule="dialog-id-repeated", place=place, message=message)
            seen.setdefault(name, number)


def placed(problem: Problem, place: str) -> Problem:
    """Return a problem of a part with the place of the whole put before its own."""
    return msgspec.structs.replace(problem, place=f"{place}, {problem.place}" if problem.place else place)


def _row_problems(row: Any) -> Iterator[Problem]:
    if not isinstance(row, dict):
        yield Problem(rule="item-not-object", message=f"found {shown(row)}, expected an object with dialog_id")
        return
    yield from id_problems(row, "dialog_id", "dialog-id")
    yield from _utterance_problems(row)
    yield from _candidate_problems(row)
    if row.get("answer") is not None:
        yield from _answer_problems(row["answer"], row.get("candidates"))


def id_problems(row: dict[str, Any], field: str, rule: str) -> Iterator[Problem]:
    """Yield what is wrong with an id: missing or null (`<rule>-missing`), or no text (`<rule>-type`)."""
    found = row.get(field)
    if found is None:
        yield Problem(rule=f"{rule}-missing", message=f"there is no '{field}'", advice=_near(field, row))
    elif not is_text(found) or not found:
        message = f"'{field}' is {shown(found)}, expected a text that is not empty"
        yield Problem(rule=f"{rule}-type", message=message)


def _near(field: str, row: dict[str, Any]) -> str:
    """Return advice when the row has nearly the field: other case, blanks or dashes."""
    for key in row:
        if isinstance(key, str) and key != field and key.strip().lower().replace("-", "_") == field:
            return f"rename {shown(key)} to '{field}'"
    return ""


def _utterance_problems(row: dict[str, Any]) -> Iterator[Problem]:
    found = row.get("utterances")
    if found is None:
        yield Problem(rule="utterances-missing", message="there are no 'utterances'", advice=_near("utterances", row))
    elif not isinstance(found, list) or not found:
        message = f"'utterances' is {shown(found)}, expected a list of texts, not empty"
        yield Problem(rule="utterances-type", message=message)
    else:
        for number, text in enumerate(found, start=1):
            if not is_text(text):
                message = f"found {shown(text)}, expected a text"
                yield Problem(rule="utterances-type", place=f"utterance {number}", message=message)


def _candidate_problems(row: dict[str, Any]) -> Iterator[Problem]:
    found = row.get("candidates")
    if found is None:
        yield Problem(rule="candidates-missing", message="there are no 'candidates'", advice=_near("candidates", row))
        return
    if not isinstance(found, list) or not found:
        message = f"'candidates' is {shown(found)}, expected a list of objects, not empty"
        yield Problem(rule="candidates-type", message=message)
        return
    seen: dict[str, int] = {}
    for number, candidate in enumerate(found, start=1):
        place = f"candidate {number}"
        if not isinstance(candidate, dict):
            message = f"found {shown(candidate)}, expected an object with candidate_id and utterance"
            yield Problem(rule="candidates-type", place=place, message=message)
            continue
        for problem in id_problems(candidate, "candidate_id", "candidate-id"):
            yield placed(problem, place)
        name = candidate.get("candidate_id")
        if isinstance(name, str) and name in seen:
            message = f"id {shown(name)} is already that of candidate {seen[name]}"
            yield Problem(rule="candidate-id-repeated", place=place, message=message)
        elif isinstance(name, str):
            seen[name] = number
        if not is_text(candidate.get("utterance")):
            message = f"'utterance' is {shown(candidate.get('utterance'))}, expected a text"
            yield Problem(rule="candidate-text", place=place, message=message)


def _answer_problems(answer: Any, candidates: Any) -> Iterator[Problem]:
    if (
        not isinstance(answer, dict)
        or not isinstance(answer.get("candidate_id"), str)
        or not is_text(answer.get("utterance"))
    ):
        message = f"'answer' is {shown(answer)}, expected an object with candidate_id and utterance, both texts"
        yield Problem(rule="answer-type", message=message)
        return
    if not isinstance(candidates, list):
        return
    texts = {
        one["candidate_id"]: one.get("utterance")
        for one in candidates
        if isinstance(one, dict) and isinstance(one.get("candidate_id"), str)
    }
    name, text = answer["candidate_id"], answer["utterance"]
    if name not in texts:
        message = f"the answer {shown(name)} is not among the {len(candidates)} candidates"
        yield Problem(rule="answer-unknown", message=message)
    elif isinstance(texts[name], str) and texts[name] != text:
        message = f"the answer says {shown(text)}, the candidate of that id says {shown(texts[name])}"
        yield Problem(rule="answer-differs", message=message)
