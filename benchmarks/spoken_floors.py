"""What the systems of the spoken challenge are compared with: a floor, and `grounded` told a part of the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.spoken.systems.grounded.entity_linker import EntityLinker
from duologue.challenges.spoken.systems.template_nlg.generator import TemplateGenerator
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.core.records import Annotation, Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from duologue.core.protocols import World
    from duologue.core.records import Example, Fact


def first_value(examples: Sequence[Example], world: World) -> list[Answer]:
    """Answer with the first triple of the entity that was named last, as written: the least that uses the graph."""
    linker = EntityLinker(dict.fromkeys(fact.subject for fact in world), fuzzy=False)
    answers = []
    for one in examples:
        named = [mention for turn in one.sample.history for mention in linker.mentions(turn.text)]
        facts: Sequence[Fact] = world.about(named[-1].names[0])[:1] if named else ()
        answers.append(_answer("".join(str(fact.object) for fact in facts) or "嗯，是的。", facts))
    return answers


def gold_knowledge(system: Any, examples: Sequence[Example], world: World, model: Path) -> list[Answer]:  # noqa: ARG001  # the form of an oracle
    """Return the replies to the wanted triples."""
    generator = TemplateGenerator.load(model)
    return [_answer(generator.reply(one.sample, gold_facts(one), world), gold_facts(one)) for one in examples]


def gold_entity(system: Any, examples: Sequence[Example], world: World, model: Path) -> list[Answer]:
    """Return the replies where the entities of the wanted triples are told, and nothing else."""
    generator = TemplateGenerator.load(model)
    names = [{fact.subject for fact in gold_facts(one)} for one in examples]
    chosen = system.select([one.sample for one in examples], names)
    return [
        _answer(generator.reply(one.sample, found.facts, world), found.facts)
        for one, found in zip(examples, chosen, strict=True)
    ]


def _answer(text: str, facts: Sequence[Fact]) -> Answer:
    return Answer(text=text, annotation=Annotation(facts=tuple(facts)) if facts else None)


FLOORS: dict[str, Callable[[Sequence[Example], World], list[Answer]]] = {"first-value": first_value}
ORACLES: dict[str, Callable[[Any, Sequence[Example], World, Path], list[Answer]]] = {
    "gold-knowledge": gold_knowledge,
    "gold-entity": gold_entity,
}
