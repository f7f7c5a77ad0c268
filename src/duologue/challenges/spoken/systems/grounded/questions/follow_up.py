"""Follow-ups: questions that are understood from the question before them and its answer.

is there a cheaper one      of what was listed, what is beyond the entity just asked about
when does it open           the attribute of the entity that was the last answer
and B                       the attribute that was asked of another entity
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.spoken.knowledge.inquiry import Inquiry, find
from duologue.challenges.spoken.systems.grounded.questions.chain import heard_attributes
from duologue.challenges.spoken.systems.grounded.questions.cues import cues
from duologue.challenges.spoken.systems.grounded.questions.heard import Heard
from duologue.knowledge.query import Query, Step, measure, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.spoken.systems.grounded.entity_linker import LinkedMention
    from duologue.knowledge.graph import Graph

_SURE = 1.5
"""Characters of an attribute that is heard surely."""
_SHORT = 9
"""Characters that are left of a question that only names another entity."""


def following(
    text: str, mentions: Sequence[LinkedMention], before: Inquiry, earlier: Inquiry | None, graph: Graph
) -> Inquiry | None:
    """Return what a question asks after the inquiry `before` and the one `earlier`; `None` where that is not clear."""
    heard = Heard.of(text)
    compared = _beyond(heard, before, earlier, graph) if not mentions else None
    if compared is not None:
        return compared
    if mentions:
        return _of_another(heard, mentions, before, graph)
    return _of_the_answer(heard, before, graph)


def _beyond(heard: Heard, before: Inquiry, earlier: Inquiry | None, graph: Graph) -> Inquiry | None:
    mark = heard.first(cues().than)
    more = cues().adjective(heard, mark.end if mark is not None else 0)
    if more is None:
        return None
    last = before.query
    names = run(last, graph).entities
    if len(names) != 1 or not all(measure(fact.object) is not None for fact in run(last, graph).facts):
        return None
    if len(last.steps) > 1:
        start, steps = last.start, last.steps
    elif earlier is not None and len(earlier.query.steps) == 1:
        start, steps = earlier.query.start, (*earlier.query.steps, *last.steps)
    else:
        return None
    query = Query(start=start, steps=steps, take="more" if more else "less", than=names[0])
    inquiry = Inquiry(query=query, wanted="entities")
    reached = {name for _, found in run(query, graph).groups for name in (fact.subject for fact in found)}
    return inquiry if names[0] in reached and find(inquiry, graph) is not None else None


def _of_the_answer(heard: Heard, before: Inquiry, graph: Graph) -> Inquiry | None:
    """Return the inquiry for an attribute that the one entity of the last answer has, and not what it was asked of."""
    result = run(before.query, graph)
    back = before.wanted == "entities"
    names = result.entities if back else _named(result.values, graph)
    if len(names) != 1 or (len(before.query.steps) == 1 and names[0] in before.query.start):
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


def _of_another(heard: Heard, mentions: Sequence[LinkedMention], before: Inquiry, graph: Graph) -> Inquiry | None:
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
