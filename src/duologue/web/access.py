"""Who may ask, and how often: tokens, and a limit of requests for each client."""

from __future__ import annotations

import hashlib
import hmac
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from time import monotonic
from typing import TYPE_CHECKING

from duologue.core.disk import read_bytes
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SHORTEST_TOKEN = 16
"""Characters of the shortest token that is taken: shorter ones can be guessed."""
_MAX_REMEMBERED = 10_000
"""Clients that a limit remembers; those who have not asked for longest are forgotten first."""


class AccessTokens:
    """Secrets, one of which a request must bear. Only their hashes are kept; none: everybody may ask.

    Raises `UsageError`, which never shows a token, for one that is too short or holds other than visible ASCII.
    """

    def __init__(self, tokens: Iterable[str] = ()) -> None:
        kept = []
        for number, token in enumerate(tokens, start=1):
            if len(token) < SHORTEST_TOKEN:
                raise UsageError(f"token {number} has fewer than {SHORTEST_TOKEN} characters; take a random one")
            if not (token.isascii() and token.isprintable()) or " " in token:
                raise UsageError(f"token {number} holds other than visible ASCII characters")
            kept.append(_hash(token))
        self._hashes = tuple(kept)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._hashes)

    def admit(self, authorization: str) -> bool:
        """Whether a field `Authorization` bears one of the tokens; compared in a time that tells nothing of them."""
        if not self._hashes:
            return True
        scheme, _, token = authorization.partition(" ")
        given = _hash(token.strip())
        matches = [hmac.compare_digest(given, kept) for kept in self._hashes]
        return scheme.lower() == "bearer" and any(matches)


def read_tokens(path: Path) -> list[str]:
    """Return the tokens of a file, one on each line; empty lines and those that begin with `#` are passed over.

    Raises `UsageError` for a file without any, and for one that is no text.
    """
    try:
        lines = read_bytes(path).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no text: expected a token on each line") from error
    found = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not found:
        raise UsageError(f"{path} holds no token: expected one on each line")
    return found


class RateLimit:
    """So many requests a minute for each client, as many of them at once; 0: no limit."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._left: dict[str, tuple[float, float]] = {}
        """By client: requests left, and when that was so. Whoever has asked last stands last."""

    def wait(self, who: str) -> float:
        """Return 0 and count one request of a client, or the seconds until it may ask again."""
        if not self.per_minute:
            return 0.0
        now = monotonic()
        left, since = self._left.pop(who, (float(self.per_minute), now))
        left = min(float(self.per_minute), left + (now - since) * self.per_minute / 60)
        refused = left < 1
        self._left[who] = (left if refused else left - 1, now)
        if len(self._left) > _MAX_REMEMBERED:
            del self._left[next(iter(self._left))]
        return (1 - left) * 60 / self.per_minute if refused else 0.0


@lru_cache(_MAX_REMEMBERED)
def client_of(host: str) -> str:
    """Return whom limits count an address for: the address, or the network of 64 bits that it stands in."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Address(int(address) >> 64 << 64))
    return str(address)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
