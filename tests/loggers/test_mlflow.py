from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.exports.conftest import read_elsewhere

from duologue.core.errors import UsageError
from duologue.loggers.mlflow import FOLDER, STORE, MlflowLogger

if TYPE_CHECKING:
    from pathlib import Path

WRITE = """
from pathlib import Path
from duologue.loggers.mlflow import MlflowLogger

folder = Path(sys.argv[1])
logger = MlflowLogger(folder, {"system": "toy"})
assert not list(folder.iterdir())
logger.log("", 10, {"loss": 0.5})
logger.log("part", 5, {"loss": 0.125})
logger.close()
again = MlflowLogger(folder, {"system": "toy"})  # a stopped training goes on
again.log("", 20, {"loss": 0.25})
again.close()
print("{}")
"""
READ = """
from mlflow.tracking import MlflowClient

client = MlflowClient(tracking_uri=f"sqlite:///{sys.argv[1]}")
(run,) = client.search_runs([one.experiment_id for one in client.search_experiments()])
told = {name: [[one.step, one.value] for one in client.get_metric_history(run.info.run_id, name)]
        for name in run.data.metrics}
print(json.dumps([run.data.tags.get("system"), run.info.status, told]))
"""


@pytest.mark.slow
def test_one_run_has_the_metrics_of_each_part_and_of_a_training_that_went_on(tmp_path: Path) -> None:
    read_elsewhere("mlflow", WRITE, tmp_path)
    told = {"loss": [[10, 0.5], [20, 0.25]], "part/loss": [[5, 0.125]]}
    assert read_elsewhere("mlflow", READ, tmp_path / FOLDER / STORE) == ["toy", "FINISHED", told]


def test_a_folder_that_is_no_address_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="in a folder with '\\?' in its path"):
        MlflowLogger(tmp_path / "why?" / "model", {})
    assert not list(tmp_path.iterdir())


FULL = """
import resource
from pathlib import Path
from duologue.core.errors import StorageError
from duologue.run.metrics_log import logging_to

folder = Path(sys.argv[1])
told = []
for size in (100, 20_000, 100_000):  # before the store is there, and twice while it is made
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        with logging_to(["mlflow"], folder, {}) as on_metrics:
            on_metrics(folder, 10, {"loss": 0.5})
    except StorageError as error:
        told.append(str(error))
    assert not list(folder.iterdir())
print(json.dumps(told))
"""


@pytest.mark.slow
def test_a_full_disk_is_told_and_no_half_store_is_left(tmp_path: Path) -> None:
    told = read_elsewhere("mlflow", FULL, tmp_path)
    assert len(told) == 3
    assert all(one.startswith("--log mlflow: cannot write into") and "is full" in one for one in told)
