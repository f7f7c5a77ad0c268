from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
import torch
from tests.tiny_models import save_tiny, save_tiny_bert

from duologue.core.errors import FormatError, StorageError, UsageError
from duologue.models.pretrained.character_encoder import CharacterEncoder, EncoderCard

if TYPE_CHECKING:
    from pathlib import Path


def test_a_character_is_a_token(tmp_path: Path) -> None:
    encoder = CharacterEncoder.load(save_tiny_bert(tmp_path / "bert", "您好a_"))
    assert encoder.numbers("您A x").tolist() == [5, 7, 8, 1]  # in lower case, a blank as `_`, an unknown one
    assert encoder.width == 32
    vectors = encoder(torch.tensor([[2, 5, 6, 3], [2, 5, 3, 0]]), torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]]))
    assert vectors.shape == (2, 4, 32)
    alone = encoder(torch.tensor([[2, 5, 3]]), torch.ones(1, 3, dtype=torch.int64))
    assert torch.allclose(vectors[1, :3], alone[0], atol=1e-5)  # padding is not read


def test_with_its_card_the_architecture_is_made_anew(tmp_path: Path) -> None:
    folder = save_tiny_bert(tmp_path / "bert", "您好")
    encoder = CharacterEncoder.load(folder)
    told = msgspec.json.encode(encoder.card)
    assert str(tmp_path).encode() not in told
    again = CharacterEncoder.untrained(msgspec.json.decode(told, type=EncoderCard))
    again.load_state_dict(encoder.state_dict())
    tokens, seen = torch.tensor([[2, 5, 6, 3]]), torch.ones(1, 4, dtype=torch.int64)
    assert torch.equal(again.eval()(tokens, seen), encoder.eval()(tokens, seen))
    assert again.numbers("好").tolist() == encoder.numbers("好").tolist()


def test_what_is_no_encoder_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="take a BERT or its like"):
        CharacterEncoder.load(save_tiny(tmp_path / "gpt2", "gpt2", ["hello"]))
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="expected a model"):
        CharacterEncoder.load(tmp_path / "empty")
    folder = save_tiny_bert(tmp_path / "bert", "您好")
    (folder / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(StorageError, match="no encoder that can be loaded"):
        CharacterEncoder.load(folder)


def test_a_card_of_very_many_layers_is_refused_before_they_are_built(tmp_path: Path) -> None:
    card = CharacterEncoder.load(save_tiny_bert(tmp_path / "bert", "您好")).card
    many = msgspec.structs.replace(card, config=card.config | {"num_hidden_layers": 10**9})
    with pytest.raises(StorageError, match="'num_hidden_layers' is 1,000,000,000, expected 256 at most"):
        CharacterEncoder.untrained(many)


def test_heads_of_another_task_are_left_and_layers_without_a_place_are_told(tmp_path: Path) -> None:
    import safetensors.torch

    folder = save_tiny_bert(tmp_path / "bert", "您好")
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    named = {f"bert.{name}": one for name, one in weights.items()} | {"cls.predictions.bias": torch.zeros(7)}
    safetensors.torch.save_file(named, folder / "model.safetensors", metadata={"format": "pt"})
    assert CharacterEncoder.load(folder).width == 32
    config = (folder / "config.json").read_text(encoding="utf-8")
    (folder / "config.json").write_text(config.replace('"num_hidden_layers": 2', '"num_hidden_layers": 1'), "utf-8")
    with pytest.raises(StorageError, match=r"16 weights have no place in the model"):
        CharacterEncoder.load(folder)
