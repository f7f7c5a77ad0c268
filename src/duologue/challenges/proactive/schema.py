"""Names of the challenge that several rooms use: the task info, predicates of topics, the mark of a goal, slices."""

from __future__ import annotations

from duologue.core.protocols import TaskInfo

START = "START"
"""First cell of a goal."""

DOMAIN = "领域"
"""The predicate that says whether a topic is a film or a person."""
FILM = "电影"
"""Its value for a film; any other is a person."""

CUTS = ("turn", "domains", "relation")
"""Names of the slices that scores are reported for, as `--by` takes them."""

INFO = TaskInfo(
    name="proactive",
    version="1",
    language="zh",
    answers="text",
    variants=("strict", "official"),
    slices=CUTS,
    ordered=True,
    one_reference=True,
)
