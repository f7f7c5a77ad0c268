"""A finished call: what the model said, and what it took."""

from __future__ import annotations

from typing import Any

import msgspec

from duologue.core.bounds import TOLD_TOKENS_LIMIT, Milliseconds, ToldTokens
from duologue.core.decoded import made_whole
from duologue.core.records import Record

_BYTES_PER_TOKEN = 3
_MARK = b"\xef\xbb\xbf"
"""Of UTF-8, which some servers write before a body."""
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


def completion_of(body: Any, size: int, milliseconds: float) -> ChatCompletion | None:
    """Return the completion in a decoded response to a prompt of `size` bytes; `None` where there is none."""
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return None
    content, refusal = _words_of(message.get("content")), message.get("refusal")
    if content is None:
        return None
    text = made_whole(content)
    usage = body.get("usage") if isinstance(body.get("usage"), dict) else {}
    asked, said = (_count(usage.get(key)) for key in ("prompt_tokens", "completion_tokens"))
    return ChatCompletion(
        text=text,
        refusal=made_whole(refusal) if isinstance(refusal, str) else "",
        finish=str(choice.get("finish_reason") or ""),
        prompt_tokens=size // _BYTES_PER_TOKEN if asked is None else asked,
        completion_tokens=len(text.encode()) // _BYTES_PER_TOKEN if said is None else said,
        told=asked is not None and said is not None,
        first=_first_tokens(choice.get("logprobs")),
        milliseconds=round(milliseconds, 3),
    )


def decoded_response(data: bytes) -> Any:
    """Return the decoded body of a response; chunks of a stream that was not asked for are put together.

    Raises as `msgspec.json.decode`, also for a stream without an end.
    """
    data = data.removeprefix(_MARK).lstrip()
    if not data.startswith((b"data:", b":", b"event:")):
        return msgspec.json.decode(data)
    lines = [line[len(b"data:") :].strip() for line in data.splitlines() if line.startswith(b"data:")]
    chunks = [msgspec.json.decode(line) for line in lines if line not in {b"", b"[DONE]"}]
    pieces, finish, usage = list[str](), "", None
    for chunk in chunks:
        table = chunk if isinstance(chunk, dict) else {}
        usage = table.get("usage") or usage
        choices = table.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and not choice.get("index"):
                delta = choice.get("delta")
                piece = delta.get("content") if isinstance(delta, dict) else None
                pieces += [piece] if isinstance(piece, str) else []
                finish = str(choice.get("finish_reason") or finish)
    if not finish and not (pieces and b"[DONE]" in lines):
        return None
    message = {"role": "assistant", "content": "".join(pieces)}
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def _words_of(content: Any) -> str | None:
    """Return a content's words: a text, or of a list of parts those of type `text`; `None` where it is neither."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else "" if content is None else None
    if not all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in content):
        return None
    texts = [part.get("text") for part in content if part["type"] == _TEXT]  # other parts are thoughts, for one
    return "".join(texts) if all(isinstance(text, str) for text in texts) else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < TOLD_TOKENS_LIMIT else None


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
