"""What is judged: the replies of official result files in their contexts, or the dialogues that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.core.records import Answer, Turn
from duologue.run.predict import next_round

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duologue.core.protocols import Task
    from duologue.core.records import Example, Fact, Sample

_SILENT = Answer(text="")
"""What stands in histories for a reply that is missing; its dialogue is not judged."""


class JudgedItem(NamedTuple):
    """One answer, or one dialogue, of one system."""

    id: str
    """Id of the sample, or of the dialogue."""
    sample: Sample
    """What the system was told; of a dialogue its last turn, with all before it."""
    reply: str
    facts: tuple[Fact, ...] = ()
    """Facts that the system names with it."""

    @property
    def dialogue(self) -> tuple[Turn, ...]:
        """All turns with the reply at the end."""
        return (*self.sample.history, Turn(speaker="system", text=self.reply))


class FoundItems(NamedTuple):
    """The items of one system."""

    items: dict[str, JudgedItem]
    """By their id, in the order of the data."""
    missing: int
    """Samples without a reply, or dialogues that lack one: not judged."""


def items_of(task: Task, examples: Sequence[Example], answers: Mapping[str, Answer], unit: str) -> FoundItems:
    """Return what is judged of answers by sample id: each reply, or with the unit `dialogue` the dialogues they make.

    Histories are those that the system had: of its own replies, where the task makes them so.
    """
    found: dict[str, JudgedItem] = {}
    asked, lacking = set(), set()
    for sample in _samples(task, examples, answers):
        name = sample.id if unit == "reply" else sample.dialogue_id
        asked.add(name)
        answer = answers.get(sample.id)
        if answer is None or answer.text is None:
            lacking.add(name)
            continue
        facts = answer.annotation.facts if answer.annotation is not None else ()
        found[name] = JudgedItem(name, sample, answer.text, facts)  # of a dialogue the last one stays
    return FoundItems({name: one for name, one in found.items() if name not in lacking}, len(lacking))


def whole_dialogues(task: Task, examples: Sequence[Example]) -> FoundItems:
    """Return the dialogues of a data file with what the system says in them, as `simulate --out` writes them.

    Of a task whose samples hold the user's turns alone what the system says stands between them.
    """
    said = {
        example.sample.id: Answer(text=text)
        for example in examples
        if (text := next((one.text for one in example.references if one.text is not None), None)) is not None
    }
    found = {
        sample.dialogue_id: JudgedItem(sample.dialogue_id, sample, said[sample.id].text or "")
        for sample in _samples(task, examples, said)
        if sample.id in said
    }
    return FoundItems(found, len({example.sample.dialogue_id for example in examples} - found.keys()))


def _samples(task: Task, examples: Sequence[Example], answers: Mapping[str, Answer]) -> Iterator[Sample]:
    """Yield all samples, round by round, with the histories that the answers make."""
    rounds = task.rounds(examples)
    batch = next(rounds, None)
    while batch is not None:
        yield from (example.sample for example in batch)
        batch = next_round(rounds, [answers.get(example.sample.id, _SILENT) for example in batch])
