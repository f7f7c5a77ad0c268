"""Standard output while an assistant's protocol has it: nothing on it that a terminal would obey."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import TYPE_CHECKING, BinaryIO, TextIO

from duologue.core.escapes import in_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import ReadableBuffer


class _SpelledMessages(io.RawIOBase):
    """Bytes of JSON messages, written with every control character spelled out."""

    def __init__(self, below: BinaryIO) -> None:
        super().__init__()
        self._below = below

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Write whole messages; a text layer hands over whole characters. Returns the number of bytes taken."""
        given = bytes(data)
        self._below.write(in_json(given.decode()).encode())
        self._below.flush()
        return len(given)


class _Wire(io.TextIOBase):
    """Standard output whose bytes are the protocol's; what is printed goes to standard error instead."""

    def __init__(self, messages: _SpelledMessages, beside: TextIO) -> None:
        self.buffer = messages
        self._beside = beside

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        """Write to standard error. Returns the number of characters."""
        return self._beside.write(text)


@contextlib.contextmanager
def spelled_messages() -> Iterator[None]:
    """Give standard output to messages in JSON, of the same meaning and without raw control characters (DEL, C1).

    The library `mcp` repeats what it was sent, a method's name for instance, and its JSON leaves such characters as
    they came. What is printed meanwhile goes to standard error: it would break a message.
    """
    with contextlib.redirect_stdout(_Wire(_SpelledMessages(sys.stdout.buffer), sys.stderr)):
        yield
