"""Ways along a graph that a question names: from an entity or a value, along attributes that are heard in its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.spoken.systems.grounded.questions.cues import cues
from duologue.challenges.spoken.systems.grounded.questions.recognised_text import HALF, Match
from duologue.knowledge.query import Query, Step, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duologue.challenges.spoken.systems.grounded.entity_linker import LinkedMention
    from duologue.challenges.spoken.systems.grounded.questions.recognised_text import RecognisedText
    from duologue.knowledge.graph import Graph

LONGEST = 3
_KINDS = (1.0, 0.9, 0.7, 0.7)
"""Worth of a character of a mention by its kind."""
_STEP = 1.1
"""What a step must be worth."""
_ONE = 0.3
"""Worth of an attribute of a single character."""
_IMPLIED = 1.6
"""Worth of an attribute that is asked for by other words than its name."""
_DIRECTION = 0.6
_ORDER = 0.3


class Chain(NamedTuple):
    """A way with what was heard of it."""

    start: str
    begin: int
    end: int
    """Where the beginning stands in the text."""
    steps: tuple[Step, ...]
    score: float
    """Characters explained, less what the steps cost."""
    places: tuple[tuple[int, int], ...]
    rest: RecognisedText
    """What is not explained yet."""
    halved: bool = False
    """Whether one of its attributes is heard in half, of which a text loses one at most."""

    @property
    def query(self) -> Query:
        """The way as a query."""
        return Query(start=(self.start,), steps=self.steps)


def worth(mention: LinkedMention) -> float:
    """Return how much a mention explains."""
    return _KINDS[mention.kind] * min(len(mention.form), mention.end - mention.start)


def heard_attributes(
    heard: RecognisedText, relations: Iterable[str], *, cut: bool = False
) -> Iterator[tuple[str, Match]]:
    """Yield the attributes that are heard in a text, by their name or by words that ask for them.

    Of a text that may have lost a character (`cut`) one of two characters is enough.
    """
    for relation in sorted(set(relations)):
        found = heard.match(relation)
        if found is None or found.score < _STEP:
            found = _implied(heard, relation) or found
        if found is None and cut:
            found = heard.part(relation)
        if found is not None:
            yield relation, found._replace(score=_ONE + _STEP) if len(relation) == 1 else found


def _implied(heard: RecognisedText, relation: str) -> Match | None:
    for asked in cues().asked:
        if relation.endswith(asked.attributes):
            for word in asked.words:
                place = heard.text.find(word)
                if place >= 0:
                    return Match(_IMPLIED, place, place + len(word))
    return None


def asked_for(heard: RecognisedText, relation: str) -> bool:
    """Tell whether an adjective in a text asks for an attribute, as "cheap" does for the price."""
    match = _implied(heard, relation)
    return match is not None and cues().direction(heard.text[match.start : match.end]) is not None


def with_adjectives(rest: RecognisedText, heard: RecognisedText, places: Iterable[tuple[int, int]]) -> RecognisedText:
    """Return what is left of a text with the words that named an attribute and are adjectives, as "cheap" is."""
    for start, end in places:
        if cues().direction(heard.text[start:end]) is not None:
            rest = rest.showing(heard, start, end)
    return rest


def chains(
    heard: RecognisedText, mention: LinkedMention, start: str, graph: Graph, *, back: bool, cut: bool = False
) -> list[Chain]:
    """Return all ways of one to three steps from a mention that the text names."""
    rest = heard.without(mention.start, mention.end)
    made: list[Chain] = []
    open_ends = [Chain(start, mention.start, mention.end, (), worth(mention), (), rest)]
    for number in range(LONGEST):
        following = [
            _extended(chain, relation, match, heard, back=back and not number)
            for chain in open_ends
            for relation, match in heard_attributes(
                chain.rest, _relations(chain, graph, back=back and not number), cut=cut and not chain.halved
            )
            if match.score > _STEP and relation not in {name for step in chain.steps for name in step.relation_names}
        ]
        made += following
        open_ends = following
    return made


def _relations(chain: Chain, graph: Graph, *, back: bool) -> list[str]:
    query = Query(start=(chain.start,), steps=(*chain.steps, Step(back=back)))
    return [fact.relation for fact in run(query, graph).facts]


def _extended(chain: Chain, relation: str, match: Match, heard: RecognisedText, *, back: bool) -> Chain:
    score = chain.score + match.score - _STEP
    if not chain.steps:
        score += _direction(heard, chain, match, back=back)
    elif match.start >= chain.places[-1][1]:
        score += _ORDER
        between = heard.text[chain.places[-1][1] : match.start]
        if len(between) <= 2 and between.startswith(cues().join):
            score -= 2 * _STEP
    return chain._replace(
        steps=(*chain.steps, Step(relation, back=back)),
        score=score,
        places=(*chain.places, (match.start, match.end)),
        rest=chain.rest.without(match.start, match.end),
        halved=chain.halved or match.score == HALF,
    )


def _direction(heard: RecognisedText, chain: Chain, match: Match, *, back: bool) -> float:
    """Return how well the words between beginning and attribute fit a step forward or back."""
    if chain.end <= match.start:
        between = heard.text[chain.end : match.start]
        words = (*cues().is_, *cues().who)
        backwards = any(word in between for word in words) and between not in {"这边", "这边的"}
        backwards = backwards and not between.startswith("的哪")  # which of its friends: forward
    else:
        backwards = True
    return _DIRECTION if backwards == back else 0.0
