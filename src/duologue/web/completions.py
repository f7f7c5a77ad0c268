"""Answers in the form of chat completions, whole or as a stream."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.records import Annotation, Answer
from duologue.web.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.protocols import TaskInfo
    from duologue.core.records import Sample
    from duologue.web.chat_form import ChatRequest

_TOKENS = {"zh": re.compile(r"\S"), "en": re.compile(r"\S+")}
"""What usage counts, by language: characters or words."""
_MAX_PIECES = 1_000
"""Pieces of a streamed text, about: clients take a millisecond for each."""


class CompletionChoice(NamedTuple):
    """One of the texts that are given for an answer."""

    text: str
    finish_reason: str
    """`"stop"`, or `"length"` where the text was cut."""


class Completion(NamedTuple):
    """An answer with all that is told with it."""

    id: str
    created: int
    """Seconds since 1970."""
    model: str
    answer: Answer
    choices: list[CompletionChoice]
    prompt_tokens: int
    completion_tokens: int
    language: str

    @property
    def usage(self) -> dict[str, int]:
        """Tokens that were read and made."""
        made = self.completion_tokens
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": made,
            "total_tokens": self.prompt_tokens + made,
        }

    def whole(self) -> dict[str, Any]:
        """Return the response in one piece; `duologue` has the answer as our records do."""
        choices = [
            {
                "index": number,
                "message": {"role": "assistant", "content": one.text, "refusal": None},
                "finish_reason": one.finish_reason,
                "logprobs": None,
            }
            for number, one in enumerate(self.choices)
        ]
        head = {"id": self.id, "object": "chat.completion", "created": self.created, "model": self.model}
        return {**head, "choices": choices, "usage": self.usage, "duologue": {"answer": self.answer}}

    def chunks(self, *, with_usage: bool) -> Iterator[dict[str, Any]]:
        """Yield the response in chunks: of each choice its role, its text in pieces, and why it ends."""
        head = {"id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model}
        more = {"usage": None} if with_usage else {}

        def chunk(number: int, delta: dict[str, str], end: str | None = None) -> dict[str, Any]:
            choice = {"index": number, "delta": delta, "finish_reason": end, "logprobs": None}
            return {**head, "choices": [choice], **more}

        for number, one in enumerate(self.choices):
            yield chunk(number, {"role": "assistant", "content": ""})
            for piece in _pieces(one.text, self.language):
                yield chunk(number, {"content": piece})
            last = chunk(number, {}, one.finish_reason)
            yield {**last, "duologue": {"answer": self.answer}} if number == len(self.choices) - 1 else last
        if with_usage:
            yield {**head, "choices": [], "usage": self.usage}


def completion_of(
    answer: Answer, sample: Sample, request: ChatRequest, info: TaskInfo, *, name: str, created: int
) -> Completion:
    """Return the completion that an answer is.

    Of a ranking the `n` best candidates are the choices; other answers are one. What has no text is its annotation as
    JSON. Raises `ApiError` for an `n` that cannot be had, and where there was nothing to choose from.
    """
    texts = _texts_of(answer, sample, info)
    count = request.n or 1
    if count > len(texts):
        message = f"There {'is one answer' if len(texts) == 1 else f'are {len(texts)} answers'} to be had."
        raise ApiError(HTTPStatus.BAD_REQUEST, message, param="n", code="unsupported_value")
    choices = [cut(text, request.stops, request.token_limit, info.language) for text in texts[:count]]
    read = [one.text for one in request.messages] or [turn.text for turn in sample.history]
    return Completion(
        name,
        created,
        request.model,
        answer,
        choices,
        sum(count_tokens(text, info.language) for text in read),
        sum(count_tokens(one.text, info.language) for one in choices),
        info.language,
    )


def cut(text: str, stops: Sequence[str], limit: int | None, language: str) -> CompletionChoice:
    """Return a text up to the first of `stops` and to `limit` tokens."""
    ends = [text.find(stop) for stop in stops]
    text = text[: min((end for end in ends if end >= 0), default=len(text))]
    if limit is None:
        return CompletionChoice(text, "stop")
    places = [match.end() for match in _tokens(language).finditer(text)]
    if len(places) <= limit:
        return CompletionChoice(text, "stop")
    return CompletionChoice(text[: places[limit - 1]], "length")


def count_tokens(text: str, language: str) -> int:
    """Return the words of a text, or its characters where the language is Chinese."""
    return sum(1 for _ in _tokens(language).finditer(text))


def event(data: Any) -> bytes:
    """Return an event of a stream."""
    return b"data: " + msgspec.json.encode(data) + b"\n\n"


def _texts_of(answer: Answer, sample: Sample, info: TaskInfo) -> list[str]:
    chosen = answer.ranking is not None and bool(sample.candidates)  # a text beside it is what led to the choice
    if answer.text is not None and not chosen:
        return [answer.text]
    if answer.ranking is not None:
        texts = {one.id: one.text for one in sample.candidates}
        found = [texts[one] for one in answer.ranking if one in texts]
        if not found:
            raise ApiError(HTTPStatus.BAD_REQUEST, "Give candidates: the system chooses among them.", param="metadata")
        return found
    annotation = answer.annotation or Annotation()
    parts = [part for part in info.answers.split("+") if part in Annotation.__struct_fields__]
    return [msgspec.json.encode({part: getattr(annotation, part) for part in parts}).decode()] if parts else [""]


def _pieces(text: str, language: str) -> Iterator[str]:
    """Yield a text token by token, each with the white space before it; of a very long one some tokens together."""
    ends = [match.end() for match in _tokens(language).finditer(text)]
    begin = 0
    together = len(ends) // _MAX_PIECES + 1
    for end in ends[together - 1 :: together]:
        yield text[begin:end]
        begin = end
    if begin < len(text):
        yield text[begin:]


def _tokens(language: str) -> re.Pattern[str]:
    return _TOKENS.get(language, _TOKENS["en"])
