from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    pytest.importorskip("torch")
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
    try:
        import mobilecs_semi_page
    finally:
        sys.path.pop(0)
    return mobilecs_semi_page


def test_the_section_of_a_task_that_was_not_measured_stays(pages: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    first, second = (task.title for task in pages.TASKS.values())
    path.write_text(f"# Old\n\n## {first}\n\nrows\n\n## {second}\n\nothers\n\nlast\n", encoding="utf-8")
    pages.write_page({}, path, "12 dialogues")
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Learning from unlabelled calls\n")
    assert text.endswith(f"\n## {first}\n\nrows\n\n## {second}\n\nothers\n\nlast\n")


def test_a_new_page_says_what_is_not_measured(pages: ModuleType, tmp_path: Path) -> None:
    pages.write_page({}, tmp_path / "page.md", "12 dialogues")
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert text.count("Not measured yet with the present code: labels alone at 1 % (seeds 1, 2, 3)") == 2
