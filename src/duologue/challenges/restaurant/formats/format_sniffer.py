"""Quick look at very large files, so that hundreds of megabytes of something else are refused before decoding."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from duologue.core.records import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE = 40 * 2**20
"""Smallest size, in characters, of files that are sniffed; 10,000 dialogues of subtask 3 have about 37 million."""
ITEMS = 1_000

_OPEN = re.compile(r"[ \t\n\r]*\[[ \t\n\r]*")
_NEXT = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")


def sniff(text: str) -> Problem | None:
    """Return why a very large text is no file of this challenge, or `None` when it may be one.

    That is so when it is a list and none of its first 1,000 items is an object with a `dialog_id`. Smaller
    texts and other mistakes are left to the decoder, whose messages are better.
    """
    if len(text) < LARGE:
        return None
    looked = 0
    for item in _first_items(text):
        if isinstance(item, dict) and "dialog_id" in item:
            return None
        looked += 1
    if not looked:
        return None
    return Problem(
        rule="foreign-file",
        message=f"none of the first {looked} items has a dialog_id, and the file has {len(text):,} characters",
        advice="this is no file of the restaurant challenge",
    )


def _first_items(text: str) -> Iterator[Any]:
    """Yield up to 1,000 items of a JSON list without reading further; end early at what does not decode."""
    start = _OPEN.match(text)
    decode = json.JSONDecoder().raw_decode
    position = start.end() if start else len(text)
    for _ in range(ITEMS):
        try:
            item, position = decode(text, position)
        except (ValueError, RecursionError):
            return
        yield item
        step = _NEXT.match(text, position)
        if step is None:
            return
        position = step.end()
