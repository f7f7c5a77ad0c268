from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.exports.hub import ExportDetails, has_interval, hub_name, named_set, remarks

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Report


def test_a_name_has_characters_of_a_hub_alone() -> None:
    plain = ExportDetails("2026-01-31")
    assert hub_name(plain, "../..") == "local/system"
    assert hub_name(plain, "机器人 2") == "local/2"


def test_no_folder_stands_in_the_remarks(report: Report, tmp_path: Path) -> None:
    assert str(tmp_path) not in " ".join(remarks(report))
    for files in ("x", {"pred": None, "gold": "x", "input": [7]}):  # as a stranger's report may have them
        bare = msgspec.structs.replace(report, groups=(), meta={"files": files})
        assert remarks(bare)[0].startswith("dialogues are not known")


def test_a_report_without_a_test_set_is_told_by_its_truth(report: Report) -> None:
    assert named_set(msgspec.structs.replace(report, meta={})) == "truth abababab"
    half = msgspec.structs.replace(report.scores[0], low=None)
    assert not has_interval(half)
