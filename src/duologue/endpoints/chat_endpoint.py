"""A chat endpoint as a live partner: whatever speaks the OpenAI API, over HTTP with streams."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import msgspec

from duologue.core.errors import BotError
from duologue.core.escapes import excerpt
from duologue.core.live_text import GOODBYES
from duologue.core.optional_protocols import Partner
from duologue.core.records import Dialogue, Turn
from duologue.core.thoughts import pieces_without_thoughts
from duologue.core.typed import decode_json
from duologue.endpoints.address import COMPLETIONS, base_address
from duologue.endpoints.chunks import END, MESSAGE, NotJsonError, chunks_of
from duologue.endpoints.completion import error_in, said_in
from duologue.endpoints.secret import VARIABLE, Secret
from duologue.endpoints.server_words import refusal, said_by_server
from duologue.endpoints.timed_line import BodyError, LineError, TimedLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Self

_SILENCE = 120.0
"""Seconds in which a sign of life comes."""
_SECONDS = 600.0
"""For a whole answer, however often a sign of life comes: whoever answers talks has few threads for them."""
_WELCOME = {
    "en": "You talk with {model} at {url}. bye or /quit leaves.",
    "zh": "你在和 {url} 的 {model} 对话。输入 再见 或 /quit 离开。",
}
_HOW = {"en": "Write what you like; bye leaves.", "zh": "想说什么就写什么；输入 再见 离开。"}
_CUT_OFF = ("length", "content_filter")
"""Reasons to finish of an answer that is not whole."""
_REMARKS = {
    "en": {"silent": "(no words came; the endpoint says why it ended: {finish})", "cut": "(cut off: {finish})"},
    "zh": {"silent": "（没有收到文字；接口说明的结束原因：{finish}）", "cut": "（回答被截断：{finish}）"},
}
_OK, _NOT_FOUND = 200, 404
_WRONG_ADDRESS = "; is that its base address (most end in /v1), and has it the model?"
_NO_LIST = (404, 405, 501)


class _NoListError(BotError):
    """The server has no list of models."""


class _Named(msgspec.Struct, frozen=True):
    id: str


class _Models(msgspec.Struct, frozen=True):
    data: list[_Named]


class ChatEndpoint(Partner):
    """A model behind a chat endpoint; `model` is the first that it lists, where none is named.

    `url` is the base address, such as `http://127.0.0.1:8200/v1`; without a path `/v1` is meant. It is asked through a
    `TimedLine`, so that key and words go to the named host alone. `turns` is a dialogue that is taken up again, `card`
    returns what the person who talks is to reach; the endpoint is not told.
    Raises `UsageError` for an address or a key that can be none, `BotError` for an endpoint that cannot be reached or
    refuses.
    """

    patient = True

    def __init__(
        self,
        url: str,
        model: str | None = None,
        *,
        lang: str = "en",
        name: str = "chat",
        turns: Sequence[Turn] = (),
        card: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._url, self._lang, self._name, self._card = base_of(url), lang, name, card
        self._secret = Secret.of_environment()
        self._secret.demand_apart_from({"the address": self._url, "the model": model})
        secure = self._url.startswith("https:")
        self._line = TimedLine(self._secret.headers(), _SECONDS, secure=secure, silence=_SILENCE)
        self._turns = list(turns)
        self._finish = ""
        try:
            self.model = model or self._first_model()
        except BotError:
            self._line.close()
            raise

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Hang up."""
        self._line.close()

    @property
    def welcome(self) -> str:
        """Whom one talks to."""
        return _WELCOME[self._lang].format(model=self.model, url=self._url)

    @property
    def how_to_talk(self) -> str:
        """How to leave; not whom one talks to."""
        return _HOW[self._lang]

    def goal_card(self) -> Sequence[str]:
        """Return what the person who talks is to reach."""
        return self._card()

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

    def shown(self, turn: Turn) -> list[str]:
        """Return the words of a turn, and of the last one a remark where nothing came or it is not whole."""
        how = "silent" if not turn.text.strip() else "cut" if self._finish in _CUT_OFF else ""
        if not how or not any(turn is one for one in self._turns[-1:]):
            return [turn.text]
        return [turn.text, _REMARKS[self._lang][how].format(finish=self._finish or "-")]

    def dialogue(self) -> Dialogue:
        """Return the transcript so far."""
        return Dialogue(id=self._name, turns=tuple(self._turns), meta={"url": self._url, "model": self.model})

    def _pieces(self, body: bytes) -> Iterator[str]:
        """Yield the pieces of an answer: of a stream, or the whole of a server that does not stream.

        A stream ends with `[DONE]`; some servers leave that out, and the reason to finish ends it.
        """
        finished, self._finish = False, ""
        with self._told_what_is_wrong(), self._answer("POST", COMPLETIONS, body) as pieces:
            for part, value in chunks_of(pieces):
                if part == END:
                    return
                if error := self._secret.hidden(error_in(value)):
                    raise self._error(f"fails in its answer: {excerpt(error.encode())}")
                said = said_in(value, part)
                if said is None:
                    raise NotJsonError(msgspec.json.encode(value))
                self._finish = excerpt(self._secret.hidden(said.finish).encode()) or self._finish
                yield said.words or said.refusal
                finished = finished or part == MESSAGE or bool(said.finish)
        if not finished:
            raise self._error("ended its answer before the end")

    def _first_model(self) -> str:
        try:
            with self._told_what_is_wrong(), self._answer("GET", "/models") as pieces:
                data = b"".join(pieces)
        except _NoListError as error:
            raise BotError(f"{error}; where it lists no models, name one with --model") from error
        try:
            models = decode_json(data, _Models)
        except msgspec.DecodeError as error:
            raise self._no_answer(data, "list of models") from error
        if not models.data:
            raise self._error("has no model; name one with --model")
        return self._secret.hidden(models.data[0].id)

    @contextmanager
    def _answer(
        self, method: Literal["GET", "POST"], path: str, body: bytes | None = None
    ) -> Iterator[Iterator[bytes]]:
        """Give the pieces of a body as they come. Raises `BotError` for a response that is no success."""
        with self._line.send(method, self._url + path, body) as response:
            if response.status != _OK:
                said = refusal(response.status, b"".join(response.pieces), response.location, self._secret)
                if method == "GET" and response.status in _NO_LIST:
                    raise _NoListError(f"{self._who} {said}")
                raise self._error(said + (_WRONG_ADDRESS if response.status == _NOT_FOUND else ""))
            yield response.pieces

    @contextmanager
    def _told_what_is_wrong(self) -> Iterator[None]:
        try:
            yield
        except NotJsonError as error:
            raise self._no_answer(error.data) from error
        except BodyError as error:
            raise self._error(str(error)) from error
        except LineError as error:
            late = f"gave no answer in {_SECONDS:g} s, or was silent for {_SILENCE:g} s"
            what = late if error.late else self._secret.hidden(str(error))
            raise self._error(what if error.lasting else f"{what}; is it running?") from error

    def _no_answer(self, data: bytes, wanted: str = "chat completion") -> BotError:
        return self._error(f"answers with what is no {wanted}: {said_by_server(data, self._secret)}")

    def _error(self, what: str) -> BotError:
        return BotError(f"{self._who} {what}")

    @property
    def _who(self) -> str:
        return f"the endpoint at {self._url}"


def base_of(url: str) -> str:
    """Return the base address of a server. Raises as `base_address`, with the variable where a key stands."""
    return base_address(url, "http://127.0.0.1:8200/v1", given="the address ", advice=f"; a key stands in {VARIABLE}")
