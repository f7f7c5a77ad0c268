"""Training of the joint extractor: the tagger, the scorers of links on its output, the levels of decisions."""

from __future__ import annotations

import dataclasses
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, USER
from duologue.challenges.mobilecs.systems.candidate_scorer.network import fit_scorer, new_scorer
from duologue.challenges.mobilecs.systems.extractor.decision_levels import DecisionLevels, SpanLevel
from duologue.challenges.mobilecs.systems.extractor.decoder import CallDecoder
from duologue.challenges.mobilecs.systems.extractor.found_parts import (
    CONTEXT,
    FoundCall,
    FoundPart,
    as_said,
    found_call,
    in_context,
    part_in,
    parts_above,
    with_repeated,
)
from duologue.challenges.mobilecs.systems.extractor.link_features import MENTION_SIZE, VALUE_SIZE
from duologue.challenges.mobilecs.systems.extractor.linker import LinkDecisions, decisions_of
from duologue.challenges.mobilecs.systems.extractor.name_evidence import BUCKETS, typed_names
from duologue.challenges.mobilecs.systems.extractor.network import (
    NameClassifier,
    TypedEntity,
    fit_classifier,
    fit_names,
    new_classifier,
)
from duologue.challenges.mobilecs.systems.extractor.slot_evidence import SlotEvidence
from duologue.challenges.mobilecs.systems.extractor.training_rows import (
    LAYERS,
    CallRows,
    labelled_rows,
    renamed_documents,
)
from duologue.challenges.mobilecs.systems.extractor.type_features import TYPE_SIZE, type_features
from duologue.challenges.mobilecs.systems.tagger.char_features import features_of
from duologue.challenges.mobilecs.systems.tagger.document import call_document
from duologue.challenges.mobilecs.systems.tagger.gold_spans import annotation_of, mention_spans, value_spans
from duologue.challenges.mobilecs.systems.tagger.label_layer import MENTIONS, SERVICE_VALUES, USER_VALUES
from duologue.challenges.mobilecs.systems.tagger.network import new_tagger, tag, tagger_task
from duologue.core.held_out import draw_order, split_by_group
from duologue.core.records import Annotation
from duologue.models.train import TrainConfig, train

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duologue.challenges.mobilecs.systems.candidate_scorer.network import CandidateScorer
    from duologue.challenges.mobilecs.systems.extractor.network import TypeClassifier
    from duologue.challenges.mobilecs.systems.extractor.recipe import ExtractorRecipe
    from duologue.challenges.mobilecs.systems.tagger.document import Document
    from duologue.challenges.mobilecs.systems.tagger.label_layer import KindSpan
    from duologue.challenges.mobilecs.systems.tagger.network import CharTagger, TaggedDocument, TaggedText
    from duologue.core.protocols import Run
    from duologue.core.records import Example

_LEVELS = (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55)
_BEGINS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
_REPEATED = (0.1, 0.15, 0.2, 0.3, 0.4, 1.0)
_CALLS = 200  # read at once


class ExtractorParts(NamedTuple):
    """What the extractor has learned."""

    tagger: CharTagger
    of_mentions: CandidateScorer
    of_values: CandidateScorer
    of_types: TypeClassifier
    of_names: NameClassifier
    levels: DecisionLevels
    evidence: SlotEvidence

    def decoder(self, recipe: ExtractorRecipe) -> CallDecoder:
        """Return what decides on the tagger's output."""
        mentions, values, types = (one.frozen() for one in (self.of_mentions, self.of_values, self.of_types))
        return CallDecoder(recipe, mentions, values, types, self.levels, self.evidence, self.of_names.frozen())


class _TaggedCall(NamedTuple):
    """An annotated call with the tagger's output."""

    document: Document
    annotation: Annotation
    said: TaggedText


def new_parts(recipe: ExtractorRecipe, levels: DecisionLevels, evidence: SlotEvidence, seed: int) -> ExtractorParts:
    """Return parts with untrained networks."""
    return ExtractorParts(
        new_tagger([layer.size for layer in LAYERS], recipe.tagger, seed),
        new_scorer(MENTION_SIZE + CONTEXT * recipe.tagger.width, recipe.links, seed),
        new_scorer(VALUE_SIZE, recipe.links, seed + 1),
        new_classifier(TYPE_SIZE, len(ENTITY_TYPES), recipe.types, seed + 2),
        NameClassifier(BUCKETS, len(ENTITY_TYPES)),
        levels,
        evidence,
    )


class TaggerTraining(Protocol):
    """How the tagger is trained on annotated calls."""

    def __call__(
        self, recipe: ExtractorRecipe, examples: Sequence[Example], held_out: Sequence[Example], run: Run
    ) -> CharTagger:
        """Return a trained tagger; held-out calls choose its best weights."""
        ...


def train_tagger(
    recipe: ExtractorRecipe, examples: Sequence[Example], held_out: Sequence[Example], run: Run
) -> CharTagger:
    """Return a tagger trained on annotated calls alone."""
    tagger = new_tagger([layer.size for layer in LAYERS], recipe.tagger, run.seed)
    rows = CallRows(examples, recipe, run.seed)
    fit_tagger(recipe, tagger, rows, labelled_rows(held_out, recipe), run.part("tagger"))
    return tagger


def fit_tagger(
    recipe: ExtractorRecipe,
    tagger: CharTagger,
    rows: CallRows,
    held_out: Sequence[TaggedDocument],
    run: Run,
) -> None:
    """Train a tagger on annotated calls in place.

    Where few calls are gone through often, weights of the warm-up are never the best: an untrained tagger is right in
    some characters by chance, one that has learned to say nothing in none, and early stopping ended with the first.
    """
    config = TrainConfig.of(recipe, recipe.tagger.for_rows(len(rows)), choose="right")
    config = msgspec.structs.replace(config, choose_from=int(config.warm_up * config.epochs))
    train(dataclasses.replace(tagger_task(tagger), stage=rows.begin), rows, held_out, config, run)


def train_parts(
    recipe: ExtractorRecipe,
    examples: Sequence[Example],
    held_out: Sequence[Example],
    run: Run,
    tagger_training: TaggerTraining = train_tagger,
) -> ExtractorParts:
    """Return the parts trained on annotated calls; the best weights are chosen on those held out.

    Interrupted, each network goes on from its last checkpoint. Raises `UsageError` when there is nothing to learn from.
    """
    parts = new_parts(recipe, DecisionLevels(), SlotEvidence.of(_typed_entities(examples)), run.seed)
    names = draw_order((one.sample.dialogue_id for one in examples), run.seed)
    apart = set(names[: round(recipe.set_apart * len(names))])
    examples, others = split_by_group(examples, lambda one: one.sample.dialogue_id, apart)
    parts = parts._replace(tagger=tagger_training(recipe, examples, held_out, run))
    calls = [*_tagged(parts.tagger, [*_documents(others), *renamed_documents(others, recipe.unseen, run.seed)])]
    taught = _link_decisions(chain(calls, _tagged(parts.tagger, _documents(examples[: recipe.link_calls]))))
    tests = _link_decisions(_tagged(parts.tagger, _documents(held_out)))
    for scorer, name, place in ((parts.of_mentions, "mentions", 0), (parts.of_values, "values", 1)):
        config = TrainConfig.of(recipe, recipe.links.for_rows(len(taught[place])), choose="loss")
        fit_scorer(scorer, taught[place], tests[place], config, run.part(name), one_of_all=True)
    parts = parts._replace(levels=_chosen_levels(calls))
    fit_names(parts.of_names, typed_names(_names(examples)), recipe.names, run.part("names"))
    decoder = parts.decoder(recipe)
    config = TrainConfig.of(recipe, recipe.types, choose="right")
    again = renamed_documents(examples[: recipe.type_calls], 1.0, run.seed + 1)  # other signs than the tagger has seen
    entities = _found_entities(chain(calls, _tagged(parts.tagger, again)), decoder)
    judged = _found_entities(_tagged(parts.tagger, renamed_documents(held_out, 1.0, run.seed)), decoder)
    fit_classifier(parts.of_types, entities, judged, config, run.part("types"))
    return parts


def _documents(examples: Iterable[Example]) -> list[tuple[Example, Document]]:
    return [(one, call_document(one.sample.history)) for one in examples]


def _tagged(tagger: CharTagger, calls: Sequence[tuple[Example, Document]]) -> Iterator[_TaggedCall]:
    """Yield annotated calls that have words with what the tagger says of them; some at a time, for it is much."""
    calls = [call for call in calls if call[1].text]
    for first in range(0, len(calls), _CALLS):
        some = calls[first : first + _CALLS]
        said = tag(tagger, [features_of(document) for _, document in some])
        for (example, document), one in zip(some, said, strict=True):
            yield _TaggedCall(document, annotation_of(example) or Annotation(), one)


def _typed_entities(examples: Iterable[Example]) -> Iterator[tuple[int, frozenset[int]]]:
    """Yield type and slots of the annotated entities; the type is that of most mentions, the first of equal ones."""
    kinds = {kind: number for number, kind in enumerate(MENTIONS.kinds)}
    slots = {slot: number for number, slot in enumerate(SERVICE_VALUES.kinds)}
    for example in examples:
        annotation = annotation_of(example) or Annotation()
        types: dict[str, list[int]] = {}
        for mention in annotation.mentions:
            if mention.entity is not None and mention.label in kinds:
                types.setdefault(mention.entity, []).append(kinds[mention.label])
        for entity, found in types.items():
            owned = frozenset(
                slots[one.slot] for one in annotation.values if one.entity == entity and one.slot in slots
            )
            yield max(found, key=found.count), owned


def _names(examples: Iterable[Example]) -> Iterator[tuple[str, int]]:
    """Yield the annotated mentions as they are said, with their types."""
    for example in examples:
        annotation = annotation_of(example) or Annotation()
        for mention in annotation.mentions:
            if mention.label in MENTIONS.kinds:
                yield as_said(mention.text), MENTIONS.kinds.index(mention.label)


def _link_decisions(calls: Iterable[_TaggedCall]) -> LinkDecisions:
    """Return the decisions of linking in annotated calls, with types and slots as the tagger sees them."""
    found = LinkDecisions([], [])
    for document, annotation, said in calls:
        mentions = [
            (in_context(part, said.vectors), one.entity or USER)
            for one in annotation.mentions
            if one.span is not None and (place := document.stretch(one.span)) is not None
            if (part := part_in(document, said.layers[0], *place)) is not None
        ]
        values = [
            (part, one.entity)
            for one in annotation.values
            if one.span is not None and one.entity is not None and (place := document.stretch(one.span)) is not None
            if (part := part_in(document, said.layers[1], *place)) is not None
        ]
        mentions.sort(key=lambda pair: pair[0].start)
        values.sort(key=lambda pair: pair[0].start)
        call = FoundCall([part for part, _ in mentions], [part for part, _ in values], [])
        made = decisions_of(call, [owner for _, owner in mentions], [owner for _, owner in values])
        found.mentions.extend(made.mentions)
        found.values.extend(made.values)
    return found


def _found_entities(calls: Iterable[_TaggedCall], decoder: CallDecoder) -> list[TypedEntity]:
    """Return the entities that are found in annotated calls, with the type of most of their annotated mentions."""
    found = []
    for call in calls:
        parts = found_call(call.document, call.said, decoder.levels)
        if not parts.mentions:
            continue
        linked = decoder.linked(parts)
        types = {(span.start, span.end): span.kind for span in _gold(call, 0)}
        known: dict[int, list[int]] = {}
        for part, entity in zip(parts.mentions, linked.mentions, strict=True):
            if (part.start, part.end) in types:
                known.setdefault(entity, []).append(types[part.start, part.end])
        features = type_features(parts.mentions, linked, decoder.evidence, decoder.names)
        for entity, kinds in known.items():
            kind = max(kinds, key=kinds.count)
            found.append(TypedEntity(features[entity], kind, kinds.count(kind)))
    return found


def _chosen_levels(calls: Sequence[_TaggedCall]) -> DecisionLevels:
    """Return the levels with the best F1 of mentions, values and the user's values: first ends, then how sure."""
    mention, value, own = (_best_level(calls, layer) for layer in range(3))
    parts = [parts_above(call.document, call.said.layers[0], mention) for call in calls]
    repeated = {level: _f1(calls, 0, _named(calls, parts, level)) for level in _REPEATED}
    return DecisionLevels(mention, value, own, max(repeated, key=lambda level: repeated[level]))


def _named(calls: Sequence[_TaggedCall], parts: Sequence[list[FoundPart]], level: float) -> Iterator[list[FoundPart]]:
    """Yield the mentions of each call with the other places of their names."""
    for call, some in zip(calls, parts, strict=True):
        yield with_repeated(call.document, some, call.said.layers[0], level)


def _best_level(calls: Sequence[_TaggedCall], layer: int) -> SpanLevel:
    best, most = SpanLevel(), -1.0
    for name, options in (("begin", _BEGINS), ("level", _LEVELS)):
        for option in options:
            at = msgspec.structs.replace(best, **{name: option})
            f1 = _f1(calls, layer, (parts_above(call.document, call.said.layers[layer], at) for call in calls))
            if f1 > most:  # of equals the first
                best, most = at, f1
    return best


def _f1(calls: Sequence[_TaggedCall], layer: int, found: Iterable[Sequence[FoundPart]]) -> float:
    """Return the F1 of found spans; those of mentions without their types, which are given to entities later."""
    right = said = wanted = 0
    compared = 3 if layer else 2  # start and end, and the slot of a value
    for call, parts in zip(calls, found, strict=True):
        gold = {span[:compared] for span in _gold(call, layer)}
        right += sum((part.start, part.end, part.kind)[:compared] in gold for part in parts)
        said += len(parts)
        wanted += len(gold)
    return 2 * right / (said + 1 + wanted)


def _gold(call: _TaggedCall, layer: int) -> list[KindSpan]:
    document, annotation = call.document, call.annotation
    if layer == 0:
        return mention_spans(document, annotation.mentions, MENTIONS)
    if layer == 1:
        return value_spans(document, (one for one in annotation.values if one.entity is not None), SERVICE_VALUES)
    return value_spans(document, (one for one in annotation.values if one.entity is None), USER_VALUES)
