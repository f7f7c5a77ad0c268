from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from duologue.core.plugins import load_task
from duologue.core.records import Answer, Record, Sample
from duologue.run.resumed import resumed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from duologue.core.protocols import TaskInfo, World

QUESTION = Sample(id="0#1", dialogue_id="0")


class Width(Record, frozen=True):
    width: int = 1


class Counted:
    """A system that answers with how often it was asked; `recipe` is its recipe."""

    Recipe: type[Record] = Width
    seen = ""

    def __init__(self, width: int = 1) -> None:
        self.recipe = Width(width=width)
        self.asked = 0

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Nothing is prepared."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        self.asked += len(samples)
        return [Answer(text=f"width {self.recipe.width}") for _ in samples]


def stopped(journal: Path, system: Counted, **how: Any) -> tuple[str | None, list[str]]:
    """Ask a system with a journal and stop; return its answer and what was said."""
    said: list[str] = []
    given: dict[str, Any] = {"name": "grounded", "seed": 1, "say": said.append, **how}
    answer: str | None = None
    name, seed = given.pop("name"), given.pop("seed")
    with suppress(KeyboardInterrupt), resumed(load_task("spoken"), name, system, seed, journal, **given) as it:
        answer = it.answer([QUESTION])[0].text
        raise KeyboardInterrupt
    return answer, said


def test_a_question_is_not_asked_again_after_a_stop(tmp_path: Path) -> None:
    stopped(tmp_path / "journal", Counted())
    again = Counted()
    assert stopped(tmp_path / "journal", again) == ("width 1", [])
    assert again.asked == 0


@pytest.mark.parametrize("other", ["recipe", "seed", "name", "kb"])
def test_a_journal_of_another_run_is_set_aside(tmp_path: Path, other: str) -> None:
    kb = tmp_path / "kg.json"
    kb.write_text("{}", "utf-8")
    stopped(tmp_path / "journal", Counted(), kb=kb)
    changes: dict[str, dict[str, Any]] = {"seed": {"seed": 2}, "name": {"name": "random"}}
    changed = {"kb": kb, **changes.get(other, {})}
    if other == "kb":
        kb.write_text("{ }", "utf-8")  # another content under the same name
    system = Counted(2 if other == "recipe" else 1)
    _, (said,) = stopped(tmp_path / "journal", system, **changed)
    assert system.asked == 1
    assert {"recipe": "recipe.width", "seed": "seed 1, now 2", "name": "system", "kb": "world"}[other] in said
