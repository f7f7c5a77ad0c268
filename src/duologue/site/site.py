"""The site: its database, its settings, its templates."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.concurrency import run_in_threadpool

from duologue.site.renderer import Renderer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from duologue.arena.database.database import Database
    from duologue.site.navigation import NavigationEntry
    from duologue.site.settings import SiteSettings

Read = TypeVar("Read")


class Site:
    """What all handlers share."""

    def __init__(self, database: Database, settings: SiteSettings, entries: Sequence[NavigationEntry] = ()) -> None:
        self.database, self.settings = database, settings
        self.renderer = Renderer(entries)

    async def read(self, action: Callable[..., Read], /, *arguments: Any, **options: Any) -> Read:
        """Return `action(connection, *arguments, **options)`, read in one snapshot, in a thread."""

        def work() -> Read:
            with self.database.reading() as connection:
                return action(connection, *arguments, **options)

        found: Read = await run_in_threadpool(work)
        return found

    async def write(self, action: Callable[[Connection], Any], *, nonce: str | None = None) -> Any:
        """Return the result of an action after its commit; the same nonce again gives the result and does nothing."""
        with self.database.guarded():
            return await asyncio.wrap_future(self.database.submit(action, nonce=nonce))
