from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
PAGE = """# Agents

## Training

| policy | success |
|---|---|
| rules | 1.0 |

## Differences

| policy | success | turns |
|---|---|---|
| rules | -0.1 [-2.2, +2.0] | **+1.78** |
| learned | **+4.7 [+3.4, +6.0]** | -0.7 |
"""


@pytest.fixture
def programs() -> Iterator[None]:
    sys.path.insert(0, str(BENCHMARKS))
    yield
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture
def figures(programs: None) -> ModuleType:
    import mobilecs_figures

    return mobilecs_figures


def test_a_figure_is_what_the_page_of_its_part_says(figures: ModuleType) -> None:
    one = figures.Figure("x", "policy", "## Differences", "learned", ("success",), "5", figures._least(5))
    found = figures.figure_of(one, PAGE)
    assert found == "+4.7 [+3.4, +6.0]"
    assert figures.judged(one, found) == "**no**"
    assert figures.judged(one._replace(holds=figures._least(4)), found) == "yes"
    assert figures.figure_of(one._replace(row="rules"), PAGE) == "-0.1 [-2.2, +2.0]"


@pytest.mark.parametrize(
    "changed",
    [{"row": "nobody"}, {"columns": ("reward",)}, {"heading": "## Nowhere"}],
    ids=["row", "column", "heading"],
)
def test_what_a_page_does_not_say_is_not_measured(figures: ModuleType, changed: dict[str, object]) -> None:
    one = figures.Figure("x", "policy", "## Differences", "rules", ("success",), "5", figures._least(5))
    found = figures.figure_of(one._replace(**changed), PAGE)
    assert found == "not measured"
    assert figures.judged(one, found) == ""


def test_a_row_without_the_last_column_is_passed_over(figures: ModuleType) -> None:
    page = "## A\n\n| labels | from | gain |\n|---|---|---|\n| 1 % | labels |  |\n| 1 % | both | +2.0 |\n"
    assert figures.figure_of(figures.Figure("x", "semi", "## A", "1 %", ("from", "gain")), f"\n{page}") == "both, +2.0"


def test_every_figure_is_found_in_the_pages_of_the_repository(figures: ModuleType) -> None:
    from mobilecs_page import PAGES

    pages = {part: (BENCHMARKS / name).read_text(encoding="utf-8") for part, name in PAGES.items()}
    shown = figures.FIGURES
    assert [one.what for one in shown if figures.figure_of(one, pages[one.part]) == "not measured"] == []


def test_the_overview_takes_the_place_of_the_last_one(programs: None) -> None:
    from mobilecs_page import with_overview

    once = with_overview("# MobileCS\n\ntext\n", "first\n")
    assert once.startswith("# MobileCS\n")
    assert with_overview(once, "second\n") == once.replace("first", "second")
    assert once.endswith("\ntext\n")


def test_dialogues_stay_in_an_overview_that_is_made_without_replies(programs: None) -> None:
    from mobilecs_page import _DIALOGUES, with_overview

    page = with_overview("# MobileCS\n\ntext\n", f"one\n\n{_DIALOGUES}\n1. told\n")
    again = with_overview(page, "two\n")
    assert again == page.replace("\none\n", "\ntwo\n")
    assert with_overview(again, f"three\n\n{_DIALOGUES}\n1. other\n") == page.replace("\none\n", "\nthree\n").replace(
        "told", "other"
    )


def test_a_new_page_of_extraction_keeps_what_is_written_by_hand(programs: None) -> None:
    from mobilecs_extraction_page import BEGIN, END, with_kept

    before = f"# Old\n\n{BEGIN}\n\n## Trials\n\ntold\n\n{END}\n\n## Systems\n\nold\n"
    made = with_kept("# New\n\n## Systems\n\nnew\n", before)
    assert made == f"# New\n\n{BEGIN}\n\n## Trials\n\ntold\n\n{END}\n\n## Systems\n\nnew\n"
    assert with_kept("# New\n\n## Systems\n", "# Old\n") == "# New\n\n## Systems\n"


def test_every_part_is_a_program_and_says_how_it_is_run_in_small(programs: None) -> None:
    import mobilecs

    for part in mobilecs.PARTS:
        assert (BENCHMARKS / part.program).is_file()
        words = mobilecs.command(part, Path("workspace"), Path("public"), quick=False)
        assert "WORK" not in " ".join(words)
        assert ("--data" in words) == part.takes_data
        assert "--write" not in part.quick, "a look in small must not write pages"


def test_parts_that_have_ended_are_not_made_again(
    programs: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import mobilecs

    part = mobilecs.Part("costs", "mobilecs_realism.py", (), ("--help",))
    monkeypatch.setattr(mobilecs, "PARTS", (part,))
    assert mobilecs.main(["--quick", "--work", str(tmp_path)]) == 0
    assert "costs: exit code 0" in capsys.readouterr().out
    assert (tmp_path / "quick" / "mobilecs_costs.json").is_file()
    assert mobilecs.main(["--quick", "--work", str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""
