"""Tiny models in Hugging Face's form, made here from nothing: GPT-2, T5, BART and BERT of two layers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

import pytest

pytest.importorskip("transformers", reason="pre-trained models are optional")
pytest.importorskip("peft", reason="pre-trained models are optional")

import tokenizers
import torch
import transformers
from safetensors.torch import save_file

from duologue.models.pretrained.language_model import quiet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Architecture = Literal["gpt2", "t5", "bart"]

PLACES = 256
"""Tokens that a tiny model has places for."""


def tiny_tokenizer(texts: Sequence[str]) -> Any:
    """Return a tokenizer of bytes and of what stands often in the texts."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<pad>", "<s>", "</s>"],
    )
    made.train_from_iterator(texts, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", bos_token="<s>", eos_token="</s>"
    )


def tiny_model(architecture: Architecture, vocabulary: int, seed: int = 1) -> Any:
    """Return an untrained model with the first weights of a seed."""
    ends = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    with torch.random.fork_rng(), quiet():
        torch.manual_seed(seed)
        if architecture == "gpt2":
            return transformers.GPT2LMHeadModel(
                transformers.GPT2Config(
                    vocab_size=vocabulary, n_positions=PLACES, n_embd=48, n_layer=2, n_head=4,
                    resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, **ends,
                )
            )  # fmt: skip
        if architecture == "t5":
            return transformers.T5ForConditionalGeneration(
                transformers.T5Config(
                    vocab_size=vocabulary, d_model=48, d_kv=12, d_ff=96, num_layers=2, num_heads=4,
                    dropout_rate=0.0, decoder_start_token_id=0, **ends,
                )
            )  # fmt: skip
        return transformers.BartForConditionalGeneration(
            transformers.BartConfig(
                vocab_size=vocabulary, d_model=48, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                decoder_attention_heads=4, encoder_ffn_dim=96, decoder_ffn_dim=96, max_position_embeddings=PLACES,
                dropout=0.0, decoder_start_token_id=2, forced_eos_token_id=2, **ends,
            )
        )  # fmt: skip


def save_tiny(folder: Path, architecture: Architecture, texts: Sequence[str], **config: Any) -> Path:
    """Save a tiny model and its tokenizer in a folder, and return that; `config` has entries of its configuration."""
    tokenizer = tiny_tokenizer(texts)
    model = tiny_model(architecture, len(tokenizer))
    model.config.update(config)
    with quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def save_tiny_bert(folder: Path, characters: str) -> Path:
    """Save a tiny BERT whose tokens are these characters in a folder, and return that."""
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {token: number for number, token in enumerate([*marks, *dict.fromkeys(characters)])}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    with torch.random.fork_rng(), quiet():
        torch.manual_seed(1)
        model = transformers.BertModel(
            transformers.BertConfig(
                vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                intermediate_size=64, max_position_embeddings=PLACES, hidden_dropout_prob=0.0,
                attention_probs_dropout_prob=0.0,
            )
        )  # fmt: skip
        model.save_pretrained(folder)
        transformers.PreTrainedTokenizerFast(tokenizer_object=made, **names).save_pretrained(folder)
    return folder


def save_tiny_embedder(folder: Path, characters: str, pooling: str, *, old: bool = False, dense: int = 0) -> Path:
    """Save a tiny BERT as sentence-transformers has embedding models, and return the folder.

    `old`: as the versions up to 5 write it; `dense`: numbers of a layer after pooling and length.
    """
    save_tiny_bert(folder, characters)
    package = "sentence_transformers.models." if old else "sentence_transformers.base.modules."
    names = ["", "1_Pooling", "2_Normalize", *(["3_Dense"] if dense else [])]
    kinds = ["Transformer", "Pooling", "Normalize", "Dense"]
    listed = [{"idx": n, "name": str(n), "path": path, "type": package + kinds[n]} for n, path in enumerate(names)]
    (folder / "modules.json").write_text(json.dumps(listed))
    for name in names[1:]:
        (folder / name).mkdir()
    key = {"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token", "lasttoken": "pooling_mode_lasttoken"}
    told = {one: one == key[pooling] for one in key.values()} if old else {"pooling_mode": pooling}
    (folder / "1_Pooling/config.json").write_text(json.dumps({"word_embedding_dimension": 32, **told}))
    if dense:
        with torch.random.fork_rng():
            torch.manual_seed(1)
            layer = torch.nn.ModuleDict({"linear": torch.nn.Linear(32, dense)})
        save_file(layer.state_dict(), folder / "3_Dense/model.safetensors", {"format": "pt"})
        shape = {"in_features": 32, "out_features": dense, "bias": True}
        activation = {"activation_function": "torch.nn.modules.activation.Tanh"}
        (folder / "3_Dense/config.json").write_text(json.dumps({**shape, **activation}))
    return folder
