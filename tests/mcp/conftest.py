"""The installed command."""

from __future__ import annotations

from tests.cli.conftest import duologue

__all__ = ["duologue"]
