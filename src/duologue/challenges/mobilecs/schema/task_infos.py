"""The two tasks of MobileCS: names, kinds of answers and label inventories."""

from __future__ import annotations

from duologue.challenges.mobilecs.schema.english import INTENT_NAMES, SLOT_NAMES, TYPE_NAMES
from duologue.challenges.mobilecs.schema.intents import STAFF_LABELS, USER_LABELS
from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS, USER_SLOTS
from duologue.core.protocols import TaskInfo

EXTRACTION = TaskInfo(
    name="mobilecs/extraction",
    version="1",
    language="zh",
    answers="mentions+values",
    labels={"entity types": ENTITY_TYPES, "service slots": SERVICE_SLOTS, "user slots": USER_SLOTS},
    english={**TYPE_NAMES, **SLOT_NAMES},
    one_reference=True,
)

DIALOGUE = TaskInfo(
    name="mobilecs/dialogue",
    version="1",
    language="zh",
    answers="acts+text",
    labels={
        "user intents": USER_LABELS,
        "staff intents": STAFF_LABELS,
        "service slots": SERVICE_SLOTS,
        "user slots": USER_SLOTS,
    },
    english={**TYPE_NAMES, **SLOT_NAMES, **INTENT_NAMES},
    one_reference=True,
    kb_beside=True,
)
