"""Prompt of track 2 for chat models: the user's intents, one's own, and the reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.mobilecs.schema.intents import STAFF_LABELS, USER_LABELS
from duologue.challenges.mobilecs.systems.local_knowledge import refuse_knowledge
from duologue.core.records import Act, Annotation, Answer
from duologue.prompts.json_answer import found_json, other_than_texts, texts_of
from duologue.prompts.prompt import Prompt, Reading, object_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.protocols import World
    from duologue.core.records import Sample
    from duologue.prompts.prompt import Asked

_SIGNS = frozenset("(),（），\n\r\t")
"""What an argument of an intent may not hold: intent strings are cut there."""


class ServicePrompt(Prompt):
    """Tells the local knowledge base and the call so far, and asks for intents and reply as JSON."""

    texts = "dialogue.toml"

    def prepare(self, worlds: Mapping[str, World]) -> None:
        """Take nothing. Raises `UsageError` for knowledge from outside the call, which is not told."""
        refuse_knowledge(worlds, self.mark)
        super().prepare(worlds)

    def schema(self, sample: Sample, asked: Asked = "answer") -> dict[str, Any]:  # noqa: ARG002  # all are asked alike
        """Return the schema of intents and reply, with the labels of the challenge."""
        understood = object_schema(
            intent={"type": "string", "enum": list(USER_LABELS)},
            arguments={"type": "array", "items": {"type": "string"}},
        )
        return object_schema(
            user_intents={"type": "array", "items": understood},
            staff_intents={"type": "array", "items": {"type": "string", "enum": list(STAFF_LABELS)}},
            reply={"type": "string"},
        )

    def read(self, text: str, sample: Sample) -> Reading:  # noqa: ARG002  # it refers to nothing of the sample
        """Return intents and reply; labels that the challenge has not, and what is none or no argument, are dropped."""
        told = found_json(text)
        if not isinstance(told, dict) or not isinstance(told.get("reply"), str):
            return Reading(None)
        listed = told.get("user_intents")
        acts, dropped = [], int(not isinstance(listed, list | None))
        for one in listed if isinstance(listed, list) else ():
            entry = {"intent": one} if isinstance(one, str) else one
            label = entry.get("intent") if isinstance(entry, dict) else None
            if label not in USER_LABELS:
                dropped += 1
                continue
            given = [argument.strip() for argument in texts_of(entry.get("arguments"))]
            args = tuple(dict.fromkeys(argument for argument in given if argument and not _SIGNS & set(argument)))
            dropped += len(given) - len(args) + other_than_texts(entry.get("arguments"))
            acts.append(Act(speaker="user", name=label, args=args))
        staff = texts_of(told.get("staff_intents"))
        acts += [Act(speaker="system", name=label) for label in dict.fromkeys(staff) if label in STAFF_LABELS]
        dropped += sum(label not in STAFF_LABELS for label in staff) + other_than_texts(told.get("staff_intents"))
        reply = " ".join(told["reply"].split())
        return Reading(Answer(text=reply, annotation=Annotation(acts=tuple(acts))), dropped)

    def empty(self, sample: Sample) -> Answer:  # noqa: ARG002  # always the same
        """Return no intents and an empty reply."""
        return Answer(text="", annotation=Annotation())

    def said(self, answer: Answer, sample: Sample, asked: Asked = "answer") -> str | None:  # noqa: ARG002  # all are asked alike
        """Return a reference as JSON; `None` where it lacks reply or intents."""
        if answer.text is None or answer.annotation is None:
            return None
        acts = answer.annotation.acts
        told = {
            "user_intents": [{"intent": one.name, "arguments": one.args} for one in acts if one.speaker == "user"],
            "staff_intents": [one.name for one in acts if one.speaker == "system"],
            "reply": answer.text,
        }
        return msgspec.json.encode(told).decode()
