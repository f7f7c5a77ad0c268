"""The rooms whose tables a database holds: importing this module makes the metadata whole."""

from duologue.arena.annotation import tables as annotation
from duologue.arena.campaigns import tables as campaigns
from duologue.arena.competition import tables as competition
from duologue.arena.database import tables
from duologue.arena.jobs import tables as jobs
from duologue.arena.people import tables as people
from duologue.arena.talks import tables as talks

ROOMS = (tables, people, annotation, campaigns, jobs, competition, talks)
"""One module of tables for each room, so that a test can tell what was forgotten."""
