"""All areas of the site, in the order of the navigation."""

from __future__ import annotations

from duologue.site.pages.account import AREA as ACCOUNT
from duologue.site.pages.annotate import AREA as ANNOTATE
from duologue.site.pages.audit import AREA as AUDIT
from duologue.site.pages.campaign_start import AREA as CAMPAIGN_START
from duologue.site.pages.campaigns import AREA as CAMPAIGNS
from duologue.site.pages.entrance import AREA as ENTRANCE
from duologue.site.pages.entries import AREA as ENTRIES
from duologue.site.pages.open_links import AREA as OPEN_LINKS
from duologue.site.pages.people import AREA as PEOPLE
from duologue.site.pages.rate import AREA as RATE
from duologue.site.pages.sheets import AREA as SHEETS
from duologue.site.pages.talk_lists import AREA as TALK_LISTS
from duologue.site.pages.talks import AREA as TALKS
from duologue.site.pages.track_finals import AREA as TRACK_FINALS
from duologue.site.pages.track_office import AREA as TRACK_OFFICE
from duologue.site.pages.track_start import AREA as TRACK_START
from duologue.site.pages.tracks import AREA as TRACKS

AREAS = (
    ENTRANCE, OPEN_LINKS, TRACKS, TRACK_START, ENTRIES, TRACK_OFFICE, TRACK_FINALS, RATE, TALKS, CAMPAIGN_START,
    CAMPAIGNS, TALK_LISTS, ANNOTATE, SHEETS, PEOPLE, AUDIT, ACCOUNT,
)  # fmt: skip
"""An area more is a line more."""
