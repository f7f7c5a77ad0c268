"""Secrets taken out of what a server says, which may be what it was sent: plain, percent-encoded, in JSON or base64."""

from __future__ import annotations

import base64
import json
import re
from itertools import permutations
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SAME = str.maketrans({"\u017f": "s", "\u0130": "i", "\u0131": "i"})
"""Signs that stand for others where large and small letters are the same, and that `lower` leaves or makes longer."""
_SHORTEST_INSIDE = 8
"""Secrets of at least this length are found inside of a longer base64 text too; of shorter ones too few signs stay."""


class Concealment:
    """Secrets and all the ways in which a caller or a server writes them, in large or small letters; it shows none.

    >>> Concealment("key/1", "hush").hidden("found key%2f1, Basic a2V5JTJGMTpodXNo and hush")
    'found ***, Basic *** and ***'
    """

    __slots__ = ("_instead", "_pattern", "_secrets", "_spelled")

    def __init__(self, *secrets: str, instead: str = "***") -> None:
        """Take secrets; empty ones are none."""
        self._secrets = tuple(dict.fromkeys(filter(None, secrets)))
        self._instead = instead
        spelled = sorted(set(_spellings(self._secrets)), key=lambda one: (-len(one), one))
        self._pattern = re.compile("|".join(map(re.escape, spelled)), re.IGNORECASE) if spelled else None
        self._spelled = tuple(dict.fromkeys(map(_folded, spelled)))

    def hidden(self, text: str) -> str:
        """Return a text without the secrets."""
        return self._pattern.sub(lambda _: self._instead, text) if self._pattern else text

    def hidden_pieces(self, pieces: Iterable[str]) -> Iterator[str]:
        """Yield a text that comes in pieces without the secrets, as `hidden` has it whole.

        What may be the beginning of one is held back until the next piece tells. Where the pieces end in an error,
        what was held is never yielded.

        >>> list(Concealment("key/1").hidden_pieces(["found k", "ey", "/1 an", "d k"]))
        ['found ', '*** an', 'd ', 'k']
        """
        if self._pattern is None:
            yield from pieces
            return
        held = ""
        for piece in pieces:
            told, held = self._certain(held + piece)
            if told:
                yield told
        if held:
            yield self.hidden(held)

    def _certain(self, text: str) -> tuple[str, str]:
        """Return what of a text no further signs change, without the secrets, and the rest, which may begin one."""
        told, start = list[str](), 0
        for found in self._pattern.finditer(text) if self._pattern else ():
            if found.start() >= self._open_from(text, start):
                break
            told += [text[start : found.start()], self._instead]
            start = found.end()
        open_from = self._open_from(text, start)
        return "".join([*told, text[start:open_from]]), text[open_from:]

    def _open_from(self, text: str, start: int) -> int:
        """Return where, from `start` on, a spelling first begins that the end cuts off; the length where none does."""
        first = max(start, len(text) - max(map(len, self._spelled)) + 1)
        end = _folded(text[first:])
        return next(
            (
                first + place
                for place in range(len(end))
                if any(len(one) > len(end) - place and one.startswith(end[place:]) for one in self._spelled)
            ),
            len(text),
        )

    def with_more(self, *secrets: str) -> Concealment:
        """Return one that hides these too."""
        return Concealment(*self._secrets, *secrets, instead=self._instead)

    def joined(self, other: Concealment) -> Concealment:
        """Return one that hides the secrets of both."""
        return self.with_more(*other._secrets)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"

    def __reduce__(self) -> str:
        """Refuse to be pickled."""
        raise TypeError("secrets are not pickled")


def _folded(text: str) -> str:
    """Return a text in small letters, sign by sign."""
    return text.translate(_SAME).lower()


def _spellings(secrets: tuple[str, ...]) -> Iterator[str]:
    for secret in secrets:
        # A text that is signed (RFC 5849, 3.4.1) has the key encoded twice.
        percent, twice = quote(secret, safe=""), quote(quote(secret, safe=""), safe="")
        yield from (secret, json.dumps(secret)[1:-1], quote(secret))
        yield from (percent, twice)
        for one in {secret, percent}:
            yield from _encoded(one)
            if len(one) >= _SHORTEST_INSIDE:
                yield from _encoded_inside(one)
    for two in permutations(secrets, 2):  # basic authentication sends `key:secret`, percent-encoded for OAuth
        yield from _encoded(":".join(two))
        yield from _encoded(":".join(quote(one, safe="") for one in two))


def _encoded(text: str) -> Iterator[str]:
    """Yield a text in base64, in both alphabets, with and without what fills it up, and percent-encoded."""
    plain = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode()
    for one in (plain, plain.translate({ord("+"): "-", ord("/"): "_"})):
        yield from (one, one.rstrip("="), quote(one, safe=""))


def _encoded_inside(text: str) -> Iterator[str]:
    """Yield the signs that a text has in the base64 of whatever it stands in, at each of the three places."""
    data = text.encode("utf-8", "surrogatepass")
    for before in range(3):
        signs = base64.b64encode(bytes(before) + data).decode().rstrip("=")
        first, last = -(-before * 4 // 3), (before + len(data)) * 4 // 3  # of signs at the edges others have a part
        yield signs[first:last]
        yield signs[first:last].translate({ord("+"): "-", ord("/"): "_"})
