"""The layers that people annotate in MobileCS dialogues, with the guideline (specification, sections 1 to 3)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from duologue.challenges.mobilecs.schema.english import INTENT_NAMES, SLOT_NAMES, TYPE_NAMES
from duologue.challenges.mobilecs.schema.intents import STAFF_LABELS, USER_LABELS, WITH_ARGUMENTS
from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS, USER_SLOTS
from duologue.core.annotation import AnnotationScheme
from duologue.core.typed import convert

_GUIDELINE = Path(__file__).with_name("guideline.toml")


@cache
def annotation_scheme() -> AnnotationScheme:
    """Return the scheme: ten types, the slots of services and of the user, and the intents of both sides."""
    labels = {
        "types": ENTITY_TYPES,
        "slots": SERVICE_SLOTS,
        "user_slots": USER_SLOTS,
        "intents": {"user": USER_LABELS, "system": STAFF_LABELS},
        "with_arguments": WITH_ARGUMENTS,
        "english": {**TYPE_NAMES, **SLOT_NAMES, **INTENT_NAMES},
    }
    told = msgspec.toml.decode(_GUIDELINE.read_bytes())
    return convert({**labels, **told}, AnnotationScheme)
