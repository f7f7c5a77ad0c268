from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.core.errors import FormatError, StorageError
from duologue.core.extras import need
from duologue.corpus.tables import PackedTexts, dump, joined, load, notes, stacked

if TYPE_CHECKING:
    from pathlib import Path

WORDS = st.lists(st.text(max_size=5).filter(lambda text: text.isprintable()), max_size=12)


def texts(words: list[str]) -> PackedTexts:
    data = [word.encode() for word in words]
    return PackedTexts.of(b"".join(data), np.array([len(word) for word in data], np.int64))


@settings(max_examples=25)
@given(WORDS, st.randoms(use_true_random=False))
def test_texts_are_chosen_joined_and_stacked_as_lists_are(words: list[str], rng: object) -> None:
    packed = texts(words)
    places = np.arange(len(words))[::-1]
    assert packed.list() == words
    assert packed.chosen(places).list() == words[::-1]
    assert packed.chosen(places % 2 == 0).list() == [
        word for word, place in zip(words, places, strict=True) if place % 2 == 0
    ]
    assert packed[1:].list() == words[1:]
    assert packed[1:].lengths().tolist() == [len(word.encode()) for word in words[1:]]
    assert bytes(packed[1:].data()) == "".join(words[1:]).encode()
    assert joined(b"<", packed, packed, b">").list() == [f"<{word}{word}>" for word in words]
    assert stacked([packed, packed[:0], packed]).list() == words * 2


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    words = ["one", "zwölf", ""]
    path = tmp_path / "a.parquet"
    path.write_bytes(dump(texts(words), {"n": np.array([3, 1, 2], np.int32)}, {"files": [["é", 1]]}))
    table = load(path, ("n",))
    assert table.texts.list() == words
    assert table.columns["n"].tolist() == [3, 1, 2]
    assert table.meta == notes(path) == {"files": [["é", 1]]}


def test_no_rows_are_no_special_case(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(dump(texts([]), {"n": np.array([], np.int32)}, {}))
    table = load(path, ("n",))
    assert (len(table.texts), table.texts.lengths().tolist(), bytes(table.texts.data())) == (0, [], b"")


def test_the_same_rows_give_the_same_bytes() -> None:
    assert dump(texts(["a"]), {}, {"x": 1}) == dump(texts(["a"]), {}, {"x": 1})


@pytest.mark.parametrize("spoil", [lambda data: data[:-9], lambda data: b"PAR1" + data[4:40], lambda data: b""])
def test_a_damaged_file_says_what_to_do(tmp_path: Path, spoil: object) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(spoil(dump(texts(["a"]), {}, {})))  # type: ignore[operator]  # a function of bytes
    for read in (lambda: load(path, ()), lambda: notes(path)):
        with pytest.raises(FormatError, match="delete it and run the extraction again"):
            read()


@pytest.mark.parametrize("damage", [b'{"x":!}', b'{"x":\xff}', b"[" * 5000])
def test_damage_of_what_is_told_beside_the_rows_says_what_to_do(tmp_path: Path, damage: bytes) -> None:
    parquet: Any = need("pyarrow.parquet", "corpus")
    path = tmp_path / "a.parquet"
    path.write_bytes(dump(texts(["a"]), {}, {"x": 1}))
    parquet.write_table(parquet.read_table(path).replace_schema_metadata({b"duologue": damage}), path)
    for read in (lambda: load(path, ()), lambda: notes(path)):
        with pytest.raises(FormatError, match="delete it and run the extraction again"):
            read()


def test_a_name_that_is_no_utf_8_is_a_name_too(tmp_path: Path) -> None:
    path = tmp_path / "\udcff"
    path.write_bytes(dump(texts(["a", "b"]), {}, {"n": 2}))
    assert notes(path) == load(path, ()).meta == {"n": 2}


def test_a_missing_file_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no such file"):
        load(tmp_path / "a.parquet", ())
