"""Reports and comparisons in the terminal, compared as text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console, RenderableType

from duologue.core.records import Problem
from duologue.report import compare, compare_all, render, render_comparisons, render_whole

if TYPE_CHECKING:
    from tests.report.conftest import MakeReport


def shown(renderable: RenderableType, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_report_says_scores_intervals_and_signature_without_colour(make_report: MakeReport) -> None:
    text = shown(render(make_report("parrot", wrong=20, seen="its cage")))
    assert "toy (strict), 100 items, system parrot" in text
    assert "data seen in training: its cage" in text
    row = next(line for line in text.splitlines() if "│ p@1" in line)
    assert row.split() == ["│", "p@1", "│", "80.00", "│", "70.72", "to", "86.88", "│", "ranks", "systems", "│"]
    assert "p@1 = hit@1 / items, p@2" in text
    perfect = next(line for line in text.splitlines() if "│ p@5" in line)
    assert "96.30 to 100.00" in perfect
    assert "n 100 | 100 dialogues | jackknife" in " ".join(text.split())


def test_slices_have_their_own_table(make_report: MakeReport) -> None:
    text = shown(render(make_report(wrong=20, slices=True)))
    assert "by answer-type" in text
    lines = [line for line in text.splitlines() if "api_call" in line]
    assert len(lines) == 1
    assert "50" in lines[0]
    assert "60.00" in lines[0]


def test_a_cut_begins_with_the_score_that_ranks_and_its_interval(make_report: MakeReport) -> None:
    text = shown(render(make_report(wrong=20, slices=True)), width=60)
    heading = next(line for line in text.splitlines() if "by answer-type" in line)
    assert heading.index("p@1 %") < heading.index("95 % interval")
    assert "No room for" in text


def test_problems_are_listed_and_the_rest_is_counted(make_report: MakeReport) -> None:
    problems = tuple(Problem(rule=f"rule-{number}", place=f"row {number}", message="odd") for number in range(23))
    text = shown(render(make_report(problems=problems)))
    assert "error: row 0: odd [rule-0]" in text
    assert "rule-20" not in text
    assert "... and 3 more problems" in text


def test_markup_in_names_is_text(make_report: MakeReport) -> None:
    text = shown(render_comparisons(compare(make_report("[red]a[/red]"), make_report("b", wrong=30))))
    assert "A = [red]a[/red], B = b; tst1, 100 items" in text


def test_one_pair_is_named_once_with_both_p_values(make_report: MakeReport) -> None:
    text = shown(render_comparisons(compare(make_report("a"), make_report("b", wrong=30))))
    row = next(line for line in text.splitlines() if line.strip().startswith("p@1"))
    assert row.split()[:4] == ["p@1", "100.00", "70.00", "+30.00"]
    assert row.split()[-1] == "A"
    assert next(line for line in text.splitlines() if line.strip().startswith("p@5")).split()[-1] == "tie"
    told = " ".join(text.split())
    assert "Family: one pair of systems on p@1, which ranks; 10,000 random swaps" in told
    assert "Family: one pair of systems on 3 scores beside that which ranks" in told
    assert "True differences that are found here with a chance of 80 %: p@1" in told


def test_what_has_no_value_is_not_tested(make_report: MakeReport) -> None:
    empty = make_report("b")
    nothing = tuple((name, (0.0,) * len(counts)) for name, counts in empty.items)
    text = shown(render_comparisons(compare(make_report("a"), msgspec.structs.replace(empty, items=nothing))))
    row = next(line for line in text.splitlines() if line.strip().startswith("p@1"))
    assert row.split()[-2:] == ["not", "tested"]
    assert "nan" not in text


def test_several_pairs_are_named_in_their_rows(make_report: MakeReport) -> None:
    found = compare_all({"one": [make_report("a"), make_report("b", wrong=30), make_report("c", wrong=31)]})
    text = shown(render_comparisons(found))
    assert "one, 100 items" in text
    lines = [line.split() for line in text.splitlines() if " p@1 " in line]
    assert [line[:2] + line[-1:] for line in lines] == [["a", "b", "A"], ["a", "c", "A"], ["b", "c", "tie"]]


def test_no_comparisons_are_an_empty_table() -> None:
    assert "Family" not in " ".join(shown(render_comparisons(())).split())


def test_one_pair_fits_80_columns_uncut(make_report: MakeReport) -> None:
    found = render_comparisons(compare(make_report("a", wrong=2), make_report("b", wrong=60)))
    assert "…" not in shown(found, width=80)


def test_of_a_whole_submission_the_score_that_ranks_stands_first_and_once(make_report: MakeReport) -> None:
    files = [make_report("a", test_set=name) for name in ("t1", "t2")]
    text = shown(render_whole(files, files, files[0]))
    head = next(line for line in text.splitlines() if files[0].rank_by in line)
    columns = head.split()
    assert columns.count(files[0].rank_by) == 1
    assert [name for name in columns if name in {score.name for score in files[0].scores}] == [
        files[0].rank_by,
        *(score.name for score in files[0].scores if score.name != files[0].rank_by),
    ]
