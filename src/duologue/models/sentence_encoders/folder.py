"""Sentence encoder from a folder of the user's: an embedding model in the form of sentence-transformers.

Only data of the folder are read, as `layout` says; vectors always get the length 1, whether the folder asks for it or
not. Words of a text that look like a mark of the tokenizer are read as words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from duologue.core.errors import StorageError
from duologue.models.inference import demand_numbers, inference
from duologue.models.pretrained.body import load_body
from duologue.models.sentence_encoders.encoder import BATCH, readable
from duologue.models.sentence_encoders.layout import layout_of
from duologue.models.weights import load_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import Tensor

    from duologue.models.sentence_encoders.layout import Dense, EncoderLayout

_WEIGHTS = "model.safetensors"
_TOKENS = 4096
"""Tokens read at once, with those of padding: attention takes memory for the square of a text's."""


class FolderEncoder:
    """The encoder with its weights in memory.

    Shapes: b texts, t tokens, d numbers of the body, D of a vector.
    """

    def __init__(self, folder: Path) -> None:
        self.layout = layout_of(folder)
        self._model, self._tokenizer = load_body(self.layout.body, dtype=torch.float32)
        if self._model.config.is_encoder_decoder:
            raise StorageError(f"{folder} is a model of texts to texts; expected one that reads texts alone")
        wide = int(self._model.config.hidden_size)
        self._steps: list[nn.ModuleDict | None] = []
        for step in self.layout.steps:
            self._steps.append(None if step is None else _filled(step, wide))
            wide = wide if step is None else step.wide
        if wide != self.layout.dimensions:
            raise StorageError(f"{folder}: vectors have {wide} numbers, and its files tell of {self.layout.dimensions}")
        ends = (self._tokenizer.pad_token_id, self._tokenizer.eos_token_id, 0)
        self._padding = next(int(one) for one in ends if one is not None)
        self._longest = _places(self.layout, self._model, self._tokenizer)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, of length 1, (N, D). Raises `StorageError` where the weights are damaged."""
        parts = [self._together(rows) for rows in _batches(map(self._tokens, texts))]
        return np.concatenate([np.zeros((0, self.layout.dimensions), np.float32), *parts])

    def similarity(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the cosine similarity of a query with each text, (N,)."""
        vectors = self.vectors([query, *texts])
        found: NDArray[np.float64] = (vectors[1:] @ vectors[0]).astype(np.float64)
        return found.round(5)

    def _together(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        longest = max(map(len, rows))
        tokens = torch.tensor([[*row, *[self._padding] * (longest - len(row))] for row in rows])
        seen = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
        with inference(self._model):
            hidden = self._model(input_ids=tokens, attention_mask=seen).last_hidden_state  # (b, t, d)
            vectors = pooled(hidden, seen, self.layout.pooling)
            for layer, step in zip(self._steps, self.layout.steps, strict=True):
                if layer is None or step is None:
                    vectors = functional.normalize(vectors, dim=-1)
                    continue
                vectors = layer["linear"](vectors)
                vectors = vectors.tanh() if step.tanh else vectors
            vectors = functional.normalize(vectors, dim=-1)
        demand_numbers(vectors)
        found: NDArray[np.float32] = vectors.numpy()
        return found

    def _tokens(self, text: str) -> list[int]:
        told = self.layout.prompt + readable(text)
        found: list[int] = self._tokenizer(
            told.lower() if self.layout.lower else told,
            truncation=self._longest is not None,
            max_length=self._longest,
            split_special_tokens=True,
        )["input_ids"]
        return found or [self._padding]


def _batches(rows: Iterable[list[int]]) -> Iterator[list[list[int]]]:
    """Yield rows of tokens that are read at once, in their order."""
    several: list[list[int]] = []
    for row in rows:
        longest = max(map(len, [*several, row]))
        if several and (len(several) == BATCH or (len(several) + 1) * longest > _TOKENS):
            yield several
            several = []
        several.append(row)
    if several:
        yield several


def pooled(hidden: Tensor, seen: Tensor, pooling: str) -> Tensor:
    """Return one vector for each text (b, d) of those of its tokens (b, t, d); `seen` (b, t) is 1 for real ones."""
    if pooling == "cls":
        return hidden[:, 0]
    if pooling == "lasttoken":
        return hidden[torch.arange(len(hidden)), seen.sum(1) - 1]
    return (hidden * seen.unsqueeze(-1)).sum(1) / seen.sum(1, keepdim=True)


def _filled(step: Dense, wide: int) -> nn.ModuleDict:
    made = nn.ModuleDict({"linear": nn.Linear(wide, step.wide, bias=step.bias)})
    load_weights(made, step.folder / _WEIGHTS)
    return made.eval()


def _places(layout: EncoderLayout, model: Any, tokenizer: Any) -> int | None:
    """Return how many tokens of a text are read: what the folder says, and no more than the body has places for."""
    places = getattr(model.config, "max_position_embeddings", None)
    if isinstance(places, int):  # those of RoBERTa begin after the one of padding
        tables = [one for name, one in model.named_modules() if name.endswith("position_embeddings")]
        places -= max(
            (one.padding_idx + 1 for one in tables if getattr(one, "padding_idx", None) is not None), default=0
        )
    known = (layout.longest, places, getattr(tokenizer, "model_max_length", None))
    return min((one for one in known if isinstance(one, int) and one > 0), default=None)
