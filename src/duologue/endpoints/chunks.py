"""Bodies of chat responses as they come: the chunks of a stream, or the one that a server sends that does not stream.

Server-sent events are read as browsers read them, comments, several `data` lines and all three line ends, and as
servers write them: some leave out the empty line after an event, or the mark at the end.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from duologue.core.typed import decode_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MESSAGE, DELTA, END = "message", "delta", "end"
_DONE = b"[DONE]"
_DATA = b"data:"
_FIELDS = (b":", _DATA, b"event:", b"id:", b"retry:")
"""How lines of a stream begin."""
_MARK = b"\xef\xbb\xbf"
"""Of UTF-8, which some servers write before a body."""
_LINE_END = re.compile(rb"\r\n|[\r\n]")
"""What parts lines of a stream; inside of them JSON may hold other signs that end a line, such as U+2028."""
_HIGH, _LOW = r"\\u[dD][89abAB][0-9a-fA-F]{2}", r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rf"{_HIGH}{_LOW}|(?P<half>{_HIGH}|{_LOW})|\\.")
"""Escapes of JSON: a surrogate pair, half of one, any other."""
_HALF = re.compile("[\ud800-\udfff]")
_HIGH_HALVES = frozenset(map(chr, range(0xD800, 0xDC00)))


class Chunk(NamedTuple):
    """A chunk of a body, decoded."""

    part: str
    """Where a choice of it has its words: `message` in a body that is whole, `delta` in a stream, whose mark at the end
    is `end`."""
    value: Any = None


class _Cut(NamedTuple):
    """A chunk of a body that may hold halves of surrogate pairs."""

    part: str
    value: Any = None
    """With U+FFFD in their place."""
    words: str = ""
    """What a chunk of a stream says, with the halves as they are; empty where it says nothing."""


class NotJsonError(Exception):
    """A chunk of a body, `data`, is no JSON."""

    def __init__(self, data: bytes) -> None:
        super().__init__("no JSON")
        self.data = data


def chunks_of(pieces: Iterable[bytes]) -> Iterator[Chunk]:
    r"""Yield the chunks of a body, each as soon as it is whole, up to the mark at the end. Raises `NotJsonError`.

    Half a surrogate pair is read as U+FFFD, but where a chunk of a stream ends its words with one and the next chunk
    that says something goes on with the other: these words are then the whole character.

    >>> [one.value for one in chunks_of([b': hi\r\nda', b'ta: {"a":\ndata: 1}\n\ndata: {"a": 2}\n\ndata: [DONE]'])]
    [{'a': 1}, {'a': 2}, None]
    """
    half = ""
    for part, value, words in _cut_chunks(pieces):
        if words:
            joined = _joined(half + words)
            half = joined[-1] if joined[-1:] in _HIGH_HALVES else ""
            _first_delta(value)["content"] = _readable(joined.removesuffix(half))
        elif part == END and half:
            yield _lost_half()
            half = ""
        yield Chunk(part, value)
    if half:
        yield _lost_half()


def _lost_half() -> Chunk:
    return Chunk(DELTA, {"choices": [{"delta": {"content": "\ufffd"}}]})


def _joined(words: str) -> str:
    """Return words with the halves of surrogate pairs that stand side by side as characters."""
    return words.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _readable(words: str) -> str:
    return _HALF.sub("\ufffd", words)


def _cut_chunks(pieces: Iterable[bytes]) -> Iterator[_Cut]:
    part, open_ = "", list[bytes]()
    for line in _lines(pieces):
        if not part and line.strip():
            part = DELTA if line.startswith(_FIELDS) else MESSAGE
        if part == MESSAGE:
            open_.append(line)
        elif not line and open_:
            yield _decoded(part, open_)
            open_ = []
        elif line.startswith(_DATA):
            told = line.removeprefix(_DATA).strip()
            if told == _DONE and not open_:
                yield _Cut(END)
                return
            if told and not open_ and (alone := _alone(part, told)) is not None:
                yield alone
            elif told:
                open_.append(told)
    if open_:
        yield _decoded(part, open_)


def _alone(part: str, line: bytes) -> _Cut | None:
    """Return what a line of an event holds by itself; `None` where further lines may belong to it."""
    with suppress(msgspec.DecodeError):
        found = _value(part, line)
        return None if found.value is None else found
    return None


def _decoded(part: str, lines: Sequence[bytes]) -> _Cut:
    data = b"\n".join(lines)
    try:
        return _value(part, data)
    except msgspec.DecodeError as error:
        raise NotJsonError(data) from error


def _value(part: str, data: bytes) -> _Cut:
    r"""Return what JSON holds; half a surrogate pair is read as U+FFFD.

    A model makes such answers where it stops amid a character, and makes them again when it is asked again. Bytes that
    are not UTF-8 are refused: a whole answer in another encoding would be read as nothing else. Raises
    `msgspec.DecodeError`.

    >>> _value(MESSAGE, rb'["\ud83d", "\ud83d\ude00", "\\ud83d"]').value
    ['�', '😀', '\\ud83d']
    """
    try:
        value = decode_json(data, Any)
        return _Cut(part, value, _words(value) if part == DELTA else "")
    except msgspec.DecodeError:
        with suppress(UnicodeDecodeError):
            text = data.decode()
            value = decode_json(_ESCAPE.sub(_no_half, text), Any)
            words = _words(value) if part == DELTA else ""
            with suppress(ValueError, RecursionError):  # numbers and nesting that Python itself does not read
                words = words and _words(json.loads(text))
            return _Cut(part, value, words)
        raise


def _words(value: Any) -> str:
    content = _first_delta(value).get("content")
    return content if isinstance(content, str) else ""


def _first_delta(value: Any) -> dict[str, Any]:
    """Return what the first choice of a decoded chunk adds; nothing where it has no such form."""
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    delta = first.get("delta") if isinstance(first, dict) and not first.get("index") else None
    return delta if isinstance(delta, dict) else {}


def _no_half(escape: re.Match[str]) -> str:
    return "\ufffd" if escape["half"] else escape[0]


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a body without the mark of UTF-8 at its beginning."""
    rest, begun, returned = bytearray(), False, False
    for piece in pieces:
        first, *more = _LINE_END.split(piece[returned and piece.startswith(b"\n") :])  # a line end that was cut in two
        returned = piece.endswith(b"\r") or (returned and not piece)
        rest += first
        for line in more:
            yield bytes(rest if begun else rest.removeprefix(_MARK))
            rest, begun = bytearray(line), True
    yield bytes(rest if begun else rest.removeprefix(_MARK))
