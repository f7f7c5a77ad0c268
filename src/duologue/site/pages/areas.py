"""All areas of the site, in the order of the navigation."""

from __future__ import annotations

from duologue.site.pages.account import AREA as ACCOUNT
from duologue.site.pages.audit import AREA as AUDIT
from duologue.site.pages.entrance import AREA as ENTRANCE
from duologue.site.pages.people import AREA as PEOPLE

AREAS = (ENTRANCE, PEOPLE, AUDIT, ACCOUNT)
"""An area more is a line more."""
