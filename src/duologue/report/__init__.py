"""Reports as terminal tables, JSON and HTML pages, and paired comparisons between them.

Names are fetched when they are first used, so that importing this package loads neither numpy nor rich nor
jinja2.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duologue.report.board import test_sets_of
    from duologue.report.comparison import Comparison, compare, compare_all, widest_gaps
    from duologue.report.error_examples import ErrorExamples, find_error_examples
    from duologue.report.html import leaderboard_page, page, write_page
    from duologue.report.leaderboard import Leaderboard, leaderboard_to_json, rank_all
    from duologue.report.serialize import comparisons_to_json, to_json
    from duologue.report.terminal import (
        render,
        render_comparisons,
        render_external,
        render_gaps,
        render_leaderboard,
        render_test_sets,
        render_whole,
    )

__all__ = [
    "Comparison",
    "ErrorExamples",
    "Leaderboard",
    "compare",
    "compare_all",
    "comparisons_to_json",
    "find_error_examples",
    "leaderboard_page",
    "leaderboard_to_json",
    "page",
    "rank_all",
    "render",
    "render_comparisons",
    "render_external",
    "render_gaps",
    "render_leaderboard",
    "render_test_sets",
    "render_whole",
    "test_sets_of",
    "to_json",
    "widest_gaps",
    "write_page",
]

_HOMES = {
    "Comparison": "comparison",
    "Leaderboard": "leaderboard",
    "ErrorExamples": "error_examples",
    "compare": "comparison",
    "compare_all": "comparison",
    "comparisons_to_json": "serialize",
    "rank_all": "leaderboard",
    "leaderboard_page": "html",
    "leaderboard_to_json": "leaderboard",
    "page": "html",
    "render": "terminal",
    "render_comparisons": "terminal",
    "render_test_sets": "terminal",
    "render_external": "terminal",
    "render_whole": "terminal",
    "render_gaps": "terminal",
    "render_leaderboard": "terminal",
    "find_error_examples": "error_examples",
    "test_sets_of": "board",
    "to_json": "serialize",
    "widest_gaps": "comparison",
    "write_page": "html",
}


def __getattr__(name: str) -> object:
    """Fetch a public name from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module 'duologue.report' has no attribute '{name}'")
    found = getattr(importlib.import_module(f"duologue.report.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
