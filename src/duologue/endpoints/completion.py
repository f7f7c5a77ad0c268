"""A finished call: what the model said, and what it took."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from duologue.core.bounds import TOLD_TOKENS_LIMIT, Milliseconds, ToldTokens
from duologue.core.decoded import made_whole
from duologue.core.records import Record
from duologue.endpoints.chunks import DELTA, MESSAGE, chunks_of

_BYTES_PER_TOKEN = 3
_TEXT = "text"
_LARGEST = 1e300
"""Log probabilities lie within this, below or above zero: a JSON integer may be too large for a float."""


class ChatCompletion(Record, frozen=True, kw_only=True):
    """What came of one call."""

    text: str
    refusal: str = ""
    """Why the model refuses, where the server says that it does."""
    finish: str = ""
    """Why it ended: `stop`, `length`, ..."""
    prompt_tokens: ToldTokens = 0
    completion_tokens: ToldTokens = 0
    told: bool = False
    """Whether the server told the tokens; they are estimated from the bytes otherwise."""
    first: list[tuple[str, float]] = []
    """The likeliest first tokens with their log probabilities, where they were asked for and told."""
    milliseconds: Milliseconds = 0.0
    """Wall time of the call that succeeded."""


class Said(NamedTuple):
    """What the first choice of a response says, or of a chunk of a stream."""

    words: str = ""
    refusal: str = ""
    finish: str = ""


def completion_of(body: Any, size: int, milliseconds: float) -> ChatCompletion | None:
    """Return the completion in a decoded response to a prompt of `size` bytes; `None` where there is none."""
    said = said_in(body, MESSAGE)
    if said is None or error_in(body):
        return None
    text = made_whole(said.words)
    usage = body.get("usage") if isinstance(body.get("usage"), dict) else {}
    asked, told = _count(usage.get("prompt_tokens"), 1), _count(usage.get("completion_tokens"), int(bool(text)))
    return ChatCompletion(
        text=text,
        refusal=made_whole(said.refusal),
        finish=made_whole(said.finish),
        prompt_tokens=size // _BYTES_PER_TOKEN if asked is None else asked,
        completion_tokens=len(text.encode()) // _BYTES_PER_TOKEN if told is None else told,
        told=asked is not None and told is not None,
        first=_first_tokens(body["choices"][0].get("logprobs")),
        milliseconds=round(milliseconds, 3),
    )


def said_in(value: Any, part: str) -> Said | None:
    """Return what the first choice of a decoded chunk says in a part of it; `None` where it has no such form.

    A chunk of a stream may be without choices, or say nothing.
    """
    choices = value.get("choices") if isinstance(value, dict) else ()
    if part == DELTA and not choices and choices != ():
        return Said()
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict):
        return None
    message = first.get(part)
    if part == DELTA and (message is None or first.get("index")):
        return Said(finish="" if first.get("index") else _text_in(first, "finish_reason"))
    if not isinstance(message, dict):
        return None
    words = _words_of(message.get("content"))
    return None if words is None else Said(words, _text_in(message, "refusal"), _text_in(first, "finish_reason"))


def _text_in(table: dict[str, Any], name: str) -> str:
    value = table.get(name)
    return value if isinstance(value, str) else ""


def error_in(value: Any) -> str:
    """Return what a decoded chunk, or its first choice, tells of an error, in words; empty where it tells of none."""
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    for place in (value, first):
        error = place.get("error") if isinstance(place, dict) else None
        if error:
            message = error.get("message") if isinstance(error, dict) else error
            return message if isinstance(message, str) and message.strip() else msgspec.json.encode(error).decode()
    return ""


def decoded_response(data: bytes) -> Any:
    """Return the decoded body of a response; chunks of a stream that was not asked for are put together.

    A chunk that tells of an error is the whole answer then; without an end, a stream is none (`None`). Raises
    `NotJsonError`.
    """
    words, refusals, finish, usage, done = list[str](), list[str](), "", None, False
    for part, value in chunks_of([data]):
        said = said_in(value, part)
        if part == MESSAGE or (part == DELTA and (said is None or error_in(value))):
            return value
        if said is None:
            done = True
        else:
            words.append(said.words)
            refusals.append(said.refusal)
            finish, usage = said.finish or finish, value.get("usage") or usage
    if not finish and not (done and any(words)):
        return None
    message = {"role": "assistant", "content": "".join(words), "refusal": "".join(refusals)}
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def _words_of(content: Any) -> str | None:
    """Return a content's words: a text, or of a list of parts those of type `text`; `None` where it is neither."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else "" if content is None else None
    if not all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in content):
        return None
    texts = [part.get("text") for part in content if part["type"] == _TEXT]  # other parts are thoughts, for one
    return "".join(texts) if all(isinstance(text, str) for text in texts) else None


def _count(value: Any, least: int) -> int | None:
    """Return a number of tokens that can be one; servers that do not count tell 0."""
    return value if type(value) is int and least <= value < TOLD_TOKENS_LIMIT else None


def _first_tokens(told: Any) -> list[tuple[str, float]]:
    """Return the likeliest first tokens in the form of the chat interface; none where they are not told."""
    content = told.get("content") if isinstance(told, dict) else None
    first = content[0] if isinstance(content, list) and content else None
    listed = first.get("top_logprobs") if isinstance(first, dict) else None
    return [
        (made_whole(one["token"]), float(one["logprob"]))
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, dict) and isinstance(one.get("token"), str) and _is_logprob(one.get("logprob"))
    ]


def _is_logprob(value: Any) -> bool:
    return type(value) in {int, float} and -_LARGEST <= value <= _LARGEST
