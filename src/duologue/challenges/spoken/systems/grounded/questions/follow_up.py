"""Follow-ups: questions that are understood from the question before them and its answer.

is there a cheaper one      what is beyond the entity just asked about, of what was listed, else of what it is linked to
when does it open           the attribute of the entity that was the last answer
and B                       the attribute that was asked of another entity
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.spoken.knowledge.inquiry import Inquiry, find
from duologue.challenges.spoken.knowledge.scales import has_order
from duologue.challenges.spoken.systems.grounded.questions.chain import asked_for, heard_attributes
from duologue.challenges.spoken.systems.grounded.questions.cues import cues
from duologue.challenges.spoken.systems.grounded.questions.recognised_text import RecognisedText
from duologue.knowledge.query import Query, Step, run
from duologue.knowledge.size import measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.challenges.spoken.systems.grounded.entity_linker import LinkedMention
    from duologue.knowledge.graph import Graph

_SURE = 1.5
"""Characters of an attribute that is heard surely."""
_SHORT = 9
"""Characters that are left of a question that only names another entity."""
_LINKED = 2, 60
"""Of how few and how many entities that the graph links an entity to a question may take those beyond it."""


def following(
    text: str, mentions: Sequence[LinkedMention], before: Inquiry, earlier: Inquiry | None, graph: Graph
) -> Inquiry | None:
    """Return what a question asks after the inquiry `before` and the one `earlier`; `None` where that is not clear."""
    heard = RecognisedText.of(text)
    compared = _beyond(heard, before, earlier, graph) if not mentions else None
    if compared is not None:
        return compared
    if mentions:
        return _of_another(heard, mentions, before, graph)
    return _of_the_answer(heard, before, graph)


def _beyond(heard: RecognisedText, before: Inquiry, earlier: Inquiry | None, graph: Graph) -> Inquiry | None:
    mark = heard.first(cues().than)
    more = cues().adjective(heard, mark.end if mark is not None else 0)
    if more is None:
        return None
    names = run(before.query, graph).entities
    relation = _compared_by(heard, names[0], before.query.steps[-1], graph) if len(names) == 1 else None
    if relation is None:
        return None
    linked = _linked(names[0], relation, graph) if mark is not None else ()
    for start, steps in (*_listed(relation, before.query, earlier), *linked):
        query = Query(start=start, steps=steps, take="more" if more else "less", than=names[0])
        inquiry = Inquiry(query=query, wanted="entities")
        if start == names or names[0] in {fact.subject for _, found in run(query, graph).groups for fact in found}:
            return inquiry if find(inquiry, graph) is not None else None
    return None


def _compared_by(heard: RecognisedText, name: str, last: Step, graph: Graph) -> str | None:
    """Return the attribute that an adjective compares: the one just asked about, else the one that it asks for."""
    values = {one: graph.objects(name, one) for one in graph.relations(name)}
    sized = [one for one, found in values.items() if all(map(measure, found)) and has_order(one, found)]
    asked = [one for one in sized if asked_for(heard, one)]
    spoken = [one for one in last.relation_names if one in sized]
    fitting = [one for one in spoken if one in asked] or asked or spoken
    return fitting[0] if fitting else None


def _listed(relation: str, last: Query, earlier: Inquiry | None) -> Iterator[tuple[tuple[str, ...], tuple[Step, ...]]]:
    """Yield the way to the sizes of what was listed."""
    if len(last.steps) > 1:
        yield last.start, (*last.steps[:-1], Step(relation))
    elif earlier is not None and len(earlier.query.steps) == 1:
        yield earlier.query.start, (*earlier.query.steps, Step(relation))


def _linked(name: str, relation: str, graph: Graph) -> Iterator[tuple[tuple[str, ...], tuple[Step, ...]]]:
    """Yield the way to the sizes of what an entity is linked to: by the one attribute that leads to most of them."""
    links: dict[str, int] = {}
    for link in graph.relations(name):
        steps = (Step(link), Step(relation))
        if link != relation and len(graph.objects(name, link)) <= _LINKED[1]:
            links[link] = len(set(run(Query(start=(name,), steps=steps), graph).entities) - {name})
    most = max(links.values(), default=0)
    best = [link for link, number in links.items() if number == most]
    if len(best) == 1 and _LINKED[0] <= most <= _LINKED[1]:
        yield (name,), (Step(best[0]), Step(relation))


def _of_the_answer(heard: RecognisedText, before: Inquiry, graph: Graph) -> Inquiry | None:
    """Return the inquiry for an attribute that the one entity of the last answer has, and not what it was asked of."""
    result = run(before.query, graph)
    back = before.wanted == "entities"
    names = result.entities if back else _named(result.values, graph)
    chosen = before.query.take in {"largest", "smallest"}
    if len(names) != 1 or (len(before.query.steps) == 1 and names[0] in before.query.start and not chosen):
        return None
    asked = {relation for start in before.query.start for relation in _relations(start, graph)}
    free = [one for one in graph.relations(names[0]) if back or one not in asked]
    found = sorted(heard_attributes(heard, free), key=lambda one: -one[1].score)
    if not found or found[0][1].score < _SURE:
        return None
    return Inquiry(query=Query(start=(names[0],), steps=(Step(found[0][0]),)))


def _named(values: Sequence[object], graph: Graph) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for value in values for name in graph.forms(str(value))[:1]))


def _relations(name: str, graph: Graph) -> tuple[str, ...]:
    return tuple(relation for entity in (name, *graph.forms(name)) for relation in graph.relations(entity))


def _of_another(
    heard: RecognisedText, mentions: Sequence[LinkedMention], before: Inquiry, graph: Graph
) -> Inquiry | None:
    """Return the inquiry before of another entity, where the question does little but name that."""
    mention = max(mentions, key=lambda one: len(one.form))
    query = before.query
    rest = heard.without(mention.start, mention.end)
    left = rest.text.replace("\0", "")
    if len(mention.names) != 1 or mention.names[0] in query.start or len(left) > _SHORT:
        return None
    if len(query.steps) > 1 or query.steps[0].back or rest.first(cues().other) is None:
        return None
    wanted = Inquiry(query=Query(start=mention.names[:1], steps=query.steps))
    if any(match.score >= _SURE for _, match in heard_attributes(rest, graph.relations(mention.names[0]))):
        return None
    return wanted if run(wanted.query, graph).facts else None
