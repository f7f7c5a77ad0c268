"""The form of chat completions: what a request says, and the sample that it is.

A request is what the OpenAI API has. What a dialogue is about (goal, knowledge, candidates) comes in a system message
that is a JSON object, or in `metadata`, in the words of our records; there a whole sample may stand as external bots
get it (`docs/guide/your-own-bot.md`). Other system messages are instructions, which no system of ours follows.
"""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import msgspec

from duologue.core.records import Candidate, Fact, Goal, Record, Sample, Scalar, Turn
from duologue.core.typed import convert, decode_json
from duologue.web.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Found = TypeVar("Found")
MAX_CANDIDATES = 1_000
"""That one request may bring; systems may compare each with each, while others wait."""
_ROLES = {"user": "user", "assistant": "system", "tool": "api"}
"""Roles of the API and the speakers that they are."""
_UNSUPPORTED = ("logprobs", "top_logprobs", "audio", "logit_bias", "prediction", "web_search_options")
_CALLS = (("tools", "tool_choice"), ("functions", "function_call"))
"""What may be called, and whether it is to be."""
_FORMAT_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class ContentPart(msgspec.Struct, frozen=True):
    """A part of a message; the kind `text` is read."""

    type: str
    text: str = ""


class ChatMessage(msgspec.Struct, frozen=True):
    """A message of a dialogue."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        """The words. Raises `ApiError` for parts of another kind."""
        if not isinstance(self.content, list):
            return self.content or ""
        if any(part.type != "text" for part in self.content):
            raise ApiError(HTTPStatus.BAD_REQUEST, "Only parts of type 'text' are understood.", param="messages")
        return "".join(part.text for part in self.content)


class StreamOptions(msgspec.Struct, frozen=True):
    """How an answer is streamed."""

    include_usage: bool | None = False


class ChatRequest(msgspec.Struct, frozen=True):
    """What is asked of `/v1/chat/completions`; what else is in it is passed over, such as a temperature."""

    model: str
    messages: list[ChatMessage]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = None
    stop: str | list[str] | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    metadata: dict[str, Any] | None = None
    response_format: dict[str, Any] | None = None
    modalities: list[str] | None = None
    tools: Any = None
    tool_choice: Any = None
    functions: Any = None
    function_call: Any = None
    logprobs: Any = None
    top_logprobs: Any = None
    audio: Any = None
    logit_bias: Any = None
    prediction: Any = None
    web_search_options: Any = None

    @property
    def stops(self) -> list[str]:
        """Texts that end an answer."""
        return [self.stop] if isinstance(self.stop, str) else self.stop or []

    @property
    def token_limit(self) -> int | None:
        """The tokens that an answer may have; `None` for any number."""
        return self.max_completion_tokens if self.max_completion_tokens is not None else self.max_tokens


class RequestContext(Record, frozen=True, kw_only=True):
    """What a dialogue is about, and all else of a sample as external bots get it."""

    goal: Goal | None = None
    knowledge: tuple[Fact | tuple[str, str, Scalar], ...] = ()
    """Facts, or triples of subject, relation and object."""
    candidates: tuple[Candidate | str, ...] = ()
    """Utterances to choose from; texts alone are numbered from 1."""
    history: tuple[Turn, ...] | None = None
    """The dialogue in the challenge's own text, in place of messages."""
    id: str = ""
    dialogue_id: str = ""
    world: str | None = None
    protocol: int = 0
    task: str = ""
    language: str = ""
    answer: tuple[str, ...] = ()
    seed: int = 0


class Asked(NamedTuple):
    """The sample that a request is, and whether its history is as people type it."""

    sample: Sample
    typed: bool


def read_request(body: bytes) -> ChatRequest:
    """Return a request. Raises `ApiError` for what is none, and for what no system of ours can do."""
    request: ChatRequest = _decoded(body, ChatRequest, "body")
    for name in _wanted_in_vain(request):
        raise ApiError(HTTPStatus.BAD_REQUEST, f"'{name}' is not supported.", param=name, code="unsupported_value")
    kind = (request.response_format or {}).get("type", "text")
    if kind != "text":
        message = "Systems answer in the form of their task; 'response_format' is 'text'."
        raise ApiError(HTTPStatus.BAD_REQUEST, message, param="response_format", code="unsupported_value")
    if request.n is not None and not 1 <= request.n <= 100:
        raise ApiError(HTTPStatus.BAD_REQUEST, "'n' is a number from 1 to 100.", param="n")
    if len(request.stops) > 16 or "" in request.stops:
        raise ApiError(HTTPStatus.BAD_REQUEST, "'stop' is a text, or up to 16 of them.", param="stop")
    if request.token_limit is not None and request.token_limit < 1:
        raise ApiError(HTTPStatus.BAD_REQUEST, "'max_tokens' is at least 1.", param="max_tokens")
    return request


def _wanted_in_vain(request: ChatRequest) -> Iterator[str]:
    """Yield the entries that ask for what no system of ours can do; tools that none is to call ask for nothing."""
    yield from (name for name in _UNSUPPORTED if getattr(request, name))
    for given, choice in _CALLS:
        if getattr(request, choice) not in (None, "none", "auto"):
            yield choice
        elif getattr(request, given) and getattr(request, choice) != "none":
            yield given
    if set(request.modalities or ()) - {"text"}:
        yield "modalities"


def asked_of(request: ChatRequest, world: str | None) -> Asked:
    """Return the sample that a request is; `world` is the knowledge base that it is answered with.

    Without an id it is named after what it holds, so that equal requests get equal answers.
    """
    context = _context_of(request)
    if context.world not in {None, world}:
        message = f"There is no knowledge base '{context.world}' here."
        raise ApiError(HTTPStatus.BAD_REQUEST, message, param="metadata.world")
    turns = [
        Turn(speaker=_ROLES[one.role], text=line)
        for one in request.messages
        if one.role in _ROLES
        for line in _lines(one)
    ]
    if context.history is not None and turns:
        message = "Give the dialogue as messages or as 'history', not as both."
        raise ApiError(HTTPStatus.BAD_REQUEST, message, param="messages")
    history = tuple(turns) if context.history is None else context.history
    for number, turn in enumerate(history):
        if turn.speaker not in _ROLES.values():
            message = f"Turn {number} is of speaker '{turn.speaker}'; speakers are 'user', 'system' and 'api'."
            raise ApiError(HTTPStatus.BAD_REQUEST, message, param="metadata.history")
    candidates = tuple(
        Candidate(id=str(number), text=one) if isinstance(one, str) else one
        for number, one in enumerate(context.candidates, start=1)
    )
    if len(candidates) > MAX_CANDIDATES:
        message = f"{len(candidates):,} candidates are given; at most {MAX_CANDIDATES:,} are chosen from."
        raise ApiError(HTTPStatus.BAD_REQUEST, message, param="metadata.candidates")
    if len({one.id for one in candidates}) < len(candidates):
        raise ApiError(HTTPStatus.BAD_REQUEST, "Two candidates have one id.", param="metadata.candidates")
    facts = tuple(_fact(one) for one in context.knowledge)
    dialogue = context.dialogue_id or context.id or _name_of([history[:1], facts, context.goal])
    sample = Sample(
        id=context.id or f"{dialogue}#{_name_of([history, candidates])}",
        dialogue_id=dialogue,
        history=history,
        knowledge=facts,
        world=world,
        goal=context.goal,
        candidates=candidates,
    )
    return Asked(sample, typed=context.history is None)


def _lines(message: ChatMessage) -> list[str]:
    """Return the utterances of a message: one, or one for each line that a knowledge base returned."""
    lines = [" ".join(line.split("\t")).strip("\r") for line in message.text.split("\n")]
    return [line for line in lines if line] if message.role == "tool" else [" ".join(lines).strip()]


def _context_of(request: ChatRequest) -> RequestContext:
    """Return what system messages and `metadata` tell together; what stands in the latter, or later, counts."""
    told: dict[str, Any] = {}
    for message in request.messages:
        if message.role not in _ROLES and message.text.lstrip().startswith("{"):
            found = _decoded(message.text.encode("utf-8", "replace"), dict[str, Any], "messages")
            unknown = sorted(set(found) - set(RequestContext.__struct_fields__))
            if unknown:
                known = ", ".join(RequestContext.__struct_fields__)
                text = f"The system message has an entry '{unknown[0]}', which is unknown; known are {known}."
                raise ApiError(HTTPStatus.BAD_REQUEST, text, param="messages")
            told |= found
    for name, value in (request.metadata or {}).items():
        if name in RequestContext.__struct_fields__:
            told[name] = _spelled_out(name, value)
    try:
        return convert(told, RequestContext)
    except _FORMAT_ERRORS as error:
        raise _unreadable("metadata", error) from error


def _spelled_out(name: str, value: Any) -> Any:
    """Return a value of `metadata`, which by the API is a text: objects and lists stand in it as JSON."""
    if isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}:
        return _decoded(value.encode("utf-8", "replace"), Any, f"metadata.{name}")
    return value


def _fact(one: Fact | tuple[str, str, Scalar]) -> Fact:
    return one if isinstance(one, Fact) else Fact(subject=one[0], relation=one[1], object=one[2])


def _name_of(what: Sequence[Any]) -> str:
    return hashlib.sha256(msgspec.json.encode(what)).hexdigest()[:16]


def _decoded(data: bytes, kind: Any, where: str) -> Any:
    try:
        return decode_json(data, kind)
    except _FORMAT_ERRORS as error:
        raise _unreadable(where, error) from error


def _unreadable(where: str, error: Exception) -> ApiError:
    said = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).replace("`", "'")
    place = said.partition(" - at '$.")[2].removesuffix("'")
    outer = "" if where == "body" else f"{where}."
    param = outer + place if place else where
    return ApiError(HTTPStatus.BAD_REQUEST, f"The {where} cannot be read: {said}.", param=param)
