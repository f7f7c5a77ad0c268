from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest
from tests.full_disk import files_up_to

from duologue.core.errors import FormatError, NoSpaceError
from duologue.loggers.csv_log import FILE, CsvLogger

if TYPE_CHECKING:
    from pathlib import Path


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / FILE).open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_a_row_for_each_part_and_step_with_the_figure_to_the_last_digit(tmp_path: Path) -> None:
    logger = CsvLogger(tmp_path, {})
    assert not (tmp_path / FILE).exists()
    logger.log("", 10, {"loss": 0.1})
    logger.log('a,"b"', 10, {"loss": 1 / 3, "held_out_loss": 2.0})
    logger.close()
    assert rows(tmp_path) == [
        {"part": "", "step": "10", "loss": "0.1", "held_out_loss": ""},
        {"part": 'a,"b"', "step": "10", "loss": repr(1 / 3), "held_out_loss": "2.0"},
    ]


def test_a_step_that_comes_again_after_a_stop_replaces_its_row(tmp_path: Path) -> None:
    for loss in (0.5, 0.25):
        CsvLogger(tmp_path, {}).log("", 10, {"loss": loss})
    CsvLogger(tmp_path, {}).log("", 20, {"loss": 0.125})
    assert [(row["step"], row["loss"]) for row in rows(tmp_path)] == [("10", "0.25"), ("20", "0.125")]


@pytest.mark.parametrize(
    ("damage", "place"),
    [
        ("loss\n0.5\n", "line 1"),
        ("part,step,step\n,1,1\n", "line 1"),
        ("part,step,loss\n,10,0.5,7\n", "line 2"),
        ("part,step,loss\n,10,0.5\n,20\n", "line 3"),
        ('part,step,loss\n,10,"0.5\n', "line 2"),
        (f"part,step,loss\n,10,{'9' * 140_000}\n", "line 2"),
    ],
)
def test_a_damaged_table_is_told_with_its_line_and_stays(tmp_path: Path, damage: str, place: str) -> None:
    (tmp_path / FILE).write_text(damage, encoding="utf-8")
    with pytest.raises(FormatError, match="rename the file to keep it") as found:
        CsvLogger(tmp_path, {}).log("", 20, {"loss": 0.5})
    assert [one.place for one in found.value.problems] == [place]
    assert (tmp_path / FILE).read_text(encoding="utf-8") == damage


def test_a_full_disk_is_told_and_the_rows_before_stay(tmp_path: Path) -> None:
    logger = CsvLogger(tmp_path, {})
    logger.log("", 10, {"loss": 0.5})
    with files_up_to(30), pytest.raises(NoSpaceError, match=r"cannot write .*training\.csv"):
        logger.log("", 20, {"loss": 0.25})
    assert [row["step"] for row in rows(tmp_path)] == ["10"]
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
