"""What the tests of the conversation challenge share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duologue.challenges.conversation.task import ConversationTask

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def task() -> ConversationTask:
    """The task."""
    return ConversationTask()


@pytest.fixture
def golden() -> Path:
    """The folder with what the official programs gave for texts made for this project."""
    return Path(__file__).resolve().parents[2] / "golden" / "conversation" / "official"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a text or bytes to a fresh file."""

    def write(text: str | bytes, name: str = "file.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write
