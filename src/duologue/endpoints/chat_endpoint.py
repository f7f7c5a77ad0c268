"""A chat endpoint as a live partner: whatever speaks the OpenAI API, over HTTP with streams."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import msgspec

from duologue.core.errors import BotError, UsageError
from duologue.core.live_text import GOODBYES
from duologue.core.optional_protocols import Partner
from duologue.core.records import Dialogue, Turn
from duologue.core.thoughts import pieces_without_thoughts
from duologue.core.typed import decode_json
from duologue.endpoints.plain_body import MAX_BYTES, UNPACKED, packing_of
from duologue.endpoints.secret import VARIABLE, Secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

_SECONDS = 120.0
_SECONDS_IN_ALL = 600.0
"""Of a whole answer, however often a sign of life comes: whoever answers talks has few threads for them."""
_LINE_END = re.compile(rb"[\r\n]")
"""What parts lines of a stream; inside of them JSON may hold other signs that end a line, such as U+2028."""
_LONGEST_ERROR = 1000
_READ_OF_ERROR = 4 * _LONGEST_ERROR
"""More than is shown, so that no key is cut off before it is taken out."""
_WELCOME = {
    "en": "You talk with {model} at {url}. bye or /quit leaves.",
    "zh": "你在和 {url} 的 {model} 对话。输入 再见 或 /quit 离开。",
}
_HOW = {"en": "Write what you like; bye leaves.", "zh": "想说什么就写什么；输入 再见 离开。"}
_NO_LIST = (404, 405, 501)
_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class _NoListError(BotError):
    """The server has no list of models."""


class _Named(msgspec.Struct, frozen=True):
    id: str


class _Models(msgspec.Struct, frozen=True):
    data: list[_Named]


class _Part(msgspec.Struct, frozen=True):
    type: str
    text: str = ""


class _Said(msgspec.Struct, frozen=True):
    content: str | list[_Part] | None = None
    refusal: str | None = None

    @property
    def text(self) -> str:
        """The words, or those of a refusal."""
        content = self.content
        if isinstance(content, list):
            content = "".join(part.text for part in content if part.type == "text")
        return content or self.refusal or ""


class _Piece(msgspec.Struct, frozen=True):
    delta: _Said | None = None
    message: _Said | None = None
    """The whole answer, from servers that do not stream."""
    finish_reason: str | None = None


class _Chunk(msgspec.Struct, frozen=True):
    choices: list[_Piece] | None = None
    error: Any = None


class _Message(msgspec.Struct, frozen=True):
    message: str


class _Refusal(msgspec.Struct, frozen=True):
    error: _Message


class ChatEndpoint(Partner):
    """A model behind a chat endpoint; `model` is the first that it lists, where none is named.

    `url` is the base address, such as `http://127.0.0.1:8200/v1`; without a path `/v1` is meant. Neither redirects nor
    proxies are followed, so that key and words go to the named host alone. `turns` is a dialogue that is taken up
    again.
    Raises `UsageError` for an address or a key that can be none, `BotError` for an endpoint that cannot be reached or
    refuses.
    """

    def __init__(
        self, url: str, model: str | None = None, *, lang: str = "en", name: str = "chat", turns: Sequence[Turn] = ()
    ) -> None:
        self._url, self._lang, self._name = base_of(url), lang, name
        self._secret = Secret.of_environment()
        headers = UNPACKED | self._secret.headers()
        self._client = httpx.Client(headers=headers, timeout=_SECONDS, trust_env=False, follow_redirects=False)
        self._turns = list(turns)
        try:
            self.model = model or self._first_model()
        except BotError:
            self._client.close()
            raise

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Hang up."""
        self._client.close()

    @property
    def welcome(self) -> str:
        """Whom one talks to."""
        return _WELCOME[self._lang].format(model=self.model, url=self._url)

    @property
    def how_to_talk(self) -> str:
        """How to leave; not whom one talks to."""
        return _HOW[self._lang]

    def reply(self, text: str) -> list[Turn]:
        """Return what the model says without its thoughts; nothing after a goodbye or an empty line."""
        said = text.strip()
        self.finished = said.lower() in GOODBYES
        if self.finished or not said:
            return []
        turns = [*self._turns, Turn(speaker="user", text=said)]
        roles = {"user": "user", "system": "assistant"}
        messages = [{"role": roles[turn.speaker], "content": turn.text} for turn in turns]
        body = msgspec.json.encode({"model": self.model, "messages": messages, "stream": True})
        pieces = list[str]()

        def take_back() -> None:
            pieces.clear()
            if self.on_taken_back is not None:
                self.on_taken_back()

        for piece in pieces_without_thoughts(self._secret.hidden_pieces(self._pieces(body)), take_back):
            pieces.append(piece)
            if self.on_piece is not None:
                self.on_piece(piece)
        answer = "".join(pieces)
        self._turns = [*turns, Turn(speaker="system", text=answer)]
        return self._turns[-1:]

    def dialogue(self) -> Dialogue:
        """Return the transcript so far."""
        return Dialogue(id=self._name, turns=tuple(self._turns), meta={"url": self._url, "model": self.model})

    def _pieces(self, body: bytes) -> Iterator[str]:
        """Yield the pieces of an answer: of a stream, or the whole of a server that does not stream.

        A stream ends with `[DONE]`; some servers leave that out, and the reason to finish ends it.
        """
        finished, others = False, []
        for line in self._lines("POST", "/chat/completions", body):
            data = line.removeprefix("data:").strip()
            if not line.startswith("data:"):
                others.append(line)  # another field of the event, a comment, or no stream
                continue
            if data == "[DONE]":
                return
            if data:
                piece = self._piece_in(data)
                yield piece.delta.text if piece.delta is not None else ""
                finished = finished or piece.finish_reason is not None
        whole = "\n".join(others).strip()
        if whole.startswith("{"):
            said = self._piece_in(whole).message
            if said is None:
                raise BotError(f"the endpoint at {self._url} answers what is no answer: {self._shown(whole)}")
            yield said.text
        elif not finished:
            raise BotError(f"the endpoint at {self._url} ended its answer before the end")

    def _piece_in(self, data: str) -> _Piece:
        """Return the first choice of a chunk. Raises `BotError` for a chunk that tells of an error."""
        chunk: _Chunk = self._decoded(data, _Chunk)
        if chunk.error:
            raise BotError(f"the endpoint at {self._url} fails in its answer: {self._message_in(data.encode())}")
        return chunk.choices[0] if chunk.choices else _Piece()

    def _first_model(self) -> str:
        try:
            models: _Models = self._decoded("".join(self._lines("GET", "/models")), _Models)
        except _NoListError as error:
            raise BotError(f"{error}; where it lists no models, name one with --model") from error
        if not models.data:
            raise BotError(f"the endpoint at {self._url} has no model; name one with --model")
        return self._secret.hidden(models.data[0].id)

    def _lines(self, method: str, path: str, body: bytes | None = None) -> Iterator[str]:
        """Yield the lines of a response as they come. Raises `BotError` for one that is no success."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        try:
            with self._client.stream(method, self._url + path, content=body, headers=headers) as response:
                if response.status_code != httpx.codes.OK:
                    said = self._message_in(next(response.iter_raw(_READ_OF_ERROR), b""))
                    kind = _NoListError if method == "GET" and response.status_code in _NO_LIST else BotError
                    raise kind(f"the endpoint at {self._url} answers with {response.status_code}: {said}")
                if packed := packing_of(response.headers):
                    told = f"packs its answer ({packed!a}), which was not asked for; have it send plain ones"
                    raise BotError(f"the endpoint at {self._url} {told}")
                yield from self._parted(response.iter_raw())
        except httpx.HTTPError as error:
            what = f"{type(error).__name__} {error}".strip()
            raise BotError(f"the endpoint at {self._url} cannot be asked: {what}; is it running?") from error

    def _parted(self, pieces: Iterator[bytes]) -> Iterator[str]:
        """Yield the lines of a body. Raises `BotError` for one that is too long, or has no end."""
        read, rest, until = 0, bytearray(), time.monotonic() + _SECONDS_IN_ALL
        for piece in pieces:
            read += len(piece)
            if read > MAX_BYTES:
                raise BotError(f"the endpoint at {self._url} sends more than {MAX_BYTES >> 20} MB")
            if time.monotonic() > until:
                raise BotError(f"the endpoint at {self._url} did not end its answer in {_SECONDS_IN_ALL:g} s")
            first, *more = _LINE_END.split(piece)
            rest += first
            for line in more:
                yield rest.decode("utf-8", "replace")
                rest = bytearray(line)
        yield rest.decode("utf-8", "replace")

    def _decoded(self, text: str, kind: Any) -> Any:
        try:
            return decode_json(text.encode("utf-8", "replace"), kind)
        except _ERRORS as error:
            raise BotError(f"the endpoint at {self._url} answers what is no answer: {self._shown(text)}") from error

    def _shown(self, text: str) -> str:
        return repr(self._secret.hidden(text)[:200])

    def _message_in(self, body: bytes) -> str:
        """Return the message of an error in the form of the API, or the beginning of what came; without the key."""
        try:
            return self._secret.hidden(decode_json(body, _Refusal).error.message)[:_LONGEST_ERROR]
        except _ERRORS:
            return repr(self._secret.hidden(body.decode("utf-8", "replace"))[:200])


def base_of(url: str) -> str:
    """Return the base address of a server, with `/v1` where it has no path.

    Raises `UsageError` for what is no address, and for one with a name or password in it.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"'{url}' is no address: {error}") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname or not url.isascii() or not url.isprintable():
        raise UsageError(f"'{url}': expected an address such as http://127.0.0.1:8200/v1")
    if parts.username is not None or parts.password is not None:
        raise UsageError(f"no name or password belongs in the address of a server; the key stands in {VARIABLE}")
    path = parts.path.removesuffix("/").removesuffix("/chat/completions")
    return f"{parts.scheme}://{parts.netloc}{path or '/v1'}"
