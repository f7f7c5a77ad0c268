"""From what the tagger says of a call to its annotation: parts found, linked, and typed together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from duologue.challenges.mobilecs.schema.ontology import (
    DATA_SERVICE,
    DATA_SERVICES,
    ENTITY_TYPES,
    SERVICE_SLOTS,
    USER_SLOTS,
)
from duologue.challenges.mobilecs.systems.extractor.found_parts import found_call
from duologue.challenges.mobilecs.systems.extractor.linker import link
from duologue.challenges.mobilecs.systems.extractor.type_features import type_features
from duologue.core.records import Annotation, Mention, Value

if TYPE_CHECKING:
    from duologue.challenges.mobilecs.systems.candidate_scorer.feed_forward import FeedForward
    from duologue.challenges.mobilecs.systems.extractor.decision_levels import DecisionLevels
    from duologue.challenges.mobilecs.systems.extractor.found_parts import FoundCall, FoundPart
    from duologue.challenges.mobilecs.systems.extractor.linker import LinkedCall
    from duologue.challenges.mobilecs.systems.extractor.name_evidence import NameEvidence
    from duologue.challenges.mobilecs.systems.extractor.recipe import ExtractorRecipe
    from duologue.challenges.mobilecs.systems.extractor.slot_evidence import SlotEvidence
    from duologue.challenges.mobilecs.systems.tagger.document import Document
    from duologue.challenges.mobilecs.systems.tagger.network import TaggedText


_DATA_SERVICE = ENTITY_TYPES.index(DATA_SERVICE)


class CallDecoder(NamedTuple):
    """All that decides, besides the tagger."""

    recipe: ExtractorRecipe
    of_mentions: FeedForward
    of_values: FeedForward
    of_types: FeedForward
    """Corrections of what tagger, names and slots say of an entity's type."""
    levels: DecisionLevels
    evidence: SlotEvidence
    names: NameEvidence

    def annotation(self, document: Document, said: TaggedText) -> Annotation:
        """Return the annotation of a call from what the tagger says of it."""
        call = found_call(document, said, self.levels)
        return self.annotated(document, call, self.linked(call))

    def linked(self, call: FoundCall) -> LinkedCall:
        """Return the parts of a call linked."""
        recipe = self.recipe
        return link(call, self.of_mentions, self.of_values, beam=recipe.beam, resolve=recipe.coreference)

    def types(self, call: FoundCall, linked: LinkedCall) -> list[int]:
        """Return the type of each mention; what the official programs count as a data service is one."""
        if not self.recipe.joint_types:
            return [part.kind for part in call.mentions]
        if not call.mentions:
            return []
        features = type_features(call.mentions, linked, self.evidence, self.names)
        first, others = np.split(features, [len(ENTITY_TYPES)], axis=1)
        found = (first + self.of_types.outputs(others)).argmax(1).tolist()
        for number, entity in enumerate(linked.entities):
            if any(service in name for name in entity.names for service in DATA_SERVICES):
                found[number] = _DATA_SERVICE
        return [found[entity] for entity in linked.mentions]

    def annotated(self, document: Document, call: FoundCall, linked: LinkedCall) -> Annotation:
        """Return the annotation of linked parts; values of services that are nobody's are left out."""
        mentions = [
            Mention(label=ENTITY_TYPES[kind], text=_text(document, part), entity=f"ent-{entity + 1}", span=part.span)
            for part, entity, kind in zip(call.mentions, linked.mentions, self.types(call, linked), strict=True)
        ]
        values = [
            Value(slot=SERVICE_SLOTS[part.kind], text=_text(document, part), entity=f"ent-{entity + 1}", span=part.span)
            for part, entity in zip(call.values, linked.values, strict=True)
            if entity >= 0
        ]
        values += [Value(slot=USER_SLOTS[part.kind], text=_text(document, part), span=part.span) for part in call.own]
        return Annotation(mentions=tuple(mentions), values=tuple(values))


def _text(document: Document, part: FoundPart) -> str:
    return document.text[part.start : part.end]
