"""Training pairs of context and reply template, and the detection of near-duplicate dialogues."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.spoken.systems.template_nlg.context import context_of, query_terms
from duologue.challenges.spoken.systems.template_nlg.grounding import EntityLexicon, claims_in, plain_words
from duologue.challenges.spoken.systems.template_nlg.surface_forms import fact_text
from duologue.challenges.spoken.systems.template_nlg.template_index import IndexedTemplate
from duologue.challenges.spoken.systems.template_nlg.templates import template_of
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.knowledge.normalization import without_suffix
from duologue.retrieval.reranker import RerankingExample

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duologue.challenges.spoken.systems.template_nlg.context import ReplyContext
    from duologue.core.records import Example, Fact

_TELLING = 12  # characters of a reply that two dialogues do not share by chance
_SHARED = 3  # such replies that near-duplicates share


class TrainingReply(NamedTuple):
    """A reference reply with its context and template."""

    example: Example
    context: ReplyContext
    entry: IndexedTemplate

    @property
    def reranked(self) -> RerankingExample[ReplyContext]:
        """What the reranker learns of it; it gets no candidates of its own dialogue."""
        reference = self.example.references[0].text or ""
        return RerankingExample(self.example.sample.id, self.context, reference, self.entry.source)


def training_replies(examples: Sequence[Example], graph: Iterable[Fact]) -> tuple[list[TrainingReply], list[str]]:
    """Return a lesson for each example with a reply, and the runs of characters that are plain words."""
    with_replies = [one for one in examples if one.references and one.references[0].text]
    duplicate_of = near_duplicates(with_replies)
    facts = [gold_facts(one) for one in with_replies]
    contexts = [context_of(one.sample.history, known) for one, known in zip(with_replies, facts, strict=True)]
    templates = [
        template_of(_wording(one), context.groups) for one, context in zip(with_replies, contexts, strict=True)
    ]
    named = Counter(name for known in facts for name in {text for fact in known for text in _names(fact)})
    wordings = [[piece for piece in pieces if isinstance(piece, str)] for pieces in templates]
    dialogues = [duplicate_of[one.sample.dialogue_id] for one in with_replies]
    words = plain_words(list(zip(dialogues, wordings, strict=True)), named)
    lexicon = EntityLexicon([*graph, *(fact for known in facts for fact in known)], words)
    training = []
    for one, context, pieces, wording, dialogue in zip(
        with_replies, contexts, templates, wordings, dialogues, strict=True
    ):
        entry = IndexedTemplate(
            pieces=pieces,
            relations=context.relations,
            source=dialogue,
            turn=context.turn,
            groups=tuple((weight, tuple(terms)) for weight, terms in query_terms(context)),
            needs=tuple(claim.lower() for claim in claims_in("\n".join(wording), lexicon)),
        )
        training.append(TrainingReply(one, context, entry))
    return training, words


def _wording(example: Example) -> str:
    """Return the reply without punctuation that the noise may have left at its start."""
    reply = example.references[0].text or ""
    return reply.lstrip("，。、 ") or reply


def _names(fact: Fact) -> tuple[str, str]:
    return without_suffix(fact.subject), fact_text(fact)


def near_duplicates(examples: Sequence[Example]) -> dict[str, str]:
    """Return by dialogue id the first dialogue that it nearly duplicates; itself for most.

    Dialogues that share three replies of twelve characters or more are near-duplicates: the challenge reused dialogues
    with noise in some turns.
    """
    where: dict[str, list[str]] = {}
    for one in examples:
        reply = "".join(sign for sign in one.references[0].text or "" if sign.isalnum())
        if len(reply) >= _TELLING:
            where.setdefault(reply, []).append(one.sample.dialogue_id)
    shared = Counter(pair for ids in where.values() for pair in _pairs(list(dict.fromkeys(ids))))
    duplicate_of = {one.sample.dialogue_id: one.sample.dialogue_id for one in examples}
    for (first, second), times in shared.items():
        if times >= _SHARED:
            head, other = duplicate_of[first], duplicate_of[second]
            duplicate_of = {name: head if of_name == other else of_name for name, of_name in duplicate_of.items()}
    return duplicate_of


def _pairs(ids: Sequence[str]) -> Iterable[tuple[str, str]]:
    return [(ids[0], other) for other in ids[1:]]


def with_training_duplicates(examples: Sequence[Example], validation: Sequence[TrainingReply]) -> list[TrainingReply]:
    """Return validation pairs, those of near-duplicates under the training dialogue that they duplicate."""
    duplicate_of = near_duplicates([*examples, *(one.example for one in validation)])
    return [
        one._replace(entry=msgspec.structs.replace(one.entry, source=duplicate_of[one.example.sample.dialogue_id]))
        for one in validation
    ]
