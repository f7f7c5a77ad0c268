from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.exports.conftest import read_elsewhere

from duologue.loggers.wandb import FOLDER

if TYPE_CHECKING:
    from pathlib import Path

WRITE = """
from pathlib import Path
from duologue.loggers.wandb import WandbLogger

folder = Path(sys.argv[1])
logger = WandbLogger(folder, {"system": "toy"})
assert not list(folder.iterdir())
logger.log("", 10, {"loss": 0.5})
logger.log("part", 5, {"loss": 0.125})
logger.close()
print("{}")
"""
READ = """
import struct
from pathlib import Path
from wandb.proto.wandb_internal_pb2 import Record

data, found, place = Path(sys.argv[1]).read_bytes(), [], 7
while place < len(data):  # records of a log of LevelDB within its first block: checksum, length, kind
    _, length, kind = struct.unpack_from("<IHB", data, place)
    record = Record()
    record.ParseFromString(data[place + 7 : place + 7 + length])
    place += 7 + length
    items = {one.key or "/".join(one.nested_key): json.loads(one.value_json) for one in record.history.item}
    if items:
        found.append({name: value for name, value in items.items() if not name.startswith("_")})
print(json.dumps(found))
"""


@pytest.mark.slow
def test_an_offline_run_has_the_metrics_of_each_part(tmp_path: Path) -> None:
    read_elsewhere("wandb", WRITE, tmp_path)
    (path,) = (tmp_path / FOLDER).rglob("run-*.wandb")
    assert read_elsewhere("wandb", READ, path) == [{"loss": 0.5, "step": 10}, {"part/loss": 0.125, "part/step": 5}]
