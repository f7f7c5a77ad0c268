from __future__ import annotations

from tests.models.conftest import _one_thread  # noqa: F401  # pytest finds a fixture by its name
