from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from tests.run.test_usage import Metered

from duologue.core.errors import PlugInError
from duologue.core.plugins import load_task, save_card
from duologue.core.records import Answer, Record, Sample
from duologue.core.system_answers import TAKEN_UP
from duologue.run.resumed import Resumed, kept_answers, question_key, resumed
from duologue.run.usage import accounts_of, usage_lines, usage_of

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
    whole_file = False

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


@pytest.mark.parametrize("whole", [False, True])
def test_what_a_stop_left_is_told_but_of_a_system_that_is_asked_every_time(tmp_path: Path, *, whole: bool) -> None:
    journal, system = tmp_path / "journal", Counted()
    stopped(journal, system)
    if whole:
        system.whole_file = True
    left = kept_answers(load_task("spoken"), "grounded", system, 1, journal)
    assert left == ({} if whole else {question_key(system, QUESTION): Answer(text="width 1")})
    assert journal.is_file()


class Asked(Counted):
    """Keeps what it is asked, and answers with the sample's id."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[list[str]] = []

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        self.ids.append([sample.id for sample in samples])
        return [Answer(text=sample.id) for sample in samples]


def sample(name: str) -> Sample:
    return Sample(id=name, dialogue_id=name)


def test_only_what_is_new_is_asked_once_and_in_its_order(tmp_path: Path) -> None:
    system = Asked()
    with resumed(load_task("spoken"), "grounded", system, 1, tmp_path / "journal") as kept:
        assert isinstance(kept, Resumed)
        assert [one.text for one in kept.answer([sample("a"), sample("b"), sample("a")])] == ["a", "b", "a"]
        assert kept.replayed == 1
        assert [one.text for one in kept.answer([sample("c"), sample("b"), sample("d")])] == ["c", "b", "d"]
        assert (kept.replayed, system.ids) == (2, [["a", "b"], ["c", "d"]])
        assert [one.text for one in kept.answer([sample("d")])] == ["d"]
        assert (kept.replayed, len(system.ids)) == (3, 2)
        assert (kept.chunk, kept.whole_file) == (100, False)
    assert not (tmp_path / "journal").exists()


def test_a_system_that_needs_the_whole_file_is_asked_every_time(tmp_path: Path) -> None:
    system: Any = Asked()
    system.whole_file, system.chunk = True, 7
    with resumed(load_task("spoken"), "grounded", system, 1, tmp_path / "journal") as kept:
        for _ in range(2):
            kept.answer([sample("a"), sample("b")])
        assert isinstance(kept, Resumed)
        assert (kept.replayed, kept.chunk) == (0, 7)
    assert system.ids == [["a", "b"]] * 2


def test_answers_of_another_number_are_refused_and_not_kept(tmp_path: Path) -> None:
    system: Any = Asked()
    system.answer = lambda samples: []
    with resumed(load_task("spoken"), "grounded", system, 1, tmp_path / "journal") as kept:
        with pytest.raises(PlugInError, match="Asked returned 0 answers for 1 sample"):
            kept.answer([sample("a")])
        assert isinstance(kept, Resumed)
        assert kept._journal.answers == {}


def test_without_a_journal_the_system_is_given_as_it_is() -> None:
    system: Any = Asked()
    with resumed(load_task("spoken"), "grounded", system, 1, None) as same:
        assert same is system


def test_a_journal_of_a_model_with_other_weights_is_set_aside(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "weights").write_bytes(b"one")
    save_card(model, name="random", recipe=Record(), task="restaurant", seed=1, data="none", data_hash="")
    stopped(tmp_path / "journal", Counted(), name=str(model))
    again = Counted()
    assert stopped(tmp_path / "journal", again, name=str(model))[1] == []
    assert again.asked == 0
    (model / "weights").write_bytes(b"two")
    _, (said,) = stopped(tmp_path / "journal", again, name=str(model))
    assert again.asked == 1
    assert "other weights" in said


def test_what_answers_took_is_kept_beside_them(tmp_path: Path) -> None:
    def told(asked: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
        with suppress(KeyboardInterrupt), resumed(load_task("spoken"), "grounded", Metered(), 1, journal) as kept:
            assert isinstance(kept, Resumed)
            kept.answer([sample(name) for name in asked])
            assert kept.prompt_mark == Metered.prompt_mark
            raise KeyboardInterrupt
        return usage_lines(kept), usage_of(kept, accounts_of(kept))

    journal = tmp_path / "journal"
    assert told(["a", "bc"]) == (["3 characters in 2 answers"], {"characters": 3})
    assert told(["bc", "d", "a", "d"]) == (["5 characters in 4 answers"], {"characters": 5})


def test_accounts_of_answers_that_were_there_say_so(tmp_path: Path) -> None:
    def taken_up(asked: Sequence[str]) -> list[bool]:
        with suppress(KeyboardInterrupt), resumed(load_task("spoken"), "grounded", Metered(), 1, journal) as kept:
            kept.answer([sample(name) for name in asked])
            raise KeyboardInterrupt
        return [bool(one.get(TAKEN_UP)) for one in accounts_of(kept)]

    journal = tmp_path / "journal"
    assert taken_up(["a", "bc", "a"]) == [False, False, True]
    assert taken_up(["bc", "d", "a", "d"]) == [True, False, True, True]
