"""Duologue: an open workbench for knowledge-driven and goal-oriented dialogue.

The names of `__all__` are fetched when they are first used: `import duologue` loads neither numpy nor torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from duologue.core.version import __version__ as __version__

if TYPE_CHECKING:
    from duologue import metrics
    from duologue.api import check, compare, leaderboard, load_data, load_system, load_task, predict, score, show, train

__all__ = [
    "check",
    "compare",
    "leaderboard",
    "load_data",
    "load_system",
    "load_task",
    "metrics",
    "predict",
    "score",
    "show",
    "train",
]


def __getattr__(name: str) -> object:
    """Fetch a name of the API."""
    if name == "metrics":
        return importlib.import_module("duologue.metrics")
    if name in __all__:
        return getattr(importlib.import_module("duologue.api"), name)
    raise AttributeError(f"module 'duologue' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names of the API, without what this module needs itself."""
    return sorted([*__all__, "__version__"])
