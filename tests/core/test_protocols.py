from __future__ import annotations

from pathlib import Path

from duologue.core.protocols import Run, System, Task, TaskInfo, Trainable
from duologue.core.records import Record, Sample


class Silent:
    Recipe = Record
    seen = "nothing"

    def prepare(self, info: object, seed: int, worlds: object) -> None: ...

    def answer(self, samples: list[Sample]) -> list[object]:
        return []


def test_a_class_keeps_a_protocol_by_its_methods_alone() -> None:
    assert isinstance(Silent(), System)
    assert not isinstance(Silent(), Trainable)
    assert not isinstance(Silent(), Task)
    assert not isinstance(object(), System)


def test_a_task_info_offers_strict_and_official_scores_by_default() -> None:
    assert TaskInfo(name="x", version="1", language="en", answers="text").variants == ("strict", "official")


def test_a_run_is_silent_and_without_knowledge_by_default() -> None:
    run = Run(folder=Path(), seed=1)
    assert run.progress is None
    assert run.worlds == {}
