"""Event files of TensorBoard: `training.tensorboard`, by tensorboardX (extra `tensorboard`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core.extras import need

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER = "training.tensorboard"


class TensorBoardLogger:
    """Writes a scalar for each metric, under its part: `tensorboard --logdir MODEL/training.tensorboard`."""

    def __init__(self, folder: Path, about: Mapping[str, str]) -> None:
        self._library = need("tensorboardX", "tensorboard")
        self._folder, self._about = folder / FOLDER, about
        self._writer: Any = None

    def log(self, part: str, step: int, metrics: Mapping[str, float]) -> None:
        """Write what was measured after `step` steps of a part of the system (empty: the whole)."""
        if self._writer is None:
            self._writer = self._library.SummaryWriter(str(self._folder))
            for name, told in self._about.items():
                self._writer.add_text(name, told)
        for name, value in metrics.items():
            self._writer.add_scalar(f"{part}/{name}" if part else name, value, step)
        self._writer.flush()

    def close(self) -> None:
        """Close the event file."""
        if self._writer is not None:
            self._writer.close()
