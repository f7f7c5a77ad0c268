"""Text form of the published generators: triples that another module chose, then the chat (specification, section 7).

The published program gives a GPT-2 the triples of its selection module; a participant did the same with a BART. Their
exact separators are not part of the specification, so these are our own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.spoken.systems.template_nlg.surface_forms import fact_text
from duologue.core.records import Annotation, Answer
from duologue.knowledge.normalization import without_suffix
from duologue.prompts.linearization import Linearization, Part
from duologue.prompts.prompt import Reading

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from duologue.core.records import Example, Fact
    from duologue.prompts.linearization import Given

_FACTS = 10
_VALUE = 160
"""Characters of a value that are told."""


class ChosenFacts(Linearization):
    """Triples that another system chose, the chat, and the reply alone as the answer."""

    tasks = ("spoken",)
    given_facts = True

    def source(self, given: Given) -> str:
        """Return ten triples at most, and the chat."""
        told = "；".join(
            f"{without_suffix(one.subject)}，{one.relation}，{fact_text(one)[:_VALUE]}" for one in given.facts[:_FACTS]
        )
        called = self.prompt.wording.speakers
        history = given.sample.history[-self.turns :] if self.turns else given.sample.history
        chat = "".join(f"{called.get(turn.speaker, turn.speaker)}：{turn.text}\n" for turn in history)
        return f"知识：{told or self.prompt.wording.nothing}\n{chat}{called['system']}："

    def target(self, example: Example) -> str | None:
        """Return the reply alone."""
        return next((one.text for one in example.references if one.text), None)

    def facts_to_learn(self, example: Example) -> Sequence[Fact]:
        """Return the gold triples with all other values of their entities and attributes, as a selection gives them."""
        from duologue.challenges.spoken.systems.pipeline.trainer import all_values

        return all_values(example, self.prompt.worlds)

    def written(self, given: Given) -> Generator[Part, str, Reading]:
        """Yield the text, and return the reply with the triples that were chosen."""
        text = yield Part(self.source(given))
        return Reading(Answer(text=" ".join(text.split()), annotation=Annotation(facts=tuple(given.facts))))
