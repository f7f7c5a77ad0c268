from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from tests.tiny_models import save_tiny, save_tiny_bert, save_tiny_embedder

from duologue.core.errors import StorageError, UsageError
from duologue.core.identity import hash_of_model
from duologue.models.pretrained.body import load_body
from duologue.models.sentence_encoders.encoder import ENCODER, EncoderChoice, external_data
from duologue.models.sentence_encoders.folder import FolderEncoder

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

LETTERS = "abcdefghij您好"


def hidden(folder: Path, tokens: list[int]) -> NDArray[np.float32]:
    """Return what the body says of each token, (t, d)."""
    model, _ = load_body(folder)
    with torch.inference_mode():
        found: NDArray[np.float32] = model.eval()(input_ids=torch.tensor([tokens])).last_hidden_state[0].numpy()
    return found


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("pooling", ["mean", "cls", "lasttoken"])
def test_texts_are_pooled_as_the_folder_says(tmp_path: Path, pooling: str, *, old: bool) -> None:
    folder = save_tiny_embedder(tmp_path / "mine", LETTERS, pooling, old=old)
    told = hidden(folder, [2, 5, 6, 7, 3])
    wanted = {"mean": told.mean(0), "cls": told[0], "lasttoken": told[-1]}[pooling]
    vectors = EncoderChoice.of("folder", str(folder)).load().vectors(["a b c d e f g", "a b c", "您"])
    assert vectors.shape == (3, 32)
    assert vectors[1] == pytest.approx(unit(wanted), abs=1e-5)  # the longer text beside it changes nothing
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-5)


def test_without_a_list_of_steps_tokens_are_averaged(tmp_path: Path) -> None:
    folder = save_tiny_bert(tmp_path / "bert", LETTERS)
    encoder = FolderEncoder(folder)
    assert encoder.vectors(["a b"])[0] == pytest.approx(unit(hidden(folder, [2, 5, 6, 3]).mean(0)), abs=1e-5)
    assert encoder.vectors([]).shape == (0, 32)
    assert np.isfinite(encoder.vectors(["", " "])).all()
    assert encoder.similarity("a b", ["a b", "j"]).tolist()[0] == 1


def test_dense_layers_change_the_size_of_vectors(tmp_path: Path) -> None:
    folder = save_tiny_embedder(tmp_path / "mine", LETTERS, "mean", dense=8)
    choice = EncoderChoice.of("folder", str(folder))
    weights = load_dense(folder)
    wanted = np.tanh(unit(hidden(folder, [2, 5, 6, 3]).mean(0)) @ weights["linear.weight"].T + weights["linear.bias"])
    assert choice.load().vectors(["a b"])[0] == pytest.approx(unit(wanted), abs=1e-5)
    assert choice.dimensions() == 8


def load_dense(folder: Path) -> dict[str, NDArray[np.float32]]:
    import safetensors.numpy

    found: dict[str, NDArray[np.float32]] = safetensors.numpy.load_file(folder / "3_Dense/model.safetensors")
    return found


def test_length_case_and_prompt_of_the_folder_hold(tmp_path: Path) -> None:
    folder = save_tiny_embedder(tmp_path / "mine", LETTERS, "mean")
    settle(folder / "sentence_bert_config.json", max_seq_length=5, do_lower_case=True)
    settle(
        folder / "config_sentence_transformers.json",
        prompts={"query": "a b ", "document": "c "},
        default_prompt_name="query",
    )
    found = FolderEncoder(folder).vectors(["C d e f", "c"])
    for vector in found:
        assert vector == pytest.approx(unit(hidden(folder, [2, 5, 6, 7, 3]).mean(0)), abs=1e-5)


def settle(path: Path, **entries: Any) -> None:
    path.write_text(json.dumps((json.loads(path.read_text()) if path.is_file() else {}) | entries))


def test_long_texts_are_cut_where_the_body_has_no_more_places(tmp_path: Path) -> None:
    encoder = FolderEncoder(save_tiny_bert(tmp_path / "bert", LETTERS))
    long = " ".join("a" for _ in range(300))  # of 256 places
    assert np.isfinite(encoder.vectors([long, "b"] * 30)).all()
    assert encoder.vectors([long, "b"] * 30)[1] == pytest.approx(encoder.vectors(["b"])[0], abs=1e-5)


def test_marks_in_the_words_of_a_text_are_words(tmp_path: Path) -> None:
    encoder = FolderEncoder(save_tiny_bert(tmp_path / "bert", LETTERS))
    assert encoder.similarity("a [SEP] b", ["a x y z b"]) == pytest.approx([1])  # three unknown words


def test_a_model_of_texts_to_texts_and_damaged_weights_are_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="texts to texts"):
        FolderEncoder(save_tiny(tmp_path / "t5", "t5", ["hello"]))
    folder = save_tiny_embedder(tmp_path / "mine", LETTERS, "mean", dense=8)
    settle(folder / "3_Dense/config.json", out_features=9)
    with pytest.raises(StorageError, match="expected 9x32"):
        FolderEncoder(folder)
    folder = save_tiny_bert(tmp_path / "bert", LETTERS)
    spoil(folder)
    with pytest.raises(StorageError, match="no number"):
        FolderEncoder(folder).vectors(["a"])


def spoil(folder: Path) -> None:
    import safetensors.torch

    weights = safetensors.torch.load_file(folder / "model.safetensors")
    weights["embeddings.LayerNorm.bias"][:] = float("nan")
    safetensors.torch.save_file(weights, folder / "model.safetensors", {"format": "pt"})


def test_the_files_that_decide_vectors_go_with_a_trained_system(tmp_path: Path) -> None:
    folder = save_tiny_embedder(tmp_path / "mine", LETTERS, "cls", dense=8)
    (folder / "notes.bin").write_bytes(b"large")
    choice = EncoderChoice.of("folder", str(folder))
    choice.save(tmp_path / "model")
    vectors = choice.load().vectors(["a b"])
    folder.rename(tmp_path / "gone")
    moved = EncoderChoice.beside("folder", tmp_path / "model")
    assert moved.load().vectors(["a b"]).tolist() == vectors.tolist()
    (tmp_path / "gone/notes.bin").unlink()
    assert hash_of_model(tmp_path / "model" / ENCODER) == hash_of_model(tmp_path / "gone")
    with pytest.raises(StorageError, match="the sentence encoder is missing"):
        EncoderChoice.beside("folder", tmp_path)


def test_name_and_folder_are_given_together(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="takes both"):
        EncoderChoice.of("folder", "")
    with pytest.raises(UsageError, match="takes both"):
        EncoderChoice.of("use", str(tmp_path))
    with pytest.raises(UsageError, match="no such folder"):
        EncoderChoice.of("folder", str(tmp_path / "none"))
    assert EncoderChoice("folder").extra == "hub"
    (tmp_path / "mine").mkdir()
    assert external_data("folder", str(tmp_path / "mine")) == "mine (a model trained elsewhere)"
