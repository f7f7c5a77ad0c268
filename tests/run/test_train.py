from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from duologue.challenges.restaurant.systems.ranker.ranker import RankerRecipe
from duologue.core.disk import write_text
from duologue.core.errors import StorageError, UsageError
from duologue.core.identity import CHECKPOINT
from duologue.core.plugins import CARD, load_system_class, load_task, make_system, read_card
from duologue.core.protocols import Trainable
from duologue.core.recipe import dump
from duologue.core.records import Record, Turn
from duologue.core.version import __version__
from duologue.knowledge.base import KnowledgeBase
from duologue.models.trained_system import WEIGHTS
from duologue.run.train import UNDER_WAY, _hash_of_data, _hash_of_worlds, _release, train

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example

TASK = load_task("restaurant")
TINY = msgspec.structs.replace(RankerRecipe.tiny(), epochs=3, checkpoint_seconds=0.0, word_dropout=0.9)


class Kill:
    """Ends a training as a kill would, when it shows its progress for the second time, and counts the steps done."""

    def __init__(self, *, at: int = 0) -> None:
        self.at = at
        self.shown: list[int] = []

    def __call__(self, done: int, total: int, what: str) -> None:
        if what.startswith("training"):
            self.shown.append(done)
            if len(self.shown) == self.at:
                raise KeyboardInterrupt


@pytest.fixture(scope="module")
def lessons() -> tuple[list[Example], list[Example]]:
    """Enough for some steps that are shown."""
    system = make_system("ranker", msgspec.structs.replace(TINY, dialogues=40))
    assert isinstance(system, Trainable)
    examples, held_out = system.make_training_data(TASK, 1, None)
    return list(examples[:100]), list(held_out[:20])


def stopped(out: Path, lessons: tuple[list[Example], list[Example]], recipe: RankerRecipe = TINY) -> None:
    examples, held_out = lessons
    with pytest.raises(KeyboardInterrupt):
        train(TASK, "ranker", recipe, 1, out, examples=examples, held_out=held_out, progress=Kill(at=2))
    assert (out / CHECKPOINT).is_file()
    assert not (out / CARD).exists()


def test_a_stopped_training_goes_on_where_it_was_and_ends_in_the_same_weights(tmp_path: Path, lessons: Any) -> None:
    examples, held_out = lessons
    recipe = msgspec.structs.replace(TINY, batch=4)
    seen: list[Kill] = []
    for name in ("whole", "stopped"):
        if name == "stopped":
            stopped(tmp_path / name, lessons, recipe)
        seen.append(Kill())
        train(TASK, "ranker", recipe, 1, tmp_path / name, examples=examples, held_out=held_out, progress=seen[-1])
    whole, again = ((tmp_path / name / WEIGHTS).read_bytes() for name in ("whole", "stopped"))
    assert whole == again
    assert seen[1].shown[0] > seen[0].shown[0]  # the first steps were not done again
    assert not (tmp_path / "stopped" / UNDER_WAY).exists()


def test_a_stopped_training_never_goes_on_with_another_recipe(tmp_path: Path, lessons: Any) -> None:
    examples, held_out = lessons
    recipe = msgspec.structs.replace(TINY, batch=4)
    stopped(tmp_path, lessons, recipe)
    other = msgspec.structs.replace(recipe, word_dropout=0.0)
    with pytest.raises(UsageError, match=r"recipe\.word_dropout 0\.9, now 0\.0"):
        train(TASK, "ranker", other, 1, tmp_path, examples=examples, held_out=held_out)
    (tmp_path / UNDER_WAY).unlink()  # the checkpoint knows as much by itself
    with pytest.raises(UsageError, match=r"recipe\.word_dropout 0\.9, now 0\.0"):
        train(TASK, "ranker", other, 1, tmp_path, examples=examples, held_out=held_out)


@pytest.mark.parametrize(
    ("field", "value"),
    [("system", "planner"), ("task", "spoken"), ("packages", "duologue 0.0.1"), ("seed", 9), ("data", "f" * 64)],
)
def test_each_part_of_the_identity_counts(tmp_path: Path, lessons: Any, field: str, value: Any) -> None:
    examples, held_out = lessons
    stopped(tmp_path, lessons, msgspec.structs.replace(TINY, batch=4))
    path = tmp_path / UNDER_WAY
    table = msgspec.toml.decode(path.read_bytes())

    class Loose(Record, frozen=True):
        task: str
        system: str
        packages: str
        seed: int
        recipe: dict[str, Any]
        data: str
        world: str
        weights: str

    write_text(path, dump(Loose(**{**table, field: value})))
    with pytest.raises(UsageError, match=field):
        train(TASK, "ranker", msgspec.structs.replace(TINY, batch=4), 1, tmp_path, examples=examples, held_out=held_out)


@pytest.mark.parametrize("damage", [b"\xff\xfe{{", b"{{", b"task = "])
def test_a_damaged_note_of_a_stopped_training_says_how_to_start_anew(
    tmp_path: Path, lessons: Any, damage: bytes
) -> None:
    examples, held_out = lessons
    (tmp_path / UNDER_WAY).write_bytes(damage)
    with pytest.raises(StorageError, match=r"is damaged.* remove the folder to start anew, or choose another --out"):
        train(TASK, "ranker", RankerRecipe.tiny(), 1, tmp_path, examples=examples, held_out=held_out)
    assert (tmp_path / UNDER_WAY).read_bytes() == damage


def test_a_finished_model_is_known_again_and_another_one_is_not_overwritten(tmp_path: Path) -> None:
    recipe = RankerRecipe.tiny()
    assert train(TASK, "ranker", recipe, 1, tmp_path)
    weights = (tmp_path / WEIGHTS).read_bytes()
    assert not train(TASK, "ranker", recipe, 1, tmp_path)
    card = read_card(tmp_path)
    assert card.duologue == __version__
    system = make_system("ranker", recipe)
    assert isinstance(system, Trainable)
    assert card.data_hash == _hash_of_data(*system.make_training_data(TASK, 1, None))  # of what was made, not its name
    with pytest.raises(UsageError, match="seed 1, now 2"):
        train(TASK, "ranker", recipe, 2, tmp_path)
    with pytest.raises(UsageError, match=r"recipe\.width 16, now 8"):
        train(TASK, "ranker", msgspec.structs.replace(recipe, width=8), 1, tmp_path)
    with pytest.raises(UsageError, match="other world"):
        train(TASK, "ranker", recipe, 1, tmp_path, worlds={"kb": KnowledgeBase("kb", [])})
    assert (tmp_path / WEIGHTS).read_bytes() == weights


def test_half_a_character_is_told_with_its_sample(lessons: Any) -> None:
    first = lessons[0][0]
    sample = msgspec.structs.replace(first.sample, history=(Turn(speaker="user", text="a\udfff"),))
    with pytest.raises(UsageError, match=rf"'{sample.id}' holds \\udfff, half of a character"):
        _hash_of_data([msgspec.structs.replace(first, sample=sample)], [])


def test_where_held_out_data_begins_is_part_of_the_hash(lessons: Any) -> None:
    first, second = lessons[0][:2], lessons[0][2:4]
    both = [*first, *second]
    parts = [(both, []), (first, second), ([], both), (first, [], second), ([], first, second), ([], [], both)]
    assert len({_hash_of_data(*one) for one in parts}) == len(parts)
    assert _hash_of_data(first, second, []) == _hash_of_data(first, second)
    facts = list(TASK.world(None))[:4]  # type: ignore[attr-defined]  # restaurant has a built-in one
    worlds = [
        {"a": KnowledgeBase("a", facts), "b": KnowledgeBase("b", [])},
        {"a": KnowledgeBase("a", facts[:2]), "b": KnowledgeBase("b", facts[2:])},
        {"a": KnowledgeBase("a", facts)},
        {},
    ]
    assert len({_hash_of_worlds(one) for one in worlds}) == 4


@pytest.mark.parametrize("part", ["held_out", "unlabelled"])
def test_other_parts_alone_are_refused(tmp_path: Path, lessons: Any, part: str) -> None:
    with pytest.raises(UsageError, match="--train"):
        train(TASK, "ranker", TINY, 1, tmp_path, **{part: lessons[1]})
    assert not list(tmp_path.iterdir())


def test_unlabelled_examples_are_refused_by_a_system_that_learns_from_labels_and_the_folder_stays_free(
    tmp_path: Path, lessons: Any
) -> None:
    examples, others = lessons
    with pytest.raises(UsageError, match="'ranker' learns from labels alone, and 20 examples without them were given"):
        train(TASK, "ranker", TINY, 1, tmp_path, examples=examples, unlabelled=others)
    assert not (tmp_path / UNDER_WAY).exists()
    assert train(TASK, "ranker", RankerRecipe.tiny(), 1, tmp_path, examples=examples[:20], held_out=others[:5])


def test_a_declaration_of_external_data_is_put_on_a_model_that_stands_there(
    tmp_path: Path, lessons: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples, held_out = lessons
    recipe = RankerRecipe.tiny()

    def again(external: list[str] | None) -> list[str] | None:
        train(TASK, "ranker", recipe, 1, tmp_path, examples=examples[:20], held_out=held_out[:5], external=external)
        return read_card(tmp_path).external

    first = again(None)
    card = read_card(tmp_path)
    assert (card.data, card.data_hash) == ("given files", _hash_of_data(examples[:20], held_out[:5]))
    assert again(["web", "a", "web"]) == ["a", "web"]
    file = (tmp_path / "system.toml").stat().st_ino
    assert again(["web", "a"]) == ["a", "web"]
    assert (tmp_path / "system.toml").stat().st_ino == file  # the same again is not written again
    assert again(None) == ["a", "web"]
    assert again([]) == []
    assert first in (None, [])
    monkeypatch.setattr(load_system_class("ranker"), "external", ("vectors",), raising=False)
    assert again(["web"]) == ["vectors", "web"]  # what the system brings along stays
    with pytest.raises(UsageError, match="other data"):
        train(TASK, "ranker", recipe, 1, tmp_path, examples=examples[:21], held_out=held_out[:5])
    with pytest.raises(UsageError, match="other data"):
        train(TASK, "ranker", recipe, 1, tmp_path, examples=examples[:20], held_out=held_out[:4])


def test_a_folder_in_which_nothing_was_begun_is_given_up_without_a_word(tmp_path: Path) -> None:
    _release(tmp_path)
    (tmp_path / UNDER_WAY).touch()
    (tmp_path / "weights").touch()
    _release(tmp_path)
    assert (tmp_path / UNDER_WAY).is_file()
    (tmp_path / "weights").unlink()
    _release(tmp_path)
    assert list(tmp_path.iterdir()) == []
