from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.exports.conftest import read_elsewhere

from duologue.loggers.mlflow import FOLDER, STORE

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
