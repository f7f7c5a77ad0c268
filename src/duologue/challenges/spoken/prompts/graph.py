"""Prompt of the challenge for chat models: triples to choose by their numbers, and the reply.

The graph is too large for a prompt: told are the triples of the entities that the dialogue names, the latest first.
"""

from __future__ import annotations

from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.challenges.spoken.systems.grounded.entity_linker import EntityLinker
from duologue.core.records import Annotation, Answer
from duologue.prompts.json_answer import found_json
from duologue.prompts.prompt import Prompt, Reading, object_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.protocols import World
    from duologue.core.records import Fact, Sample
    from duologue.prompts.prompt import Asked

_ENTITIES = 6
"""Entities whose triples are told."""


class GraphPrompt(Prompt):
    """Tells numbered triples and asks for the numbers of those that the reply uses, with the reply."""

    texts = "prompts.toml"
    _linkers: Mapping[str, EntityLinker] = MappingProxyType({})

    def prepare(self, worlds: Mapping[str, World]) -> None:
        """Index the names of the graphs."""
        super().prepare(worlds)
        self._linkers = {
            name: EntityLinker(dict.fromkeys(fact.subject for fact in world), fuzzy=False)
            for name, world in worlds.items()
        }

    def known_facts(self, sample: Sample) -> list[Fact]:
        """Return the triples of the entities that were named, the latest first; none without a graph."""
        world, linker = self.worlds.get(sample.world or ""), self._linkers.get(sample.world or "")
        if world is None or linker is None:
            return []
        found = (reversed(linker.mentions(turn.text)) for turn in reversed(sample.history))
        names = list(dict.fromkeys(name for one in chain.from_iterable(found) for name in one.names))[:_ENTITIES]
        return list(dict.fromkeys(chain.from_iterable(map(world.about, names))))[: self._facts]

    def knowledge(self, sample: Sample) -> str:
        """Return the triples with numbers from 1, a line each."""
        lines = [f"[{number}] {self.fact(one)}" for number, one in enumerate(self.known_facts(sample), start=1)]
        return "\n".join(lines) or self.wording.nothing

    def schema(self, sample: Sample, asked: Asked = "answer") -> dict[str, Any]:  # noqa: ARG002  # all are asked alike
        """Return the schema of numbers and reply."""
        return object_schema(facts={"type": "array", "items": {"type": "integer"}}, reply={"type": "string"})

    def read(self, text: str, sample: Sample) -> Reading:
        """Return reply and triples; numbers of none are dropped."""
        told = found_json(text)
        if not isinstance(told, dict) or not isinstance(told.get("reply"), str):
            return Reading(None)
        known, listed = self.known_facts(sample), told.get("facts", [])
        numbers = listed if isinstance(listed, list) else [listed]
        right = [one for one in numbers if type(one) is int and 0 < one <= len(known)]
        facts = tuple(known[number - 1] for number in dict.fromkeys(right))
        reply = " ".join(told["reply"].split())
        return Reading(Answer(text=reply, annotation=Annotation(facts=facts)), len(numbers) - len(right))

    def empty(self, sample: Sample) -> Answer:  # noqa: ARG002  # always the same
        """Return no triples and an empty reply."""
        return Answer(text="", annotation=Annotation())

    def said(self, answer: Answer, sample: Sample, asked: Asked = "answer") -> str | None:  # noqa: ARG002  # all are asked alike
        """Return a reference as JSON; `None` where it uses a triple that is not told."""
        known = self.known_facts(sample)
        used = answer.annotation.facts if answer.annotation is not None else ()
        if answer.text is None or any(one not in known for one in used):
            return None
        return msgspec.json.encode({"facts": [known.index(one) + 1 for one in used], "reply": answer.text}).decode()
