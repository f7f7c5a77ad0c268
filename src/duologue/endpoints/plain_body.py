"""Bodies of responses as they are sent: packed ones are not unpacked, since a few kilobytes may hold any number."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

UNPACKED = {"Accept-Encoding": "identity"}
"""Field of a request that asks for a body as it is."""
MAX_BYTES = 4 << 20
"""Bytes of a response that are read; more are refused."""


def packing_of(headers: Mapping[str, str]) -> str:
    """Return how a body is packed by the fields of its response; empty where it is not.

    >>> packing_of({"Content-Encoding": "gzip, gzip"}), packing_of({"Content-Encoding": "identity"}), packing_of({})
    ('gzip, gzip', '', '')
    """
    told = headers.get("Content-Encoding", "").strip()[:80]
    return "" if told.lower() == "identity" else told
