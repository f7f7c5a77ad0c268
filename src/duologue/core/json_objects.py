"""JSON decoder that records repeated keys, which Python's decoder drops silently."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from duologue.core import disk

if TYPE_CHECKING:
    from pathlib import Path


class Decoded(NamedTuple):
    """A decoded JSON text with its repeated keys; of these the last value is kept, as Python does."""

    value: Any
    repeated: dict[int, tuple[dict[str, Any], tuple[str, ...]]]
    """By `id` of the object: the object itself (kept alive, so that its `id` stays its own) and the keys."""

    def keys_repeated(self, value: Any) -> tuple[str, ...]:
        """Return the keys that an object of the file repeats."""
        entry = self.repeated.get(id(value))
        return entry[1] if entry is not None and entry[0] is value else ()


def decode(text: str, path: Path) -> Decoded:
    """Return a decoded JSON text. Raises `FormatError` as `disk.decode_json` does.

    >>> from pathlib import Path
    >>> found = decode('{"1": 2, "1": 3}', Path("x.json"))
    >>> found.value, found.keys_repeated(found.value)
    ({'1': 3}, ('1',))
    """
    repeated: dict[int, tuple[dict[str, Any], tuple[str, ...]]] = {}

    def hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            counted: dict[str, int] = {}
            for key, _ in pairs:
                counted[key] = counted.get(key, 0) + 1
            repeated[id(made)] = made, tuple(key for key, times in counted.items() if times > 1)
        return made

    try:
        return Decoded(json.loads(text, object_pairs_hook=hook), repeated)
    except (ValueError, RecursionError):
        # The house's reader says what is wrong, and where. Without a hook it may need less depth: then it decodes.
        return Decoded(disk.decode_json(text, path), {})
