from __future__ import annotations

import tracemalloc
from itertools import combinations
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.arena.annotation.agreement import LAYERS, _pairs_shared, annotator_agreement
from duologue.arena.annotation.items import AnnotationItem, items_of
from duologue.arena.annotation.sheets import all_work, record_sheet
from tests.arena.annotation.calls import project, read, rows, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
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


def mentions(places: Iterable[tuple[int, int, int]]) -> list[AnnotationItem]:
    return [
        AnnotationItem(id=f"m{n}", layer="mention", turn=0, label="x", start=start, end=end, entity=f"ent-{entity}")
        for n, (start, end, entity) in enumerate(places)
    ]


MARKS = st.lists(st.tuples(st.integers(0, 3), st.integers(4, 6), st.integers(1, 3)))


@given(MARKS, MARKS)
def test_pairs_of_mentions_are_counted_as_if_they_were_listed(
    a: list[tuple[int, int, int]], b: list[tuple[int, int, int]]
) -> None:
    listed = [
        {
            pair
            for entity in (1, 2, 3)
            for pair in combinations(sorted({(start, end) for start, end, its in marks if its == entity}), 2)
        }
        for marks in (a, b)
    ]
    assert _pairs_shared(mentions(a), mentions(b)) == (len(listed[0] & listed[1]), *map(len, listed))


def test_an_entity_that_is_mentioned_everywhere_takes_no_memory_for_its_pairs() -> None:
    everywhere = mentions((at // 50, at // 50 + 1 + at % 50, 1) for at in range(2_000))
    tracemalloc.start()
    try:
        assert _pairs_shared(everywhere, everywhere) == (1_999_000,) * 3
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
