"""Sentence encoders by name, each behind a module of its own that is imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, cast

from duologue.core.extras import need

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

EncoderName = Literal["e5", "use"]

BATCH = 32
"""Texts read at once."""
LONGEST = 400
"""Characters of a text that are read."""


class SentenceEncoder(Protocol):
    """An encoder with its weights in memory."""

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, of length 1, (N, D)."""
        ...

    def similarity(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the cosine similarity of a query with each text, (N,)."""
        ...


class _Known(NamedTuple):
    module: str
    name: str
    extra: str
    external: str
    dimensions: int


_KNOWN: dict[EncoderName, _Known] = {
    "e5": _Known(
        "duologue.models.sentence_encoders.e5",
        "E5Encoder",
        "rerank",
        "multilingual-e5-small (weights trained elsewhere)",
        384,
    ),
    "use": _Known(
        "duologue.models.sentence_encoders.use",
        "UseEncoder",
        "embed",
        "universal-sentence-encoder-multilingual v3 (weights trained elsewhere)",
        512,
    ),
}


def load_encoder(name: EncoderName) -> SentenceEncoder:
    """Return the encoder of that name. Raises `MissingExtraError` where its package is not installed."""
    known = _KNOWN[name]
    return cast("SentenceEncoder", getattr(need(known.module, known.extra), known.name)())


def external_data(name: EncoderName) -> str:
    """Return what the encoder of that name is as an external resource."""
    return _KNOWN[name].external


def dimensions(name: EncoderName) -> int:
    """Return the size of the vectors of the encoder of that name."""
    return _KNOWN[name].dimensions


def readable(text: str) -> str:
    """Return the beginning of a text as valid UTF-8 without NUL, at which an engine may stop."""
    return text[:LONGEST].encode("utf-8", "replace").decode().replace("\0", " ")
