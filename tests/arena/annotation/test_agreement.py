from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from duologue.arena.annotation.agreement import LAYERS, annotator_agreement
from duologue.arena.annotation.items import AnnotationItem, items_of
from duologue.arena.annotation.sheets import all_work, record_sheet
from tests.arena.annotation.calls import project, read, rows, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.arena.annotation.agreement import AnnotatorAgreement
    from duologue.arena.database.database import Database


def agree(
    database: Database, folder: Path, change: Callable[[list[AnnotationItem]], list[AnnotationItem]]
) -> AnnotatorAgreement:
    made = project(database, folder, 6)
    for one in read(write(rows(6), folder / "annotated.json")):
        items = items_of(one, "i", confirmed=True)
        record_sheet(database, made, "anna", one, items)
        record_sheet(database, made, "ben", one, change(items))
    with database.reading() as connection:
        return annotator_agreement(
            [
                one._replace(sheets=[msgspec.structs.replace(sheet, status="done") for sheet in one.sheets])
                for one in all_work(connection, made)
            ]
        )


def test_other_numbers_for_the_same_entities_are_full_agreement(database: Database, tmp_path: Path) -> None:
    def other(name: str) -> str:
        return name.replace("ent-", "ent-1")

    found = agree(
        database,
        tmp_path,
        lambda items: [
            msgspec.structs.replace(
                one, entity=one.entity and other(one.entity), args=tuple(other(text) for text in one.args)
            )
            for one in items
        ],
    )
    assert {one.layer: one.value for one in found.layers} == pytest.approx(dict.fromkeys(LAYERS, 1.0))
    assert (found.dialogues, found.annotators) == (6, 2)
    assert [one.value for one in found.intents] == pytest.approx([1.0, 1.0])


def test_each_layer_is_measured_by_itself(database: Database, tmp_path: Path) -> None:
    def spoil(items: list[AnnotationItem]) -> list[AnnotationItem]:
        return [
            msgspec.structs.replace(one, label="业务" if one.layer == "mention" else one.label)
            for one in items
            if one.layer != "value"
        ]

    found = {one.layer: one for one in agree(database, tmp_path, spoil).layers}
    assert found["mention spans"].value == found["coreference"].value == found["intents"].value == 1
    mentions = found["mentions"].value
    assert mentions is not None
    assert mentions < 1
    assert found["slot values"].value == 0
    assert found["mentions"].low is not None


def test_a_single_annotator_says_nothing_of_agreement(database: Database, tmp_path: Path) -> None:
    made = project(database, tmp_path, 1)
    one = read(write(rows(1), tmp_path / "annotated.json"))[0]
    record_sheet(database, made, "anna", one, items_of(one, "i", confirmed=True))
    with database.reading() as connection:
        found = annotator_agreement(all_work(connection, made))
    assert all(layer.value is None for layer in found.layers)
    assert all(one.value is None and one.why for one in found.intents)
