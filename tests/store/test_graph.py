from __future__ import annotations

import gc
import gzip
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.core.errors import FormatError, StorageError, UsageError
from duologue.core.records import Fact
from duologue.knowledge.graph import Graph, values_of
from duologue.store import graph as module
from duologue.store.graph import StoredGraph, is_stored, store

FACTS = [
    Fact(subject="雾港（小说）", relation="作者", object="林未晞"),
    Fact(subject="雾港（小说）", relation="简介", object="长" * 60 + "甲"),
    Fact(subject="雾港（电影）", relation="简介", object="长" * 60 + "乙"),
    Fact(subject="雾港（电影）", relation="等级", object=70),
    Fact(subject="雾港（电影）", relation="主演", object="苏雁,林未晞"),
    Fact(subject="雾港（小说）", relation="别名", object=("港", "雾")),
]


@pytest.fixture
def stored(tmp_path: Path) -> Any:
    store(FACTS, tmp_path / "kg.sqlite")
    graph = StoredGraph(tmp_path / "kg.sqlite")
    yield graph
    graph.close()


def same(one: Graph, other: Graph, texts: list[Any]) -> None:
    assert list(one) == list(other)
    assert len(one) == len(other)
    assert list(one.entities) == list(other.entities)
    for text in texts:
        assert (text in one) == (text in other)
        assert list(one.about(str(text))) == list(other.about(str(text)))
        assert list(one.relations(str(text))) == list(other.relations(str(text)))
        assert list(one.forms(str(text))) == list(other.forms(str(text)))
        for parts in (False, True):
            assert list(one.holders(text, parts=parts)) == list(other.holders(text, parts=parts))
        for relation in ("作者", "p"):
            assert list(one.objects(str(text), relation)) == list(other.objects(str(text), relation))
            assert list(one.subjects(relation, text)) == list(other.subjects(relation, text))


def test_a_stored_graph_says_what_the_graph_in_memory_says(stored: StoredGraph) -> None:
    assert stored.name == "kg.sqlite"
    texts = [*(fact.subject for fact in FACTS), *(value for fact in FACTS for value in values_of(fact)), "雾 港"]
    same(stored.ready(), Graph("kg.sqlite", FACTS), [*texts, "苏雁", 70.0, "谁", ""])


def test_long_values_that_begin_alike_are_told_apart(stored: StoredGraph) -> None:
    assert list(stored.holders("长" * 60 + "乙")) == [FACTS[2]]


@settings(max_examples=15)  # every example writes a file
@given(
    rows=st.lists(
        st.tuples(
            st.text("雾a（） ", min_size=1, max_size=4),
            st.sampled_from(["p", "作者"]),
            st.one_of(st.text("雾a, 7", min_size=1, max_size=4), st.integers(0, 9)),
        ),
        max_size=12,
    )
)
def test_any_graph_is_the_same_from_the_file(rows: list[tuple[str, str, Any]]) -> None:
    facts = [Fact(subject=s, relation=r, object=o) for s, r, o in rows]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "any"
        store(iter(facts), path)
        graph = StoredGraph(path)
        same(graph, Graph("any", facts), [value for row in rows for value in (row[0], row[2])])
        graph.close()


def test_many_facts_are_written_and_read_in_pieces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "_PIECE", 2)
    store(FACTS, tmp_path / "kg")
    graph = StoredGraph(tmp_path / "kg")
    assert list(graph) == FACTS
    graph.close()


def test_what_is_no_stored_graph_is_refused_with_advice(tmp_path: Path) -> None:
    text = tmp_path / "kg.json"
    text.write_text("{}", encoding="utf-8")
    assert not is_stored(text)
    with pytest.raises(FormatError, match="no SQLite database; make one with"):
        StoredGraph(text)
    store(FACTS, tmp_path / "kg")
    (tmp_path / "packed.gz").write_bytes(gzip.compress((tmp_path / "kg").read_bytes()))
    with pytest.raises(FormatError, match="packed or damaged"):
        StoredGraph(tmp_path / "packed.gz")
    connection = sqlite3.connect(tmp_path / "other")
    connection.execute("create table t (x)")
    connection.close()
    with pytest.raises(FormatError, match="something else than a knowledge graph"):
        StoredGraph(tmp_path / "other")
    (tmp_path / "cut").write_bytes((tmp_path / "kg").read_bytes()[:5000])
    with pytest.raises(FormatError, match="packed or damaged"), closing(StoredGraph(tmp_path / "cut")) as cut:
        len(cut)
    whole = (tmp_path / "kg").read_bytes()
    assert b"tablefactsfacts" in whole
    damaged = whole.replace(b"tablefactsfacts", b"tablef\x82ctsfacts").replace(
        b"CREATE TABLE facts", b"CRXATE TABLE facts"
    )
    (tmp_path / "odd").write_bytes(damaged)
    with pytest.raises(FormatError, match="packed or damaged"), closing(StoredGraph(tmp_path / "odd")) as odd:
        len(odd)
    with pytest.raises(StorageError, match="no such file"):
        is_stored(tmp_path / "nothing")


def test_a_graph_that_nobody_holds_lets_go_of_its_file(tmp_path: Path) -> None:
    store(FACTS, tmp_path / "kg")
    connection = StoredGraph(tmp_path / "kg")._connection
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("select 1")


def test_a_database_is_not_packed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"choose a name without \.gz"):
        store(FACTS, tmp_path / "kg.sqlite.gz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "damage",
    [b"\x00", "{", '{"a": 1}', '[["a"]]', "null", "[" * 5000, '"\\ud800"'],
    ids=lambda one: repr(one)[:9],
)
def test_a_damaged_fact_is_told_with_its_place(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "kg.sqlite"
    store([Fact(subject="甲", relation="年份", object=1984), Fact(subject="乙", relation="年份", object=1985)], path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("update facts set object = ? where place = 1", (damage,))
        connection.commit()
    with pytest.raises(FormatError, match="the fact at place 1 is damaged"):
        list(StoredGraph(path))


@pytest.fixture
def altered(tmp_path: Path) -> Any:
    """Return a stored graph after changes by SQL."""

    def change(script: str) -> StoredGraph:
        path = tmp_path / "kg.sqlite"
        store(FACTS, path)
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(script)
        return StoredGraph(path)

    return change


@pytest.mark.parametrize("column", ["subject", "relation"])
def test_names_that_are_no_texts_are_told_with_their_place(altered: Any, column: str) -> None:
    graph = altered(f"update facts set {column} = x'ff00' where place = 2")
    with pytest.raises(FormatError, match="the fact at place 2 is damaged"):
        list(graph)


def test_entities_that_are_no_texts_are_told(altered: Any) -> None:
    graph = altered("update facts set subject = x'ff00'; update names set subject = x'ff00'")
    with pytest.raises(FormatError, match=r"the name of an entity is b'.*', which is no text"):
        _ = graph.entities
    with pytest.raises(FormatError, match=r"the name of an entity is b'.*', which is no text"):
        graph.forms("雾港")


@pytest.mark.parametrize("place", [-7, 2**63 - 1])
def test_facts_at_any_place_are_gone_through(altered: Any, place: int) -> None:
    assert set(altered(f"update facts set place = {place} where place = 2")) == set(FACTS)


def test_a_place_that_is_no_number_is_told_and_not_gone_through_for_ever(altered: Any) -> None:
    graph = altered(
        "drop table facts; create table facts (place real, subject, relation, object);"
        "insert into facts values (1e17, 'a', 'r', '\"b\"')"
    )
    with pytest.raises(FormatError, match=r"the fact at place 1e\+17 is damaged"):
        list(graph)


@pytest.mark.parametrize(
    "made", ["view facts as with recursive n(x) as (select 1 union all select x + 1 from n) select x as place from n",
             "virtual table facts using fts5(place)"]
)  # fmt: skip
def test_what_is_computed_is_no_table_of_facts(altered: Any, made: str) -> None:
    with pytest.raises(FormatError, match=r"'facts' is (view|table), expected a table of the file's own rows"):
        altered(f"drop table facts; create {made}")


def test_half_a_character_stands_in_no_database(stored: StoredGraph) -> None:
    assert "\ud800" not in stored
    assert not stored.about("\ud800")
    assert not stored.forms("\ud800")
    assert not stored.holders("\ud800")
