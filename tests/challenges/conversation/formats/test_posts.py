from __future__ import annotations

import gzip
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.conversation.formats import posts
from duologue.core.errors import DuologueError, FormatError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]


def post(number: int, **changes: Any) -> dict[str, Any]:
    row = {
        "id": number,
        "id_str": str(number),
        "created_at": "Tue Sep 12 08:01:00 +0000 2017",
        "text": "where is it ?",
        "truncated": False,
        "lang": "en",
        "in_reply_to_status_id": number - 1 if number > 1 else None,
        "user": {"id": 7, "screen_name": "anna", "name": "Anna"},
    }
    return {**row, **changes}


STORE = {"2": [post(1), post(2)]}
LAYOUTS = [
    posts.JsonLayout(),
    posts.JsonLayout(indent=1, ascii=False, newline=True),
    posts.JsonLayout(indent=None, ascii=False),
]
"""The official collector's, that of the real stores at hand, and a compact one."""


def test_a_store_comes_back_with_everything_in_its_order(write: Write, tmp_path: Path) -> None:
    text = json.dumps({"9": [post(8, place=None), post(9, text="caf\u00e9 \U0001f600")], "2": STORE["2"]}, indent=2)
    store = posts.read_store(write(text, "ShopHelp.json"))
    posts.write_store(store, tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text() == text
    assert store.account == "ShopHelp"
    assert list(store.dialogues) == ["9", "2"]
    assert store.dialogues["9"][1].reply_to == 8
    assert store.dialogues["9"][0].source["place"] is None


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_a_store_is_kept(write: Write, tmp_path: Path, layout: posts.JsonLayout) -> None:
    rows = {"2": [post(1, text="caf\u00e9"), post(2)]}
    text = json.dumps(rows, indent=layout.indent, ensure_ascii=layout.ascii)
    path = write(text + ("\n" if layout.newline else ""), "A.json")
    store = posts.read_store(path)
    assert store.layout == layout
    posts.write_store(store, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("store", "rule", "place"),
    [
        ([], "store-value", "the file"),
        ({"x": STORE["2"]}, "store-value", "/x"),
        ({"2": {}}, "store-value", "/2"),
        ({"2": []}, "store-value", "/2"),
        ({"2": [post(1), 3]}, "store-value", "/2/1"),
        ({"2": [post(1), post(2, text=None)]}, "store-value", "/2/1/text"),
        ({"2": [post(1), post(2, id=True)]}, "store-value", "/2/1/id"),
        ({"2": [post(1), post(2, user=[])]}, "store-value", "/2/1/user"),
        ({"2": [post(1), post(2, user={"id": 1, "name": "x"})]}, "store-field-missing", "/2/1/user"),
    ],
)
def test_a_broken_store_names_rule_and_pointer(write: Write, store: object, rule: str, place: str) -> None:
    with pytest.raises(FormatError) as caught:
        posts.read_store(write(json.dumps(store)))
    assert [(one.rule, one.place) for one in caught.value.problems] == [(rule, place)]


def test_a_key_given_twice_is_not_swallowed(write: Write) -> None:
    with pytest.raises(FormatError, match="key-repeated"):
        posts.read_store(write('{"2": [], "2": []}'))


def test_no_json_says_where(write: Write) -> None:
    with pytest.raises(FormatError, match="line 1"):
        posts.read_store(write("{"))
    with pytest.raises(FormatError, match="not-json"):
        posts.read_store(write("[" * 100_000))


def test_an_id_list_comes_back(write: Write, tmp_path: Path) -> None:
    text = '[[{"speaker": "U", "ids": [1, 2]}, {"ids": [], "speaker": "S"}]]'
    found = posts.read_ids(write(text))
    posts.write_ids(found, tmp_path / "out")
    assert (tmp_path / "out").read_text() == text
    assert [(one.speaker, one.ids) for one in found[0]] == [("U", (1, 2)), ("S", ())]
    posts.write_ids([[posts.TurnIds(speaker="U", ids=(5,))]], tmp_path / "out")
    assert (tmp_path / "out").read_text() == '[[{"speaker": "U", "ids": [5]}]]'


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{}", "the file"),
        ("[{}]", "/0"),
        ("[[]]", "/0"),
        ("[[1]]", "/0/0"),
        ('[[{"speaker": "X", "ids": []}]]', "/0/0/speaker"),
        ('[[{"speaker": "U", "ids": ["1"]}]]', "/0/0/ids"),
        ('[[{"speaker": "U"}]]', "/0/0/ids"),
    ],
)
def test_a_broken_id_list_names_its_place(write: Write, text: str, place: str) -> None:
    with pytest.raises(FormatError) as caught:
        posts.read_ids(write(text))
    assert [one.place for one in caught.value.problems] == [place]


def test_begin_and_end_ids_are_read_as_numbers(write: Write) -> None:
    assert posts.read_limits(write('{"A": {"5": 3}, "B": {}}')) == {"A": {5: 3}, "B": {}}
    for text in ("[]", '{"A": 1}', '{"A": {"x": 3}}', '{"A": {"5": "3"}}'):
        with pytest.raises(FormatError, match="store-value"):
            posts.read_limits(write(text))


def test_account_lists_skip_remarks_and_refuse_empty_lines(write: Write) -> None:
    assert posts.read_accounts(write("# list\nA\nB \n")) == ["A", "B"]
    with pytest.raises(FormatError, match="line 2"):
        posts.read_accounts(write("A\n\nB\n"))


TEXT = json.dumps(STORE)


@settings(max_examples=60)
@given(
    st.integers(0, len(TEXT)), st.sampled_from(["", '"', "{", "]", "null", "\ud800", "\x00", "1e999", "-1", "[" * 999])
)
def test_mutated_stores_never_raise_anything_foreign(tmp_path: Path, place: int, piece: str) -> None:
    path = tmp_path / "store.json"
    path.write_bytes((TEXT[:place] + piece + TEXT[place + 1 :]).encode("utf-8", "surrogatepass"))
    for read in (posts.read_store, posts.read_ids, posts.read_limits, posts.read_accounts):
        with suppress(DuologueError):
            read(path)


@pytest.mark.parametrize("packed", [True, False])
def test_official_stores_and_id_lists_come_back_byte_for_byte(golden: Path, tmp_path: Path, *, packed: bool) -> None:
    def given(path: Path) -> Path:
        (tmp_path / path.name).write_bytes(gzip.compress(path.read_bytes()) if packed else path.read_bytes())
        return tmp_path / path.name

    out = tmp_path / "out"
    stores = sorted((golden / "twitter_extract" / "stored_data").glob("*.json"))
    assert len(stores) == 2
    for path in stores:
        posts.write_store(posts.read_store(given(path)), out)
        assert out.read_bytes() == path.read_bytes(), path
    ids = golden / "twitter_extract" / "testset_ids.json"
    found = posts.read_ids(given(ids))
    posts.write_ids(found, out)
    assert json.loads(out.read_bytes()) == json.loads(ids.read_bytes())
    assert (len(found), sum(map(len, found))) == (6, 17)


@pytest.mark.real_data(twin="test_official_stores_and_id_lists_come_back_byte_for_byte")
def test_real_stores_and_id_lists_come_back_byte_for_byte(real_data: Path, tmp_path: Path) -> None:
    folder = real_data / "conversation"
    out = tmp_path / "out"
    stores = sorted(folder.glob("twitter_care/stored_data/*.gz"))
    assert stores
    for path in stores:
        posts.write_store(posts.read_store(path), out)
        assert out.read_bytes() == gzip.decompress(path.read_bytes()), path
    for path in folder.glob("ids/*.gz"):
        found = posts.read_ids(path)
        posts.write_ids(found, out)
        assert out.read_bytes() == gzip.decompress(path.read_bytes())
        assert (len(found), sum(map(len, found))) == (2000, 5266)


@pytest.mark.real_data(twin="test_account_lists_skip_remarks_and_refuse_empty_lines")
def test_the_real_account_lists_have_the_known_sizes(real_data: Path) -> None:
    folder = real_data / "conversation" / "account_lists"
    assert len(posts.read_accounts(folder / "official_account_names_train.txt")) == 1024
    assert len(posts.read_accounts(folder / "trial_account_names_dev.txt")) == 118
