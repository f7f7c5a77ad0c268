"""A pre-trained encoder (BERT and its like) that reads a text character by character, a token each.

Shapes: b texts, n characters, t = n + 2 tokens, d width.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import transformers
from torch import nn

from duologue.core.errors import StorageError, UsageError
from duologue.core.records import Record
from duologue.models.pretrained.body import load_body
from duologue.models.pretrained.language_model import LAYERS, quiet

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

_MAX_LAYERS = 256
_OF_THIS_MACHINE = ("_name_or_path", "architectures", "dtype", "torch_dtype", "transformers_version")
"""Entries of a configuration that say nothing of the architecture."""


class EncoderCard(Record, frozen=True, kw_only=True):
    """What an encoder is beside its weights: with it the architecture is made anew."""

    config: dict[str, Any]
    """As transformers has it, with the name of the architecture as `model_type`."""
    characters: dict[str, int]
    """Tokens of single characters."""
    begin: int
    end: int
    unknown: int
    padding: int


class CharacterEncoder(nn.Module):
    """The encoder, and the numbers of its characters."""

    def __init__(self, model: Any, card: EncoderCard) -> None:
        super().__init__()
        self.model, self.card = model, card
        self.width = int(model.config.hidden_size)

    @classmethod
    def load(cls, folder: Path) -> CharacterEncoder:
        """Read an encoder from a folder in Hugging Face's form; its code is never run.

        Raises `FormatError` for a folder that is more than data, `StorageError` for one that is no encoder, and
        `UsageError` for one whose tokenizer does not begin and end texts as BERT's does.
        """
        model, tokenizer = load_body(folder)
        marks = (tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.unk_token_id, tokenizer.pad_token_id)
        if None in marks:
            raise UsageError(f"{folder}: the tokenizer has no [CLS], [SEP], [UNK] or [PAD]; take a BERT or its like")
        characters = {token: number for token, number in tokenizer.get_vocab().items() if len(token) == 1}
        config = json.loads(model.config.to_json_string())
        kept = {key: value for key, value in config.items() if key not in _OF_THIS_MACHINE}
        begin, end, unknown, padding = marks
        card = EncoderCard(
            config=kept,
            characters=dict(sorted(characters.items())),
            begin=begin,
            end=end,
            unknown=unknown,
            padding=padding,
        )
        return cls(model, card)

    @classmethod
    def untrained(cls, card: EncoderCard) -> CharacterEncoder:
        """Return the architecture of a card with weights of no meaning, to be filled.

        Raises `StorageError` for more layers than any encoder has: all are built before their weights are looked for.
        """
        options = dict(card.config)
        with quiet():
            config = transformers.AutoConfig.for_model(options.pop("model_type"), **options)
            for name in LAYERS:
                if isinstance(layers := getattr(config, name, None), int) and layers > _MAX_LAYERS:
                    raise StorageError(f"the encoder's card: '{name}' is {layers:,}, expected {_MAX_LAYERS} at most")
            model = transformers.AutoModel.from_config(config, attn_implementation="eager", trust_remote_code=False)
        return cls(model, card)

    def numbers(self, text: str) -> NDArray[np.int32]:
        """Return the token of each character (n,), in lower case, blanks as `_`."""
        known, unknown = self.card.characters, self.card.unknown
        signs = ("_" if sign.isspace() else sign.lower() for sign in text)
        return np.array([known.get(sign, unknown) for sign in signs], dtype=np.int32)

    def forward(self, tokens: Tensor, seen: Tensor) -> Tensor:
        """Return the vectors of tokens (b, t) -> (b, t, d); `seen` is 1 for those that are real."""
        found: Tensor = self.model(input_ids=tokens, attention_mask=seen).last_hidden_state
        return found
