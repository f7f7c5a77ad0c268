"""Hypothesis strategies for the records, shared by all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from duologue.core.records import (
    Act,
    Annotation,
    Answer,
    Candidate,
    Dialogue,
    Example,
    Fact,
    Goal,
    Item,
    Mention,
    Sample,
    Span,
    Turn,
    Value,
)

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

words = st.text(st.characters(codec="utf-8"), max_size=12)
"""Short texts of any characters that UTF-8 can say, the empty text included."""

names = st.text("abcdefghijklmnopqrstuvwxyz_0123456789", min_size=1, max_size=8)
"""Identifiers."""

json_values: SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
"""Whatever a JSON file can hold."""


def tuples_of(element: SearchStrategy[Any], most: int = 3) -> SearchStrategy[tuple[Any, ...]]:
    """Tuples of up to `most` elements."""
    return st.lists(element, max_size=most).map(tuple)


scalars = words | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
facts = st.builds(Fact, subject=words, relation=words, object=scalars | tuples_of(words))
spans = st.builds(Span, turn=st.integers(0, 5), start=st.integers(0, 9), end=st.integers(0, 9))
mentions = st.builds(Mention, label=names, text=words, entity=st.none() | names, span=st.none() | spans)
values = st.builds(Value, slot=names, text=words, entity=st.none() | names, span=st.none() | spans)
acts = st.builds(Act, speaker=st.sampled_from(["user", "system"]), name=names, args=tuples_of(words))
understandings = st.builds(
    Annotation,
    facts=tuples_of(facts),
    acts=tuples_of(acts),
    mentions=tuples_of(mentions),
    values=tuples_of(values),
)
turns = st.builds(
    Turn,
    speaker=st.sampled_from(["user", "system", "api"]),
    text=words,
    annotation=st.none() | understandings,
    meta=st.dictionaries(names, json_values, max_size=2),
)
items = st.builds(
    Item,
    name=st.none() | names,
    kind=st.none() | words,
    known=st.dictionaries(names, words, max_size=2),
    asked=tuples_of(names),
    intents=tuples_of(names),
)
goals = st.builds(
    Goal, topics=tuples_of(words), relations=tuples_of(facts), items=tuples_of(items), consultations=tuples_of(words)
)
dialogues = st.builds(
    Dialogue,
    id=names,
    turns=tuples_of(turns, 4),
    knowledge=tuples_of(facts),
    goal=st.none() | goals,
    meta=st.dictionaries(names, json_values, max_size=2),
    source=json_values,
)
candidates = st.lists(st.builds(Candidate, id=names, text=words), max_size=4, unique_by=lambda c: c.id).map(tuple)
samples = st.builds(
    Sample,
    id=names,
    dialogue_id=names,
    history=tuples_of(turns),
    knowledge=tuples_of(facts),
    world=st.none() | names,
    goal=st.none() | goals,
    candidates=candidates,
)
answers = st.builds(
    Answer, text=st.none() | words, annotation=st.none() | understandings, ranking=st.none() | tuples_of(names)
)
examples = st.builds(
    Example,
    sample=samples,
    references=tuples_of(answers, 2),
    user_goal=st.none() | goals,
    asked=st.none() | understandings,
    source=json_values,
)
