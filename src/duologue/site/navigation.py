"""The lines of the navigation."""

from __future__ import annotations

from typing import NamedTuple


class NavigationEntry(NamedTuple):
    """A line of the navigation, and of the page that somebody finds after signing in."""

    path: str
    key: str
    """Word of what it is called; `key` with `_about` behind it says what is there."""
    roles: tuple[str, ...] = ()
    """Who sees it; empty: whoever is signed in."""
