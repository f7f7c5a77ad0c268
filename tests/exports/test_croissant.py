from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.exports.conftest import read_elsewhere

from duologue.exports.croissant import to_croissant

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.exports.hub import ExportDetails


def test_each_file_is_told_with_its_hash_and_simple_columns_can_be_loaded(
    booking: Path, details: ExportDetails
) -> None:
    text = to_croissant("restaurant", booking, details)
    found = json.loads(text)
    assert str(booking) not in text
    assert found["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert (found["license"], found["inLanguage"], found["name"]) == ("Apache-2.0", "en", "bot")
    manifest = json.loads((booking / ".generated.json").read_text(encoding="utf-8"))["files"]
    assert {one["@id"]: one["sha256"] for one in found["distribution"]} == manifest
    assert {one["contentSize"] for one in found["distribution"]} == {
        f"{(booking / name).stat().st_size} B" for name in manifest
    }
    fields = [field for one in found["recordSet"] for field in one["field"]]
    assert {field["source"]["extract"]["jsonPath"] for field in fields} == {"$[*].dialog_id"}
    assert len({one["@id"] for one in [*fields, *found["recordSet"], *found["distribution"]]}) == 2 + 2 + 3


READ = """
import mlcroissant
found = mlcroissant.Dataset(jsonld=sys.argv[1])
issues = found.metadata.ctx.issues
assert not issues.errors and not issues.warnings, issues.report()
told = {}
for one in found.metadata.record_sets:
    told[one.uuid] = [list(row.values())[0].decode() for row in found.records(record_set=one.uuid)]
print(json.dumps(told))
"""


@pytest.mark.slow
def test_mlcroissant_finds_nothing_wrong_and_loads_the_rows(booking: Path, details: ExportDetails) -> None:
    path = booking / "croissant.json"
    path.write_text(to_croissant("restaurant", booking, details), encoding="utf-8")
    found = read_elsewhere("mlcroissant", READ, path)
    (data,) = booking.glob("tst1/*tst4.json")
    ids = [row["dialog_id"] for row in json.loads(data.read_text(encoding="utf-8"))]
    assert list(found.values()) == [ids, ids]
