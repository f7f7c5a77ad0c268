"""Context of a reply: the question, the facts to express, and the responder's earlier turns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from duologue.challenges.spoken.systems.template_nlg.grounding import supported_text
from duologue.challenges.spoken.systems.template_nlg.surface_forms import LONG, items_of
from duologue.challenges.spoken.systems.template_nlg.templates import group_facts
from duologue.knowledge.normalization import without_suffix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.challenges.spoken.systems.template_nlg.templates import FactGroup
    from duologue.core.records import Fact, Turn
    from duologue.retrieval.template_index import Terms

QUESTION = re.compile(r"[?？]|[吗呢么嘛]\s*+(?:[。，.]\s*+)?$")
_MARKS = re.compile(r"[^\w？]")
_REPEATED = re.compile(r"(.)\1+")
_SPLIT = re.compile(r"(?<=[。！？!?])")
_LEAST = 4  # characters of a sentence that is read by itself
_LATEST = 6
_DATE = re.compile(r"^\d{4}[年\-./]")


@dataclass(frozen=True, kw_only=True)
class ReplyContext:
    """Dialogue history of a sample with the facts that the reply has to express."""

    groups: tuple[FactGroup, ...]
    history: tuple[str, ...]
    question: str
    """The last turn, delexicalised: E for a subject, V for a value; punctuation and repeated characters dropped."""
    asked: str
    """Its last sentence alone."""
    own: tuple[str, ...]
    """Earlier turns of the responder."""
    known: str
    """What a reply may state: facts and history, by `supported_text`."""

    @property
    def relations(self) -> tuple[str, ...]:
        """The relation of each group."""
        return tuple(group.relation for group in self.groups)

    @property
    def turn(self) -> int:
        """Number of earlier turns of the responder, at most 6."""
        return min(len(self.own), _LATEST)


def context_of(history: Sequence[Turn], facts: Sequence[Fact]) -> ReplyContext:
    """Return the context of a reply to the last turn of a history that has to express these facts."""
    groups = group_facts(facts)
    texts = tuple(turn.text for turn in history)
    last = texts[-1] if texts else ""
    sentences = [one for one in _SPLIT.split(last) if len(one) >= _LEAST]
    return ReplyContext(
        groups=groups,
        history=texts,
        question=_plain(last, groups),
        asked=_plain(sentences[-1] if sentences else last, groups),
        own=texts[-2::-2][::-1],
        known=supported_text(facts, history),
    )


def _plain(text: str, groups: Sequence[FactGroup]) -> str:
    text = text.lower()
    for group in groups:
        text = text.replace(without_suffix(group.subject).lower(), "E")
        for value in group.values:
            if len(value) > 1:
                text = text.replace(value.lower(), "V")
    return _REPEATED.sub(r"\1", _MARKS.sub("", text.replace("?", "？")))


def value_kind(group: FactGroup) -> str:
    """Return the kind of a group's values: several, text, date, list, number, title or name."""
    value = group.values[0]
    if len(group.values) > 1:
        return "several"
    if len(value) > LONG:
        return "text"
    if _DATE.match(value):
        return "date"
    if len(items_of(value)) > 1:
        return "list"
    if value[:1].isdigit():
        return "number"
    return "title" if "《" in value else "name"


def query_terms(context: ReplyContext) -> Terms:
    """Return the retrieval terms of a context, in weighted groups."""
    kinds = [value_kind(group) for group in context.groups]
    several = [f"N:{min(len(group.values), 4)}" for group in context.groups]
    before = context.own[-1] if context.own else ""
    return [
        (2.0, [f"R:{relation}" for relation in context.relations] or ["R:"]),
        (0.5, [f"K:{kind}" for kind in kinds]),
        (0.3, several),
        (1.0, [f"Q:{a}{b}" for a, b in pairwise(context.asked)]),
        (0.6, [f"W:{a}{b}" for a, b in pairwise(context.question)]),
        (0.4, [f"P:{a}{b}" for a, b in pairwise(_MARKS.sub("", before))]),
        (0.2, [f"T:{context.turn}"]),
        (0.3, [f"A:{bool(QUESTION.search(before)):d}"]),
        (0.2, [f"E:{len({group.subject for group in context.groups})}"]),
    ]
