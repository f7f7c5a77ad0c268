"""Pages of reports in a real browser: nothing stands beyond the edge of a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.report.conftest import make_report

from duologue.core.dialogue_view import DialogueView, TableView, UtteranceView
from duologue.report import page, rank_all
from duologue.report.dialogues import write_dialogues_page
from duologue.report.html import leaderboard_page

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.report.conftest import MakeReport

__all__ = ["make_report"]


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1200])
def test_no_page_is_wider_than_its_window(
    browser: Browser, tmp_path: Path, make_report: MakeReport, width: int
) -> None:
    """Ranks that are read aloud alone stood beyond the edge: a phone showed an empty strip at the right."""
    names = ("solver", "a-name-with-all-its-settings-" * 4, "名" * 60, "x" * 90)
    reports = [make_report(name, wrong=wrong, slices=True) for name, wrong in zip(names, (0, 9, 9, 40), strict=True)]
    (tmp_path / "page.html").write_text(page(reports, resamples=100), encoding="utf-8")
    board = leaderboard_page(rank_all(reports, resamples=100), title="x" * 80)
    (tmp_path / "board.html").write_text(board, encoding="utf-8")
    said = [UtteranceView(speaker, "y" * 300, (), ["z" * 200]) for speaker in ("user", "w" * 80)]
    table = TableView("knowledge", ["entity", "attribute", "value"], [["v" * 90, "名" * 90, "u" * 90]])
    shown = [DialogueView("t" * 90, said, [table], [table])]
    write_dialogues_page(tmp_path / "dialogues.html", shown, {"turns": 3}, title="x" * 80, n=9)
    window = browser.new_page(viewport={"width": width, "height": 900})
    beyond = {}
    for path in sorted(tmp_path.glob("*.html")):
        window.goto(path.as_uri())
        for language in ("en", "zh"):
            window.check(f"#{language}", force=True)
            width_of_page = window.evaluate("document.documentElement.scrollWidth")
            if width_of_page > width:
                beyond[path.name, language] = width_of_page
    window.close()
    assert beyond == {}
