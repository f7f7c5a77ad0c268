"""Runs of MLflow in a store of their own: `training.mlflow/mlflow.db` (extra `mlflow`); no server is asked."""

from __future__ import annotations

import logging
import os
import shutil
from typing import TYPE_CHECKING, Any

from duologue.core.disk import resolved
from duologue.core.errors import UsageError
from duologue.core.extras import need

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER, STORE = "training.mlflow", "mlflow.db"
EXPERIMENT = "duologue"


class MlflowLogger:
    """Writes one run for a model: `mlflow ui --backend-store-uri sqlite:///MODEL/training.mlflow/mlflow.db`."""

    def __init__(self, folder: Path, about: Mapping[str, str]) -> None:
        """Make nothing yet. Raises `UsageError` for a folder whose path is no address of a store."""
        if "?" in str(resolved(folder)):  # all after it would be options, and the store would lie elsewhere
            raise UsageError(
                f"{folder}: MLflow keeps no store in a folder with '?' in its path; give --out another one"
            )
        os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")  # nothing of a training is told to anybody
        for library in ("sqlalchemy", "alembic"):
            need(library, "mlflow")
        self._library = need("mlflow.tracking", "mlflow")
        self._entities = need("mlflow.entities", "mlflow")
        self._folder, self._about = folder / FOLDER, about
        self._client: Any = None
        self._run = ""

    def log(self, part: str, step: int, metrics: Mapping[str, float]) -> None:
        """Write what was measured after `step` steps of a part of the system (empty: the whole)."""
        if self._client is None:
            new = not self._folder.exists()
            try:
                self._open()
            except BaseException:
                self._client = None
                if new:  # half a store is none: the next training makes it anew
                    shutil.rmtree(self._folder, ignore_errors=True)
                raise
        place = f"{part}/" if part else ""
        told = [self._entities.Metric(f"{place}{name}", value, 0, step) for name, value in metrics.items()]
        self._client.log_batch(self._run, metrics=told)

    def close(self) -> None:
        """End the run."""
        if self._client is not None:
            self._client.set_terminated(self._run)

    def _open(self) -> None:
        """Make the store and its run, or take up the run that is there: a stopped training goes on in it."""
        logging.getLogger("mlflow").setLevel(logging.WARNING)  # it tells of every table that it makes
        self._folder.mkdir(parents=True, exist_ok=True)
        place = resolved(self._folder)
        self._client = self._library.MlflowClient(tracking_uri=f"sqlite:///{place / STORE}")
        found = self._client.get_experiment_by_name(EXPERIMENT)
        experiment = (
            self._client.create_experiment(EXPERIMENT, artifact_location=place.as_uri())
            if found is None
            else found.experiment_id
        )
        runs = self._client.search_runs([experiment], max_results=1)
        if runs:
            self._run = runs[0].info.run_id
            self._client.update_run(self._run, status="RUNNING")
            return
        self._run = self._client.create_run(experiment, tags=dict(self._about)).info.run_id
