"""The engine of a site's talks, which pages and API share."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from duologue.arena.talks.engine import TalkEngine

if TYPE_CHECKING:
    from duologue.site.site import Site

_ENGINES: WeakKeyDictionary[Site, TalkEngine] = WeakKeyDictionary()


def engine_of(site: Site) -> TalkEngine:
    """Return the engine of a site; it does nothing before it is asked for an answer."""
    if site not in _ENGINES:
        _ENGINES[site] = TalkEngine(site.database)
    return _ENGINES[site]
