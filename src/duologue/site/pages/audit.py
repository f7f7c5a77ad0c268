"""The audit log, for admins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.arena.people.audit import AuditPlace, audit_entries
from duologue.site.area import Area, route
from duologue.site.navigation import NavigationEntry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response
    from starlette.routing import Route

    from duologue.site.visit import Visit

_ROWS = 100


def routes() -> Sequence[Route]:
    """Return the routes."""
    return [route("/audit", show, "admin")]


async def show(visit: Visit) -> Response:
    """Show what was done, the last first."""
    before, action = AuditPlace.read(visit.asked("before")), visit.asked("action", limit=60)
    found = await visit.read(audit_entries, limit=_ROWS, before=before, action=action)
    more = str(AuditPlace(found[-1].at, found[-1].id)) if len(found) == _ROWS else None
    return visit.page("people/audit.html", title=visit.t("people.audit"), found=found, more=more, action=action)


AREA = Area("audit", routes, (NavigationEntry("/audit", "people.audit", ("admin",)),))
