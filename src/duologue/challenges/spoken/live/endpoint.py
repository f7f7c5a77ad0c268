"""HTTP interface of the published baseline's demo (specification, section 2.5)."""

from __future__ import annotations

import hashlib
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.spoken.schema.triples import attr_of
from duologue.core.records import Sample, Turn
from duologue.core.system_answers import answers_of
from duologue.core.typed import decode_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.protocols import System
    from duologue.core.records import Answer

FINE, NOT_UNDERSTOOD = 0, 105
"""Status codes: success; the request is not JSON or has no history."""


class _Request(msgspec.Struct):
    """`{"history": ["utterance 1", ..., "utterance n"]}`; what else is in it is passed over."""

    history: list[str]
    id: str = ""
    """Not in the baseline's form: the sample's id, for systems whose chance depends on it."""


class Endpoint:
    """Answers requests with a prepared system, one at a time: systems need not be thread-safe."""

    refusal = msgspec.json.encode({"code": NOT_UNDERSTOOD, "message": "", "attrs": []})
    """Response to an invalid request."""

    def __init__(self, system: System, world: str | None) -> None:
        self._system, self._world = system, world
        self._turn = Lock()

    def respond(self, body: bytes) -> bytes:
        """Return the answer to `{"history": [...]}`: `{"code": 0, "message": "...", "attrs": [...]}`, in UTF-8.

        A body that is no such request, or has an empty history, gets code 105. The last utterance is the user's, and
        the speakers alternate.
        """
        try:
            request = decode_json(body, _Request)
        except msgspec.DecodeError:
            return self.refusal
        if not request.history:
            return self.refusal
        sample = sample_of(request.history, request.id, self._world)
        with self._turn:
            (answer,) = answers_of(self._system, [sample])
        return msgspec.json.encode(row_of(answer))


def sample_of(history: Sequence[str], name: str, world: str | None) -> Sample:
    """Return what a system sees of utterances; without a name the sample is named after them."""
    name = name or hashlib.sha256(msgspec.json.encode(history)).hexdigest()[:16]
    last = len(history) - 1
    turns = tuple(Turn(speaker=("user", "system")[(last - at) % 2], text=text) for at, text in enumerate(history))
    return Sample(id=name, dialogue_id=name, history=turns, world=world)


def row_of(answer: Answer) -> dict[str, Any]:
    """Return an answer in the baseline's form; an answer without a text is an empty message."""
    facts = answer.annotation.facts if answer.annotation is not None else ()
    return {"code": FINE, "message": answer.text or "", "attrs": [attr_of(fact) for fact in facts]}
