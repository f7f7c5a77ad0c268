from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duologue.core.records import Annotation, Answer, Record
from duologue.knowledge.graph import Graph, bare, fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duologue.core.protocols import Brief, World
    from duologue.core.records import Sample


@pytest.fixture(scope="session")
def golden() -> Path:
    """The folder with small files of this challenge, made for the tests."""
    return Path(__file__).resolve().parents[2] / "golden" / "spoken"


class Reader:
    """A small system: the last entity that the talk names, the attribute that the last turn names, all its values."""

    Recipe = Record
    seen = "nothing"

    def prepare(self, brief: Brief, seed: int, worlds: Mapping[str, World]) -> None:
        self.worlds = worlds

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [self._answer(sample) for sample in samples]

    def _answer(self, sample: Sample) -> Answer:
        world = self.worlds[sample.world or ""]
        assert isinstance(world, Graph)
        said = fold("".join(turn.text for turn in sample.history))
        places = {said.rfind(bare(name)): name for name in world.entities if bare(name) in said}
        if not places:
            return Answer(text="你好呀。")
        name = places[max(places)]
        last = sample.history[-1].text
        facts = tuple(fact for fact in world.about(name) if fact.relation in last)
        return Answer(text="，".join(str(fact.object) for fact in facts) or "嗯。", annotation=Annotation(facts=facts))


@pytest.fixture
def reader() -> Reader:
    return Reader()
