"""Sentence encoders, each behind a module of its own that is imported when it is asked for.

Two come with packages; `folder` is an embedding model of the user's.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, cast

from duologue.core.disk import copy_file, guarded
from duologue.core.errors import StorageError, UsageError
from duologue.core.extras import need
from duologue.models.pretrained.source import shown_name
from duologue.models.sentence_encoders.layout import layout_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

EncoderName = Literal["e5", "use", "folder"]
ENCODER = "encoder"
"""Folder of a trained system with the encoder that it was trained with, where that came from a folder."""

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


class _Package(NamedTuple):
    """An encoder that a package brings."""

    name: str
    extra: str
    external: str
    dimensions: int


_PACKAGES: dict[str, _Package] = {
    "e5": _Package("E5Encoder", "rerank", "multilingual-e5-small (weights trained elsewhere)", 384),
    "use": _Package(
        "UseEncoder", "embed", "universal-sentence-encoder-multilingual v3 (weights trained elsewhere)", 512
    ),
}


class EncoderChoice(NamedTuple):
    """A sentence encoder by its name, and its folder where it has one."""

    name: EncoderName
    folder: Path | None = None

    @classmethod
    def of(cls, name: EncoderName, folder: str) -> EncoderChoice:
        """Return what the entries `encoder` and `encoder_folder` of a recipe choose.

        Raises `UsageError` where one of them lacks the other, and for a folder that is none.
        """
        if (name == "folder") != bool(folder):
            raise UsageError(
                f"encoder={name}, encoder_folder={folder or 'none'}: an embedding model of yours takes both, "
                f"--set encoder=folder --set encoder_folder=FOLDER"
            )
        if not folder:
            return cls(name)
        path = Path(folder).expanduser()
        if not path.is_dir():
            raise UsageError(f"--set encoder_folder={folder}: there is no such folder")
        return cls(name, path)

    @classmethod
    def beside(cls, name: EncoderName, model: Path) -> EncoderChoice:
        """Return the encoder of a trained system in the folder `model`, whatever its recipe says of other places.

        Raises `StorageError` where it is missing.
        """
        if name != "folder":
            return cls(name)
        if not (model / ENCODER).is_dir():
            raise StorageError(f"{model / ENCODER}: the sentence encoder is missing; copy the model again")
        return cls(name, model / ENCODER)

    @property
    def extra(self) -> str:
        """The extra that it needs."""
        return "hub" if self.name == "folder" else _PACKAGES[self.name].extra

    def load(self) -> SentenceEncoder:
        """Return it with its weights in memory.

        Raises `MissingExtraError` where its package is not installed, and for a folder as `FolderEncoder` does.
        """
        module = need(f"duologue.models.sentence_encoders.{self.name}", self.extra)
        if self.folder is not None:
            return cast("SentenceEncoder", module.FolderEncoder(self.folder))
        return cast("SentenceEncoder", getattr(module, _PACKAGES[self.name].name)())

    def dimensions(self) -> int:
        """Return the size of its vectors. Raises as `layout_of` does."""
        return layout_of(self.folder).dimensions if self.folder is not None else _PACKAGES[self.name].dimensions

    def save(self, model: Path) -> None:
        """Copy the files of a folder to those of a trained system, which then needs it no more."""
        if self.folder is None:
            return
        for file in layout_of(self.folder).files:
            goal = model / ENCODER / file.relative_to(self.folder)
            with guarded("write", goal.parent):
                goal.parent.mkdir(parents=True, exist_ok=True)
            copy_file(file, goal)


def external_data(name: EncoderName, folder: str = "") -> str:
    """Return what an encoder is as an external resource."""
    return f"{shown_name(folder)} (a model trained elsewhere)" if name == "folder" else _PACKAGES[name].external


def readable(text: str) -> str:
    """Return the beginning of a text as valid UTF-8 without NUL, at which an engine may stop."""
    return text[:LONGEST].encode("utf-8", "replace").decode().replace("\0", " ")
