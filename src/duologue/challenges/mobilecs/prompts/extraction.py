"""Prompt of track 1 for chat models: services with their mentions and slots, in the words of the call.

A model says in which utterance it found what; characters are counted here. What does not stand there is dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.mobilecs.schema.ontology import ENTITY_TYPES, SERVICE_SLOTS, USER_SLOTS
from duologue.core.records import Annotation, Answer, Mention, Span, Value
from duologue.prompts.json_answer import found_json
from duologue.prompts.prompt import Prompt, Reading, object_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Sample
    from duologue.prompts.prompt import Asked


class ExtractionPrompt(Prompt):
    """Tells the whole call with numbered utterances, and asks for services and slots as JSON."""

    texts = "extraction.toml"

    def history(self, sample: Sample) -> str:
        """Return all utterances with their numbers, a line each."""
        called = self.wording.speakers
        lines = [
            f"[{number}] {called.get(turn.speaker, turn.speaker)}: {turn.text}"
            for number, turn in enumerate(sample.history)
        ]
        return "\n".join(lines) or self.wording.nothing

    def schema(self, sample: Sample, asked: Asked = "answer") -> dict[str, Any]:  # noqa: ARG002  # all are asked alike
        """Return the schema of services and slots, with the labels of the challenge."""
        mention = object_schema(utterance={"type": "integer"}, text={"type": "string"})
        service = object_schema(
            type={"type": "string", "enum": list(ENTITY_TYPES)},
            mentions={"type": "array", "items": mention},
            slots={"type": "array", "items": _slot(SERVICE_SLOTS)},
        )
        return object_schema(
            services={"type": "array", "items": service},
            user={"type": "array", "items": _slot(USER_SLOTS)},
        )

    def read(self, text: str, sample: Sample) -> Reading:
        """Return mentions and values with their spans; what has another label or stands nowhere is dropped."""
        told = found_json(text)
        if not isinstance(told, dict) or not isinstance(told.get("services"), list):
            return Reading(None)
        found = _Found(sample)
        for service in told["services"]:
            found.add_service(service)
        for slot in found.listed(told.get("user")):
            found.add_value(slot, USER_SLOTS, None)
        annotation = Annotation(mentions=tuple(found.mentions), values=tuple(found.values))
        return Reading(Answer(annotation=annotation), found.dropped)

    def empty(self, sample: Sample) -> Answer:  # noqa: ARG002  # always the same
        """Return no mention and no value."""
        return Answer(annotation=Annotation())

    def said(self, answer: Answer, sample: Sample, asked: Asked = "answer") -> str | None:  # noqa: ARG002  # all are asked alike
        """Return a reference as JSON; `None` where it has no annotation, or a mention without a span."""
        annotation = answer.annotation
        if annotation is None:
            return None
        spans = [*(one.span for one in annotation.mentions), *(one.span for one in annotation.values)]
        if None in spans:
            return None
        services = []
        for entity in dict.fromkeys(one.entity for one in annotation.mentions):
            mentions = [one for one in annotation.mentions if one.entity == entity]
            services.append(
                {
                    "type": mentions[0].label,
                    "mentions": [{"utterance": _turn(one), "text": one.text} for one in mentions],
                    "slots": [_told(one) for one in annotation.values if one.entity == entity],
                }
            )
        user = [_told(one) for one in annotation.values if one.entity is None]
        return msgspec.json.encode({"services": services, "user": user}).decode()


class _Found:
    """Mentions and values of a call that were found where a model says."""

    def __init__(self, sample: Sample) -> None:
        self._texts = [turn.text for turn in sample.history]
        self._taken: set[tuple[int, int, int]] = set()
        self._services = 0
        self.mentions: list[Mention] = []
        self.values: list[Value] = []
        self.dropped = 0

    def add_service(self, service: Any) -> None:
        """Take up a service; one without a mention that can be found is dropped with its slots."""
        label = service.get("type") if isinstance(service, dict) else None
        if label not in ENTITY_TYPES:
            self.dropped += 1
            return
        entity, spans = f"ent-{self._services + 1}", []
        for mention in self.listed(service.get("mentions")):
            span = self._span(mention, "text")
            if span is None:
                self.dropped += 1
            else:
                spans.append(span)
                self._taken.add((span.turn, span.start, span.end))
        if not spans:
            self.dropped += 1
            return
        self._services += 1
        self.mentions += [Mention(label=label, text=self._cut(span), entity=entity, span=span) for span in spans]
        for slot in self.listed(service.get("slots")):
            self.add_value(slot, SERVICE_SLOTS, entity)

    def add_value(self, slot: Any, labels: Sequence[str], entity: str | None) -> None:
        """Take up the value of a slot."""
        span = self._span(slot, "value") if isinstance(slot, dict) and slot.get("slot") in labels else None
        if span is None:
            self.dropped += 1
            return
        self.values.append(Value(slot=slot["slot"], text=self._cut(span), entity=entity, span=span))

    def listed(self, value: Any) -> list[Any]:
        """Return a list; what is there and is none is dropped."""
        if isinstance(value, list):
            return value
        self.dropped += value is not None
        return []

    def _cut(self, span: Span) -> str:
        return self._texts[span.turn][span.start : span.end]

    def _span(self, told: Any, key: str) -> Span | None:
        """Return where a text stands in its utterance, the first place that no mention has; `None`: nowhere."""
        text, turn = (told.get(key), told.get("utterance")) if isinstance(told, dict) else (None, None)
        if not isinstance(text, str) or not text or type(turn) is not int or not 0 <= turn < len(self._texts):
            return None
        start = self._texts[turn].find(text)
        while start >= 0 and (turn, start, start + len(text)) in self._taken:
            start = self._texts[turn].find(text, start + 1)
        return Span(turn=turn, start=start, end=start + len(text)) if start >= 0 else None


def _slot(labels: Sequence[str]) -> dict[str, Any]:
    return object_schema(
        slot={"type": "string", "enum": list(labels)}, utterance={"type": "integer"}, value={"type": "string"}
    )


def _turn(one: Mention | Value) -> int:
    assert one.span is not None, "references without spans are not said"
    return one.span.turn


def _told(value: Value) -> dict[str, Any]:
    return {"slot": value.slot, "utterance": _turn(value), "value": value.text}
