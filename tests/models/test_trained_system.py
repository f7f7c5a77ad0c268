from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest
import torch
from torch import nn

from duologue.core.errors import StorageError, UsageError
from duologue.core.protocols import Run, TaskInfo, Trainable
from duologue.core.records import Answer, Example, Record, Sample
from duologue.core.scope import Scope
from duologue.models.trained_system import UNTRAINED, WEIGHTS, TrainedSystem, read_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

INFO = TaskInfo(name="talk", version="1", language="en", answers="text")


class Width(Record, frozen=True):
    width: int = 2


class ParrotCard(Record, frozen=True, kw_only=True):
    words: list[str]
    seen: str


class Parts(NamedTuple):
    words: list[str]
    layer: nn.Linear


class Parrot(TrainedSystem[Width, Parts]):
    """Says the first word that it saw."""

    Recipe: type[Record] = Width
    scope = Scope(tasks=("talk",))
    name, training_files = "parrot", "FILE.txt"
    Card, card_file = ParrotCard, "parrot.json"

    def _learn(self, examples: Sequence[Example], held_out: Sequence[Example], run: Run) -> tuple[Parts, str]:
        words = [one.sample.id for one in examples if one not in held_out]
        layer = nn.Linear(self.recipe.width, 1)
        nn.init.constant_(layer.weight, run.seed)
        return Parts(words, layer), f"{len(words)} words"

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [Answer(text=self._trained().words[0]) for _ in samples]

    def _networks(self, learned: Parts) -> Mapping[str, nn.Module]:
        return {WEIGHTS: learned.layer}

    def _card(self, learned: Parts) -> ParrotCard:
        return ParrotCard(words=learned.words, seen=self.seen)

    def _restored(self, card: ParrotCard) -> Parts:
        return Parts(card.words, nn.Linear(self.recipe.width, 1))


def examples() -> list[Example]:
    return [Example(sample=Sample(id=name, dialogue_id=name, history=())) for name in ("hello", "bye")]


def trained(folder: Path, **changes: int) -> Parrot:
    system = Parrot(Width(**changes))
    system.fit(examples(), [], [], Run(folder=folder, seed=3))
    return system


def test_what_was_learned_is_the_same_after_saving_and_loading(tmp_path: Path) -> None:
    system = trained(tmp_path)
    system.save(tmp_path)
    again = Parrot()
    assert (again.recipe, again.seen) == (Width(), UNTRAINED)
    again.load(tmp_path)
    assert again.seen == system.seen == "2 words"
    samples = [one.sample for one in examples()]
    assert again.answer(samples) == system.answer(samples) == [Answer(text="hello")] * 2
    layer = again._trained().layer
    assert torch.equal(layer.weight, torch.full((1, 2), 3.0))
    assert not layer.training
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parrot.json", WEIGHTS]


def test_it_keeps_to_the_protocol_and_says_what_it_cannot_do(tmp_path: Path) -> None:
    system = Parrot()
    assert isinstance(system, Trainable)
    for call in (lambda: system.answer([examples()[0].sample]), lambda: system.save(tmp_path)):
        with pytest.raises(UsageError, match="'parrot' has not learned yet; train it, or load a trained one"):
            call()
    assert not list(tmp_path.iterdir())
    task: Any = type("Task", (), {"info": INFO})
    with pytest.raises(UsageError, match=r"task 'talk' makes none of its own; give files with --train FILE\.txt"):
        system.make_training_data(task, 1, None)
    with pytest.raises(UsageError, match="system 'parrot' does not serve task 'chess': it is made for talk"):
        system.prepare(msgspec.structs.replace(INFO, name="chess"), 1, {})


class Listener(Parrot):
    """Learns words that nobody labelled, too."""

    def _learn_semi_supervised(
        self, examples: Sequence[Example], held_out: Sequence[Example], unlabelled: Sequence[Example], run: Run
    ) -> tuple[Parts, str]:
        parts, seen = self._learn([*examples, *unlabelled], held_out, run)
        return parts, f"{seen}, {len(unlabelled)} without labels"


def test_unlabelled_examples_go_to_those_who_learn_from_them(tmp_path: Path) -> None:
    first, second = examples()
    with pytest.raises(UsageError, match="'parrot' learns from labels alone"):
        Parrot().fit([first], [], [second], Run(folder=tmp_path, seed=3))
    system = Listener()
    system.fit([first], [], [second], Run(folder=tmp_path, seed=3))
    assert system.seen == "2 words, 1 without labels"
    assert system._trained().words == ["hello", "bye"]


@pytest.mark.parametrize("damage", [b"", b"[]", b'{"words": ["a"]}', b'{"words": [1], "seen": ""}', b"\xff"])
def test_a_damaged_card_is_refused_with_its_name(tmp_path: Path, damage: bytes) -> None:
    trained(tmp_path).save(tmp_path)
    (tmp_path / "parrot.json").write_bytes(damage)
    with pytest.raises(StorageError, match=r"parrot\.json is no part of a saved model .*; train it again"):
        Parrot().load(tmp_path)


def test_what_is_not_there_or_of_another_size_is_refused_and_nothing_is_half_loaded(tmp_path: Path) -> None:
    trained(tmp_path).save(tmp_path)
    other = Parrot(Width(width=5))
    with pytest.raises(StorageError, match="does not hold the weights of this model"):
        other.load(tmp_path)
    assert (other._learned, other.seen) == (None, UNTRAINED)
    with pytest.raises(StorageError, match="found 1x2, expected 1x1000000000000"):
        Parrot(Width(width=10**12)).load(tmp_path)  # a stranger's recipe: no memory is taken for it
    (tmp_path / WEIGHTS).unlink()
    with pytest.raises(StorageError, match=WEIGHTS):
        Parrot().load(tmp_path)
    with pytest.raises(StorageError, match="elsewhere"):
        read_json(tmp_path / "elsewhere", ParrotCard)


def test_the_classes_of_systems_are_read_without_torch() -> None:
    import subprocess

    code = (
        "import sys; from duologue.core.plugins import load_system_class as load;"
        "[load(name) for name in ('copy', 'lstm', 'retriever', 'postks', 'matcher', 'ranker', 'pipeline')];"
        "print('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
