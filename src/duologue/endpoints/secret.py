"""The key of a server: from the environment alone, and never in anything that is written or shown."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from duologue.core.concealment import Concealment
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

VARIABLE = "DUOLOGUE_ENDPOINT_KEY"
"""The one environment variable that is read: no recipe can have another one sent to a server."""
_SHORTEST = 8
_INSTEAD = "[key]"


class Secret:
    """A key that is not shown: only `headers` has it."""

    __slots__ = ("_concealment", "_key")

    def __init__(self, key: str = "") -> None:
        """Take a key; empty for a server that wants none. Raises `UsageError` for what can be none, not showing it."""
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise UsageError(f"{VARIABLE}: a key is made of printable ASCII signs without blanks")
        if 0 < len(key) < _SHORTEST:
            raise UsageError(
                f"{VARIABLE}: a key of fewer than {_SHORTEST} signs could not be kept out of answers; for a server "
                f"that takes any word give a longer one, for one that wants none leave it unset"
            )
        self._key = key
        self._concealment = Concealment(key, instead=_INSTEAD)

    @classmethod
    def of_environment(cls) -> Secret:
        """Return the key of the environment. Raises `UsageError` for what can be none."""
        return cls(os.environ.get(VARIABLE, "").strip())

    def headers(self) -> dict[str, str]:
        """Return the header that bears the key; none without one."""
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def hidden(self, text: str) -> str:
        """Return a text of the server with the key, should it be there in whatever writing, replaced."""
        return self._concealment.hidden(text)

    def hidden_pieces(self, pieces: Iterable[str]) -> Iterator[str]:
        """Yield a text of the server that comes in pieces with the key replaced, also where pieces cut it in two."""
        return self._concealment.hidden_pieces(pieces)

    def hidden_in(self, value: Any) -> Any:
        """Return decoded JSON of the server with the key replaced in all its texts."""
        if isinstance(value, str):
            return self.hidden(value)
        if isinstance(value, list):
            return [self.hidden_in(one) for one in value]
        return (
            {self.hidden(key): self.hidden_in(one) for key, one in value.items()} if isinstance(value, dict) else value
        )

    def demand_apart_from(self, settings: Mapping[str, Any]) -> None:
        """Raise `UsageError` where the key stands in what is set by a name, which is kept beside what comes of it."""
        for name, value in settings.items():
            if self.hidden_in([name, value]) != [name, value]:
                raise UsageError(
                    f"{self.hidden(name)}: the key of {VARIABLE} would be kept with the settings; leave it out, "
                    "it is taken from the environment"
                )

    def __repr__(self) -> str:
        return "Secret(...)" if self._key else "Secret()"

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Refuse to be pickled."""
        raise TypeError("a key is not pickled")
