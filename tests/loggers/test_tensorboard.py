from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest
from tests.exports.conftest import read_elsewhere
from tests.full_disk import files_up_to

from duologue.core.errors import NoSpaceError
from duologue.loggers.tensorboard import FOLDER, TensorBoardLogger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

needed: Any = pytest.importorskip("tensorboardX", reason="writes the event files; it is in the extra dev")


def written(folder: Path) -> Path:
    logger = TensorBoardLogger(folder, {"system": "toy"})
    assert not (folder / FOLDER).exists()
    logger.log("", 10, {"loss": 0.5, "held_out_loss": 0.25})
    logger.log("part", 20, {"loss": 0.125})
    logger.close()
    return folder / FOLDER


def scalars(folder: Path) -> Iterator[tuple[str, int, float]]:
    """Yield the scalars of the only event file: records of length, checksum, event, checksum."""
    from tensorboardX.proto.event_pb2 import Event

    (path,) = folder.iterdir()
    data, place = path.read_bytes(), 0
    while place < len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        event = Event.FromString(data[place + 12 : place + 12 + length])
        yield from ((one.tag, event.step, one.simple_value) for one in event.summary.value if one.simple_value)
        place += 12 + length + 4


def test_each_metric_is_a_scalar_under_its_part(tmp_path: Path) -> None:
    assert list(scalars(written(tmp_path))) == [
        ("loss", 10, 0.5),
        ("held_out_loss", 10, 0.25),
        ("part/loss", 20, 0.125),
    ]


def test_without_metrics_nothing_is_written(tmp_path: Path) -> None:
    TensorBoardLogger(tmp_path, {}).close()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_and_every_record_is_whole(tmp_path: Path) -> None:
    """The library's own writer left half a record, or waited without end for its thread."""
    logger = TensorBoardLogger(tmp_path, {"system": "toy"})
    with files_up_to(50), pytest.raises(NoSpaceError, match=r"cannot write .*training\.tensorboard"):
        logger.log("", 10, {"loss": 0.5})
    assert list((tmp_path / FOLDER).iterdir()) == []
    logger.log("", 10, {"loss": 0.5})
    many = {f"loss{number}": 1.0 for number in range(1, 40)}
    with files_up_to(1_000), pytest.raises(NoSpaceError):
        logger.log("", 20, many)
    logger.close()
    assert list(scalars(tmp_path / FOLDER)) == [("loss", 10, 0.5)]


READ = """
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
found = EventAccumulator(sys.argv[1])
found.Reload()
print(json.dumps({tag: [[one.step, one.value] for one in found.Scalars(tag)] for tag in found.Tags()["scalars"]}))
"""


@pytest.mark.slow
def test_tensorboard_reads_it(tmp_path: Path) -> None:
    found = read_elsewhere("tensorboard", READ, written(tmp_path))
    assert found == {"loss": [[10, 0.5]], "held_out_loss": [[10, 0.25]], "part/loss": [[20, 0.125]]}
