"""The reader of questions: which inquiry to the graph a question is, where it is clearly one of several triples.

Names and values are linked as `grounded` links names; attributes are those that the entities reached have; what the
graph has no answer to is not read. A question that one triple answers is left to the ranker.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.spoken.knowledge.inquiry import Inquiry, find
from duologue.challenges.spoken.knowledge.scales import has_order
from duologue.challenges.spoken.systems.grounded.entity_linker import EXACT, REORDERED, EntityLinker, LinkedMention
from duologue.challenges.spoken.systems.grounded.normalization import fold, fold_name
from duologue.challenges.spoken.systems.grounded.questions.chain import (
    chains,
    heard_attributes,
    with_adjectives,
    worth,
)
from duologue.challenges.spoken.systems.grounded.questions.cues import cues
from duologue.challenges.spoken.systems.grounded.questions.follow_up import following
from duologue.challenges.spoken.systems.grounded.questions.recognised_text import HIDDEN, RecognisedText, stuttered
from duologue.knowledge.graph import values_of
from duologue.knowledge.normalization import parts_of
from duologue.knowledge.query import Query, Step, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.challenges.spoken.systems.grounded.questions.chain import Chain
    from duologue.core.records import Turn
    from duologue.knowledge.graph import Graph
    from duologue.knowledge.query import QueryResult, Take

_VALUES = 60_000
"""Values up to which they are linked with errors, too; above, as they are written or sound."""
_QUESTION = 200
"""Characters of a question at most; the longest of 4,562 turns of users in the visible dialogues has 190."""
_LONGEST = 14
_SWAPPED = 3
"""Characters of a name that is found in another order; the linker finds longer ones itself."""
_STUTTER = 0.2
"""What a reading costs that takes a repeated character for an error."""
_EXCHANGE = 2
"""Turns of a question and its answer."""
_OPERATOR = 1.0
"""Worth of words that say what to take of the facts."""
_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_LEFT = 0.3
"""Share of a question amid a dialogue that may be left unexplained."""
_MANY = 40
"""Facts of an answer above which a question was not understood."""


class QuestionReading(NamedTuple):
    """An inquiry that a question may be."""

    score: float
    kind: str
    inquiry: Inquiry
    left: float
    """Share of the question that nothing explains."""


class QuestionReader:
    """Reads questions over one graph."""

    def __init__(self, graph: Graph, linker: EntityLinker) -> None:
        self.graph, self._linker = graph, linker

    @cached_property
    def _values(self) -> EntityLinker:
        """The linker of the values of the graph, made at the first question."""
        values = dict.fromkeys(
            part
            for fact in self.graph
            for value in values_of(fact)
            if isinstance(value, str)
            for part in (value, *parts_of(value))
            if 1 < len(fold(part)) <= _LONGEST
        )
        return EntityLinker(values, fuzzy=len(values) <= _VALUES)

    def read(self, history: Sequence[Turn]) -> Inquiry | None:
        """Return what the last turn asks; `None` where one triple answers it, or where it is not clear."""
        if not history:
            return None
        best = self._best(history[-1].text)
        if best is not None and best.kind != "simple" and not self._points_back(best, history):
            return best.inquiry
        return self._follow_up(history)

    def _points_back(self, reading: QuestionReading, history: Sequence[Turn]) -> bool:
        """Tell whether a question amid a dialogue says more than was read, or repeats what was said before.

        "the ticket is 30 yuan, and when does it open" begins at no value: people say values of what they speak of.
        """
        query = reading.inquiry.query
        if len(history) == 1 or reading.kind == "simple":
            return False
        if reading.left > _LEFT:
            return True
        if not query.steps[0].back:
            return False
        text = history[-1].text
        if fold(query.start[0]) not in fold(text) or any(word in text for word in cues().pointing):
            return True
        if not any(word in text for word in cues().asking):
            return True
        said = {name for turn in history[:-1] for one in self._linker.mentions(turn.text) for name in one.names}
        first = run(Query(start=query.start, steps=query.steps[:1]), self.graph)
        return bool(said & set(first.entities))

    def _follow_up(self, history: Sequence[Turn]) -> Inquiry | None:
        if len(history) < _EXCHANGE + 1:
            return None
        text = history[-1].text
        if len(text) > _QUESTION or not any(word in text for word in cues().asking):
            return None
        before = self._asked(history[:-_EXCHANGE])
        if before is None or not self._was_answered(before, history[-_EXCHANGE].text):
            return None
        earlier = self._best(history[-1 - 2 * _EXCHANGE].text) if len(history) > 2 * _EXCHANGE else None
        mentions = [one for one in self._mentions(fold(text)) if len(one.form) > 1]
        return following(text, mentions, before, earlier.inquiry if earlier is not None else None, self.graph)

    def _was_answered(self, inquiry: Inquiry, reply: str) -> bool:
        """Tell whether a reply names an answer of the graph, so that the question before it was understood."""
        finding = find(inquiry, self.graph)
        return finding is not None and any(fold(one) in fold(reply) for one in finding.answers)

    def _asked(self, history: Sequence[Turn]) -> Inquiry | None:
        """Return what an earlier question asked, one of a single triple, too."""
        best = self._best(history[-1].text)
        if best is not None and not self._points_back(best, history):
            return best.inquiry
        return self._follow_up(history)

    def _best(self, text: str) -> QuestionReading | None:
        """Return the best reading; `None` where that one has no certain answer, rather than one of another question."""
        found = self.readings(text)
        return found[0] if found and run(found[0].inquiry.query, self.graph).facts else None

    @cached_property
    def _swapped(self) -> dict[str, tuple[str, ...]]:
        """Names of three characters by their characters in order of code point."""
        found: dict[str, tuple[str, ...]] = {}
        for name in self.graph.entities:
            form = fold_name(name)
            if len(form) == _SWAPPED:
                key = "".join(sorted(form))
                found[key] = (*found.get(key, ()), name)
        return found

    def _mentions(self, folded: str) -> tuple[LinkedMention, ...]:
        """Return the entities in a text; names of three characters in another order, too, where nobody is named."""
        found = self._linker.mentions(folded)
        taken = {at for one in found if one.kind == EXACT for at in range(one.start, one.end)}
        more = []
        for start in range(len(folded) - _SWAPPED + 1):
            names = self._swapped.get("".join(sorted(folded[start : start + _SWAPPED])), ())
            if len(names) == 1 and not taken & set(range(start, start + _SWAPPED)):
                more.append(LinkedMention(start, start + _SWAPPED, fold_name(names[0]), REORDERED, names))
        return (*found, *more)

    def readings(self, text: str) -> list[QuestionReading]:
        """Return what a question may ask by itself, best first; those of one triple are of kind `simple`.

        Where a character stands twice, the question is read without one of them, too, and as one that lost another. A
        text that is longer than questions are has no reading: each name and each doubled character means another one.
        """
        folded = fold(text)
        if len(folded) > _QUESTION:
            return []
        found = list(self._readings(folded, cut=False))
        for other in stuttered(folded):
            found += [one._replace(score=one.score - _STUTTER) for one in self._readings(other, cut=True)]
        return sorted(found, key=lambda one: -one.score)

    def _readings(self, folded: str, *, cut: bool) -> Iterator[QuestionReading]:
        heard = RecognisedText.of(folded)
        entities = self._mentions(folded)
        for mention in entities:
            yield from self._ways(heard, mention, back=False, cut=cut)
        for mention in self._values.mentions(folded):
            yield from self._ways(heard, mention, back=True, cut=cut)
        for at, one in enumerate(entities):
            for other in entities[at + 1 :]:
                if one.start < other.end and other.start < one.end:
                    continue
                yield from self._pairs(heard, one, other, entities, cut=cut)

    def _ways(
        self, heard: RecognisedText, mention: LinkedMention, *, back: bool, cut: bool
    ) -> Iterator[QuestionReading]:
        start = mention.names[0] if back or len(mention.names) == 1 else mention.form
        for chain in chains(heard, mention, start, self.graph, back=back, cut=cut):
            reading = self._operated(chain, heard)
            if reading is None:
                continue
            result = run(reading.inquiry.query, self.graph)
            if 0 < len(result.facts) <= _MANY or _is_open(reading.inquiry.query, result):
                yield reading

    def _operated(self, chain: Chain, heard: RecognisedText) -> QuestionReading | None:
        """Return the inquiry of a way with what the rest of the words say to take of it."""
        query, rest, steps = chain.query, chain.rest, len(chain.steps)
        most = rest.first(cues().most)
        said = with_adjectives(rest, heard, chain.places)
        more = cues().adjective(said, most.end) if most is not None else None
        if most is None and (misheard := rest.sounds(cues().most[0])) is not None:
            more = cues().heard_after(rest, misheard.end)
        if more is not None and steps > 1:
            return QuestionReading(
                chain.score + _OPERATOR,
                "superlative",
                Inquiry(query=_taking(query, "largest" if more else "smallest"), wanted="entities"),
                left(rest),
            )
        year = _YEAR.search(rest.text)
        if year is not None and steps > 1:
            later, earlier = rest.first(cues().after), rest.first(cues().before)
            if later is not None or earlier is not None:
                bounded = Query(
                    start=query.start,
                    steps=query.steps,
                    take="more" if later is not None else "less",
                    than=f"{year[1]}年",
                )
                return QuestionReading(
                    chain.score + 2 * _OPERATOR, "date", Inquiry(query=bounded, wanted="entities"), left(rest)
                )
        back = chain.steps[-1].back
        several = run(query, self.graph).count > 1
        if several and rest.first(cues().count) is not None:
            return QuestionReading(chain.score + _OPERATOR, "count", Inquiry(query=query, wanted="count"), left(rest))
        listed = several and rest.first(cues().each) is not None
        kind = "hops" if steps > 1 else "list" if listed else "reverse" if back else "simple"
        return QuestionReading(
            chain.score, kind, Inquiry(query=query, wanted="entities" if back else "values"), left(rest)
        )

    def _pairs(
        self,
        heard: RecognisedText,
        one: LinkedMention,
        other: LinkedMention,
        named: Sequence[LinkedMention],
        *,
        cut: bool,
    ) -> Iterator[QuestionReading]:
        """Yield comparisons of two entities, and what they share."""
        names = tuple(mention.names[0] for mention in (one, other) if len(mention.names) == 1)
        if len(set(names)) != 2:
            return
        rest = heard
        for mention in named:
            if mention in {one, other} or mention.names in {one.names, other.names}:
                rest = rest.without(mention.start, mention.end)
        known = [self.graph.relations(name) for name in names]
        for relation, match in heard_attributes(rest, [found for found in known[0] if found in known[1]], cut=cut):
            words = rest.without(match.start, match.end)
            score = worth(one) + worth(other) + match.score
            steps = (Step(relation),)
            more = cues().adjective(with_adjectives(words, rest, [(match.start, match.end)]))
            take: Take = "largest" if more else "smallest"
            inquiry = Inquiry(query=Query(start=names, steps=steps, take=take), wanted="entities")
            common = words.first(cues().shared) is not None
            result = run(inquiry.query, self.graph)
            values = [fact.object for _, found in result.groups for fact in found]
            if (
                more is not None
                and has_order(relation, values)
                and (result.facts or (_is_open(inquiry.query, result) and not common))
            ):
                yield QuestionReading(score + _OPERATOR, "comparison", inquiry, left(words))
            if common:
                shared = Query(start=names, steps=steps, take="shared")
                if run(shared, self.graph).facts:
                    yield QuestionReading(score + _OPERATOR, "list", Inquiry(query=shared), left(words))


def _is_open(query: Query, result: QueryResult) -> bool:
    """Tell whether there are sizes, and no certain answer: what was asked is clear, and nothing else is to be read."""
    values = [fact.object for _, found in result.groups for fact in found]
    return not result.certain and any(has_order(one, values) for one in query.steps[-1].relation_names)


def left(rest: RecognisedText) -> float:
    """Return the share of a text that is neither explained nor a word that every question may have."""
    known = cues().plain_signs
    return sum(sign != HIDDEN and sign not in known for sign in rest.text) / max(1, len(rest.text))


def _taking(query: Query, take: Take) -> Query:
    return Query(start=query.start, steps=query.steps, take=take)
