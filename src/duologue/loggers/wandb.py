"""Offline runs of Weights & Biases: `training.wandb` (extra `wandb`); nothing is sent before `wandb sync`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.core.extras import need

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER = "training.wandb"


class WandbLogger:
    """Writes an offline run; a training that goes on after a stop writes another one."""

    def __init__(self, folder: Path, about: Mapping[str, str]) -> None:
        self._library = need("wandb", "wandb")
        self._folder, self._about = folder / FOLDER, dict(about)
        self._run: Any = None
        self._logged = 0

    def log(self, part: str, step: int, metrics: Mapping[str, float]) -> None:
        """Write what was measured after `step` steps of a part of the system (empty: the whole)."""
        if self._run is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            settings = self._library.Settings(
                silent=True, console="off", disable_git=True, save_code=False, x_disable_stats=True, x_disable_meta=True
            )
            self._run = self._library.init(
                mode="offline", dir=str(self._folder), project="duologue", config=self._about, settings=settings
            )
        place = f"{part}/" if part else ""
        self._logged += 1  # steps of W&B must rise, and parts begin at 1 again
        told = {f"{place}{name}": value for name, value in metrics.items()}
        self._run.log({**told, f"{place}step": step}, step=self._logged)

    def close(self) -> None:
        """Finish the run."""
        if self._run is not None:
            self._run.finish()
