"""Figures that the documentation quotes from a page of results stand on that page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OTHERS = {
    "docs/challenges/conversation.md": {"14.4", ".23", ".36"},  # of `duologue compare`, as it says
    "docs/challenges/proactive.md": {"37.7", "37.0"},  # of turns held out from the training data, as it says
}
"""Decimals beside a link to a page of results that are none of its figures."""
_LINK = re.compile(r"(?:benchmarks/|[(`])([A-Z_]+\.md)")
_DECIMAL = re.compile(r"(?<![\w.,/-])(?:\d{1,3}(?:,\d{3})+|\d*)\.\d+(?![\w./])")
_CODE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)


def quoted(page: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield each decimal of a paragraph that links pages of results, with these pages."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n|\n(?=\* )", text):
        pages = {name for name in _LINK.findall(paragraph) if (ROOT / "benchmarks" / name).is_file()} - {"README.md"}
        if pages:
            for number in _DECIMAL.findall(_CODE.sub(" ", paragraph)):
                yield number, pages


def spellings(number: str) -> set[str]:
    """Return how a page may write a figure: with or without the leading zero, in percent or as a share."""
    digits = len(number.rpartition(".")[2])
    value = float(number.replace(",", ""))
    texts = {number, f"{value:.{digits}f}", f"{value / 100:.{digits + 2}f}", f"{100 * value:.{max(0, digits - 2)}f}"}
    return texts | {one.removeprefix("0") for one in texts}


def test_spellings_are_those_of_one_figure() -> None:
    assert {"13.7", "0.137", ".137"} <= spellings("13.7")
    assert {".855", "0.855", "85.5"} <= spellings(".855")
    assert not {"0.14", "14"} & spellings("13.7")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_quoted_figures_stand_on_the_page_that_is_linked(page: Path) -> None:
    others = OTHERS.get(page.relative_to(ROOT).as_posix(), set())
    wrong = []
    for number, pages in quoted(page):
        texts = [(ROOT / "benchmarks" / name).read_text(encoding="utf-8") for name in sorted(pages)]
        found = any(
            re.search(rf"(?<![\d.]){re.escape(one)}(?!\d)", text) for one in spellings(number) for text in texts
        )
        if not found and number not in others:
            wrong.append(f"{number} is not in {', '.join(sorted(pages))}")
    assert wrong == [], "quote what the page of results says now"
