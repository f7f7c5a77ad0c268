"""Repairs odd raw dialogues before the preprocessing (variant `strict`), each with a warning at its place.

The official program skips records that lack a part, takes the speakers of the first turn for all, keeps doubled
brackets, and treats a slot with capitals or an owner `na` as another one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from duologue.challenges.mobilecs.formats.annotations import normalised_entity, normalised_triple
from duologue.challenges.mobilecs.formats.issues import Issues
from duologue.challenges.mobilecs.formats.raw import content_of
from duologue.challenges.mobilecs.schema.ontology import STAFF_INTENT, USER, USER_INTENT
from duologue.core.decoded import shown

if TYPE_CHECKING:
    from duologue.core.records import Dialogue

RULES = {
    "speakers-renamed": "the speakers have the same keys in all turns (a warning; renamed as in the first)",
    "intent-brackets": "no bracket of an intent is doubled (a warning; one is kept)",
    "slot-capitals": "slots are in lower case (a warning; made so)",
    "owner-unknown": "the `ent-id` of a triple is an entity's or `NA` (a warning; the triple is left out)",
}
"""Rules for what is repaired here, by id; those for what the reader repairs too are in `raw`."""

_DOUBLED = re.compile(r"([(（])[(（]+")


def repaired_row(dialogue: Dialogue, number: int, issues: Issues) -> dict[str, Any]:
    """Return the repaired row of a raw dialogue; `number` is its index in the file.

    The row must have passed the reader, which reports its own repairs: `issues` gets the others.
    """
    issues.enter(number, dialogue.id)
    content = content_of(dialogue.source)
    turns = [
        _with_usual_speakers({**turn, "info": _usual_info(turn)}, list(content[0])[:2], f"/content/{place}", issues)
        for place, turn in enumerate(content)
    ]
    entities = {entity["id"] for turn in turns for entity in turn["info"]["ents"]}
    for place, turn in enumerate(turns):
        pointer = f"/content/{place}"
        for key in (USER_INTENT, STAFF_INTENT):
            if key in turn and _DOUBLED.search(turn[key]):
                issues.warn("intent-brackets", f"{pointer}/{key}", f"{shown(turn[key])} has a doubled bracket")
                turn[key] = _DOUBLED.sub(r"\1", turn[key])
        turn["info"]["triples"] = _usual_triples(turn["info"]["triples"], entities, f"{pointer}/info/triples", issues)
    return {"id": dialogue.id, "content": turns}


def _usual_info(turn: dict[str, Any]) -> dict[str, Any]:
    """Return the annotation of a turn without unusable records."""
    info, reported = turn.get("info") or {}, Issues()
    entities = [normalised_entity(one, "", reported) for one in info.get("ents", [])]
    triples = [normalised_triple(one, "", reported) for one in info.get("triples", [])]
    return {
        **info,
        "ents": [one for one in entities if one is not None],
        "triples": [{"ent-name": USER, **one} if "ent-name" not in one else one for one in triples if one is not None],
    }


def _with_usual_speakers(turn: dict[str, Any], usual: list[str], pointer: str, issues: Issues) -> dict[str, Any]:
    own = list(turn)[:2]
    if own == usual or set(own) != set(usual):
        return turn
    issues.warn("speakers-renamed", pointer, f"{own[0]} speaks first here, and {usual[0]} in the first turn")
    names = dict(zip(own, usual, strict=True))
    return {names.get(key, key): value for key, value in turn.items()}


def _usual_triples(triples: list[Any], entities: set[str], pointer: str, issues: Issues) -> list[dict[str, Any]]:
    kept = []
    for number, triple in enumerate(triples):
        owner, slot = triple["ent-id"], triple["prop"]
        if owner != USER and not owner.startswith("ent") and owner not in entities:
            message = f"'ent-id' is {shown(owner)}, which is no entity of the dialogue"
            issues.warn("owner-unknown", f"{pointer}/{number}", message, "the triple is left out")
            continue
        if slot != slot.lower():
            issues.warn("slot-capitals", f"{pointer}/{number}/prop", f"the slot {shown(slot)} is made lower case")
        kept.append({**triple, "prop": slot.lower()})
    return kept
