"""The task info of the challenge: name, variants, options and tracks."""

from __future__ import annotations

from duologue.core.protocols import TaskInfo

INFO = TaskInfo(
    name="conversation",
    version="1",
    language="en",
    answers="text",
    variants=("strict", "official", "official-nltk-current", "coco"),
    options={"vectors": (), "sentence-vectors": (), "meteor": (), "relevance": ()},
    files=("vectors", "sentence-vectors", "relevance"),
    programs=("meteor",),
    slices=("turns",),
    tracks=("task A", "task B"),
)
