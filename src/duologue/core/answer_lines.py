"""Answers as lines for people: text, the first of a ranking, annotation with English names beside its labels."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from duologue.core.annotation import Bilingual
from duologue.core.dialogue_view import in_two
from duologue.core.marked_text import with_english

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.dialogue_view import Said
    from duologue.core.records import Annotation, Answer, Fact, Sample


CHINESE = MappingProxyType({"user": "用户", "system": "系统"})
"""What speakers are called in Chinese."""


def answer_lines(
    answer: Answer,
    sample: Sample,
    ranked: int,
    names: Mapping[str, str],
    speakers: Mapping[str, str] = MappingProxyType({}),
) -> tuple[str, ...]:
    """Return an answer as lines: its text, or the first `ranked` of its ranking; and its annotation."""
    lines = [] if answer.text is None else [answer.text]
    if answer.ranking is not None and answer.text is None:
        texts = {candidate.id: candidate.text for candidate in sample.candidates}
        lines += [
            f"{place}. {texts.get(name, name)}" if ranked > 1 else texts.get(name, name)
            for place, name in enumerate(answer.ranking[:ranked], start=1)
        ]
    return (*lines, *annotation_lines(answer.annotation, names, speakers))


def told_annotation(annotation: Annotation | None, names: Mapping[str, str]) -> list[Bilingual]:
    """Return the same lines in both languages, the Chinese ones without English names."""
    english, chinese = annotation_lines(annotation, names), annotation_lines(annotation, {}, CHINESE)
    return [Bilingual(en=en, zh=zh) for en, zh in zip(english, chinese, strict=True)]


def annotation_lines(
    annotation: Annotation | None, names: Mapping[str, str], speakers: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """Return a line for each fact, act, mention and value; `speakers` are what those are called who say them."""
    if annotation is None:
        return []
    lines = [fact_line(fact, names) for fact in annotation.facts]
    for act in annotation.acts:
        args = ", ".join(with_english(one, names) for one in act.args)
        lines.append(
            f"{speakers.get(act.speaker, act.speaker)}: {with_english(act.name, names)}" + f"({args})" * bool(act.args)
        )
    lines += [f"{with_english(one.label, names)}: {one.text}" for one in annotation.mentions]
    lines += [
        f"{one.entity or speakers.get('user', 'user')} · {with_english(one.slot, names)} · {one.text}"
        for one in annotation.values
    ]
    return lines


def fact_line(fact: Fact, names: Mapping[str, str]) -> str:
    """Return a fact with the English name of its relation."""
    return " · ".join((fact.subject, with_english(fact.relation, names), _object_of(fact)))


def fact_cells(fact: Fact, names: Mapping[str, str]) -> tuple[str, Said, str]:
    """Return subject, relation and object of a fact, the relation in Chinese without its English name."""
    return fact.subject, in_two(with_english(fact.relation, names), fact.relation), _object_of(fact)


def _object_of(fact: Fact) -> str:
    value = fact.object
    return "、".join(value) if isinstance(value, tuple) else str(value)
