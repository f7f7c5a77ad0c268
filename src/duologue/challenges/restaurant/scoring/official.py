"""Reimplementation of the official `score.py` and `check_validity.py`, quirks included (specification, section 10).

Both ran on Python 2. What they print on standard output and their exit status are reproduced from the bytes of
the files; an error that they do not catch gives exit status 1 after whatever was printed before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from duologue.challenges.restaurant.formats import python2
from duologue.challenges.restaurant.formats.data_rules import NOT_A_LIST

if TYPE_CHECKING:
    from collections.abc import Iterable

SLOTS = 10
"""Default of `--input-nb-candidate`: a result keeps so many ranks, so the 11th candidate is never seen."""
KS = (1, 2, 5)

NO_DIALOG_ID = "[Error] No dialog_id key founded ..."
NO_LIST = "[Error] No lst_candidate_id key founded ..."
NO_RANK = "[Error] one candidate has no rank key ..."
NO_CANDIDATE_ID = "[Error] one candidate has no candidate_id key ..."
NO_ID = "[Error] one candidate has no id key ..."
"""How the check, unlike the scorer, calls a missing candidate_id."""
VALID = "[Success]: Valid format"


Slots = dict[Any, list[Any]]
"""Dialogue id (any hashable JSON value) to candidate ids by rank, `None` where no candidate has the rank."""


@dataclass(frozen=True, slots=True)
class ProgramOutcome:
    """Output and exit status of an official program."""

    stdout: tuple[str, ...]
    """The lines on standard output."""
    exit_code: int
    error: str = ""
    """Why it ended early, in words; empty when it did not."""
    result: Slots = field(default_factory=dict)
    """Scorer only: the result file as it was understood."""
    truth: Slots = field(default_factory=dict)
    """Scorer only: the truth file as it was understood, one slot per dialogue."""

    def rank(self, dialogue: Any) -> int | None:
        """Return the slot, from 1, in which the scorer first finds the truth of a dialogue; `None` for none."""
        if dialogue not in self.result or dialogue not in self.truth:
            return None
        return _place(self.truth[dialogue][0], self.result[dialogue])


class _StopError(Exception):
    """The program ends with exit status 1: by itself, or by an error that it does not catch."""


def score(result: bytes, truth: bytes, n: int = SLOTS) -> ProgramOutcome:
    """Return what `score.py --input-nb-candidate n` does with the bytes of a result and a truth file."""
    said: list[str] = []
    try:
        ranked = _collect(python2.decode(result), n, said)
        answers = _collect(python2.decode(truth), 1, said)
    except (_StopError, ValueError) as error:
        return ProgramOutcome(tuple(said), 1, str(error))
    return _compare(ranked, answers, said)


def score_rows(result: Any, truth: Any, n: int = SLOTS) -> ProgramOutcome:
    """Return what `score.py` does with files that hold these decoded values."""
    said: list[str] = []
    try:
        ranked = _collect(result, n, said)
        answers = _collect(truth, 1, said)
    except _StopError as error:
        return ProgramOutcome(tuple(said), 1, str(error))
    return _compare(ranked, answers, said)


def check_validity(result: bytes) -> ProgramOutcome:
    """Return what `check_validity.py` does with the bytes of a result file."""
    try:
        rows = python2.decode(result)
    except ValueError as error:
        return ProgramOutcome((), 1, str(error))
    return check_rows(rows)


def check_rows(rows: Any) -> ProgramOutcome:
    """Return what `check_validity.py` does with a file that holds this decoded value."""
    said: list[str] = []
    try:
        _check(rows, said)
    except _StopError as error:
        return ProgramOutcome(tuple(said), 1, str(error))
    return ProgramOutcome((VALID,), 0)


def _collect(rows: Any, n: int, said: list[str]) -> Slots:
    """Return the slots of a file as the scorer fills them; lines for standard output are added to `said`."""
    if not isinstance(rows, list):
        said.append(NOT_A_LIST)
        raise _StopError(NOT_A_LIST)
    slots: Slots = {}
    for item in rows:
        _expect_object(item)
        if item.get("dialog_id") is None:
            said.append(NO_DIALOG_ID)
            continue
        row: list[Any] = [None] * n
        for candidate in _candidates(item, said):
            _fill(row, candidate, said)
        try:
            slots[item["dialog_id"]] = row
        except TypeError as error:
            raise _StopError(f"dialog_id: {error}") from error
    return slots


def _fill(row: list[Any], candidate: Any, said: list[str]) -> None:
    _expect_object(candidate)
    for key, message in (("rank", NO_RANK), ("candidate_id", NO_CANDIDATE_ID)):
        if candidate.get(key) is None:
            said.append(message)
            raise _StopError(message)
    try:
        rank = python2.rank_of(candidate["rank"])
        if rank <= len(row):
            row[rank - 1] = candidate["candidate_id"]  # ranks below 1 count from the end, as negative indexes do
    except (ValueError, TypeError, IndexError) as error:
        raise _StopError(f"rank: {error}") from error


def _check(rows: Any, said: list[str]) -> None:
    if not isinstance(rows, list):
        said.append(NOT_A_LIST)
        raise _StopError(NOT_A_LIST)
    for item in rows:
        _expect_object(item)
        if item.get("dialog_id") is None:
            said.append(NO_DIALOG_ID)
            raise _StopError(NO_DIALOG_ID)
        for candidate in _candidates(item, said):
            _expect_object(candidate)
            for key, message in (("rank", NO_RANK), ("candidate_id", NO_ID)):
                if candidate.get(key) is None:
                    said.append(message)
                    raise _StopError(message)


def _candidates(item: dict[str, Any], said: list[str]) -> Iterable[Any]:
    """Return what a Python loop over `lst_candidate_id` goes through: also the letters of a text, keys of an object."""
    found = item.get("lst_candidate_id")
    if found is None:
        said.append(NO_LIST)
        raise _StopError(NO_LIST)
    if not isinstance(found, (list, str, dict)):
        raise _StopError(f"lst_candidate_id: a {type(found).__name__} is no list")
    return found


def _expect_object(value: Any) -> None:
    if not isinstance(value, dict):
        raise _StopError(f"found a {type(value).__name__} where an object is expected")


def _place(answer: Any, slots: list[Any]) -> int | None:
    """Return the first slot, from 1, that holds the answer; an empty one holds the empty answer `None`."""
    return slots.index(answer) + 1 if answer in slots else None


def _compare(result: Slots, truth: Slots, said: list[str]) -> ProgramOutcome:
    if not truth:
        return ProgramOutcome(tuple(said), 1, "the truth is empty: division by zero", result, truth)
    try:
        places = [_place(answer[0], result.get(name, [])) for name, answer in truth.items()]
    except RecursionError:
        return ProgramOutcome(tuple(said), 1, "ids that are nested too deeply cannot be compared", result, truth)
    for k in KS:
        hits = sum(place is not None and place <= k for place in places)
        said.append(f"Precision @{k}: {python2.print_float(hits / len(truth))}")
    return ProgramOutcome(tuple(said), 0, "", result, truth)
