"""The task info of the challenge: what every system is told about it."""

from __future__ import annotations

from duologue.core.protocols import TaskInfo

INFO = TaskInfo(
    name="restaurant",
    version="1",
    language="en",
    answers="ranking",
    variants=("strict", "official"),
    options={"input-nb-candidate": ()},
    slices=("answer-type",),
    one_reference=True,
)
