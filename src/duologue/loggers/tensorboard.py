"""Event files of TensorBoard: `training.tensorboard`, in the records of tensorboardX (extra `tensorboard`).

Its own writer is not used: it writes from a thread, which dies where a disk is full, and then waits for it forever.
"""

from __future__ import annotations

import struct
import time
from typing import TYPE_CHECKING, Any

from duologue.core.disk import GrowingFile
from duologue.core.extras import need

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER = "training.tensorboard"
_VERSION = "brain.Event:2"


class TensorBoardLogger:
    """Writes a scalar for each metric, under its part: `tensorboard --logdir MODEL/training.tensorboard`."""

    def __init__(self, folder: Path, about: Mapping[str, str]) -> None:
        self._events = need("tensorboardX.proto.event_pb2", "tensorboard")
        self._records = need("tensorboardX.record_writer", "tensorboard")
        self._summary = need("tensorboardX.summary", "tensorboard")
        self._folder, self._about = folder / FOLDER, about
        self._file: GrowingFile | None = None

    def log(self, part: str, step: int, metrics: Mapping[str, float]) -> None:
        """Write what was measured after `step` steps of a part of the system (empty: the whole)."""
        told = [self._summary.scalar(f"{part}/{name}" if part else name, value) for name, value in metrics.items()]
        events = [self._event(summary=one, step=step) for one in told]
        if self._file is not None:
            self._file.add(b"".join(events))
        else:
            about = [self._event(summary=self._summary.text(name, text)) for name, text in self._about.items()]
            events = [self._event(file_version=_VERSION), *about, *events]
            self._file = _begun(self._folder / f"events.out.tfevents.{int(time.time())}.duologue", b"".join(events))

    def close(self) -> None:
        """Close the event file."""
        if self._file is not None:
            self._file.close()

    def _event(self, **told: Any) -> bytes:
        """Return an event as a record: length, checksum, event, checksum."""
        data: bytes = self._events.Event(wall_time=time.time(), **told).SerializeToString()
        length = struct.pack("<Q", len(data))
        return length + self._checksum(length) + data + self._checksum(data)

    def _checksum(self, data: bytes) -> bytes:
        return struct.pack("<I", self._records.masked_crc32c(data))


def _begun(path: Path, data: bytes) -> GrowingFile:
    """Return a file that has its first piece; where the disk does not take that there is none."""
    new = not path.exists()
    file = GrowingFile(path)
    try:
        file.add(data)
    except BaseException:
        file.close()
        if new:
            path.unlink(missing_ok=True)
        raise
    return file
