"""Tables of many scores in terminals of several widths."""

from __future__ import annotations

import io

import pytest
from rich import box
from rich.cells import cell_len
from rich.console import Console

from duologue.report.responsive_table import Column, ResponsiveTable, folded

TABLE = ResponsiveTable(
    [Column("system", ["[red]a[/red]", "界"], words=True), Column("total", ["0.4500", "–"])],
    [Column(f"bleu-{n} %", ["100.00", "0.00"]) for n in range(1, 5)],
)


def shown(width: int) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(TABLE)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_all_columns_are_there_where_they_fit() -> None:
    text = shown(100)
    assert all(f"bleu-{n} %" in text for n in range(1, 5))
    assert "No room" not in text
    assert "[red]a[/red]" in text


def test_a_column_is_shown_where_it_just_fits() -> None:
    widths = [column.width + 3 for column in (*TABLE.kept, *TABLE.others)]
    assert "No room" not in shown(1 + sum(widths))
    assert "No room for bleu-4: see" in " ".join(shown(sum(widths)).split())


@pytest.mark.parametrize("width", range(30, 100, 7))
def test_what_does_not_fit_is_named_and_nothing_is_cut(width: int) -> None:
    text = " ".join(shown(width).split())
    left = text.partition("No room for ")[2].partition(":")[0].split(", ") if "No room" in text else []
    assert [f"bleu-{n} %" in text for n in range(1, 5)] == [f"bleu-{n}" not in left for n in range(1, 5)]
    assert left == sorted(left)
    assert "…" not in text
    assert "0.4500" in text


def test_words_are_parted_between_words_and_figures_never() -> None:
    name, figures = "one twelve three fifteen five", "0.10 to 0.20"
    table = ResponsiveTable([Column("system", [name], words=True), Column("interval", [figures])], [])
    console = Console(file=io.StringIO(), width=34, color_system=None)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    rows = [line.strip("│ ").split("│") for line in console.file.getvalue().splitlines() if line.startswith("│")]
    assert len(rows) > 1
    assert [cells[1].strip() for cells in rows if len(cells) > 1] == [figures]
    assert " ".join(cells[0].strip() for cells in rows) == name


@pytest.mark.parametrize("width", [12, 20, 31, 40])
def test_where_figures_have_no_room_beside_each_other_each_row_is_a_few_lines(width: int) -> None:
    kept = [Column("system", ["one", "two"], words=True), Column("95 % interval", ["34.22 to 40.21", "–"])]
    kept += [Column(f"f{n} %", ["37.17", "100.00"]) for n in range(4)]
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(ResponsiveTable(kept, [], box.SIMPLE_HEAD))
    assert isinstance(console.file, io.StringIO)
    told = " ".join(console.file.getvalue().split())
    figures = "; ".join(f"f{n} %: {{}}" for n in range(4))
    assert told == (
        f"system: one; 95 % interval: 34.22 to 40.21; {figures.replace('{}', '37.17')} "
        f"system: two; 95 % interval: –; {figures.replace('{}', '100.00')}"
    )


@pytest.mark.parametrize(("width", "beside"), [(15, True), (14, False)])
def test_words_are_folded_down_to_four_signs_before_figures_leave_their_columns(width: int, *, beside: bool) -> None:
    table = ResponsiveTable([Column("s", ["abcdefgh"], words=True), Column("total", ["0.4500"])], [], box.SIMPLE_HEAD)
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert ("abcd " in text and "efgh " in text) == beside
    assert ("s: abcdefgh" in text) == (not beside)


def test_long_titles_are_folded_rather_than_left_out() -> None:
    names = [f"answers-that-name-the-values-{end}" for end in ("one", "two", "six")]
    table = ResponsiveTable([Column("system", ["a"], words=True)], [Column(name, ["98.00"]) for name in names])
    console = Console(file=io.StringIO(), width=64, color_system=None)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "No room" not in text
    heads = [line.strip("┃").split("┃") for line in text.splitlines() if line.startswith("┃")]
    assert ["".join(line[at].strip() for line in heads) for at in range(1, 4)] == names


@pytest.mark.parametrize("width", range(1, 12))
def test_a_folded_name_has_all_its_signs_in_lines_of_the_width(width: int) -> None:
    for name in ("one-two_three.four", "界界界-界", "x" * 20, "a b", "", "-", "--a"):
        lines = folded(name, max(width, 2))
        assert "".join(lines).replace(" ", "") == name.replace(" ", "")
        assert all(cell_len(line) <= max(width, 2) for line in lines)
