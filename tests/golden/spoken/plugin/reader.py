"""A small system for tests of spoken dialogue: it looks for names and attributes in what was said, word by word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.core.disk import read_bytes, write_bytes
from duologue.core.errors import UsageError
from duologue.core.records import Annotation, Answer, Record
from duologue.knowledge.graph import Graph, bare, fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import Progress, Run, Task, TaskInfo, TrainingData, World
    from duologue.core.records import Example, Sample


class Learned(Record, frozen=True, kw_only=True):
    """All that it learns: what it was given."""

    ids: tuple[str, ...]
    placed: tuple[str, ...]
    """Names of the worlds that the examples are placed in."""
    worlds: dict[str, int]
    """World to number of facts."""


class Reader:
    """Takes the entity that was named last and the attributes that the last turn names, with all their values."""

    Recipe = Record
    seen = "nothing"

    def __init__(self, recipe: Record | None = None) -> None:
        self.recipe = recipe or Record()
        self.learned: Learned | None = None
        self.worlds: Mapping[str, World] = {}

    def make_training_data(self, task: Task, seed: int, progress: Progress | None) -> TrainingData:
        """There is no simulator of this task."""
        raise UsageError("give training files with --train")

    def fit(
        self, examples: Sequence[Example], held_out: Sequence[Example], unlabelled: Sequence[Example], run: Run
    ) -> None:
        """Keep the names of what was given."""
        placed = sorted({str(one.sample.world) for one in (*examples, *held_out)})
        worlds = {name: len(list(world)) for name, world in run.worlds.items()}
        ids = tuple(one.sample.id for one in examples)
        self.learned = Learned(ids=ids, placed=tuple(placed), worlds=worlds)

    def save(self, folder: Path) -> None:
        """Write what was learned."""
        write_bytes(folder / "learned.json", msgspec.json.encode(self.learned))

    def load(self, folder: Path) -> None:
        """Take it up."""
        self.learned = msgspec.json.decode(read_bytes(folder / "learned.json"), type=Learned)

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Take the graphs."""
        self.worlds = worlds

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Answer each sample."""
        return [self._answer(sample) for sample in samples]

    def _answer(self, sample: Sample) -> Answer:
        world = self.worlds.get(sample.world or "")
        said = fold("".join(turn.text for turn in sample.history))
        names = world.entities if isinstance(world, Graph) else ()
        places = {said.rfind(bare(name)): name for name in names if bare(name) in said}
        if world is None or not places:
            return Answer(text="你好呀。")
        last = sample.history[-1].text
        facts = tuple(fact for fact in world.about(places[max(places)]) if fact.relation in last)
        return Answer(text="，".join(str(fact.object) for fact in facts) or "嗯。", annotation=Annotation(facts=facts))
