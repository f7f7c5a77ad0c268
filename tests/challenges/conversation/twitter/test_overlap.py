from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duologue.challenges.conversation.twitter.overlap import Overlap, compare, read_part

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Row = dict[str, Any]


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_accounts_are_the_same_whatever_their_case(tmp_path: Path) -> None:
    one, two = put(tmp_path / "a.txt", "# list\nShop\nAir\n"), put(tmp_path / "b.txt", "shop\nOther\n")
    (found,) = compare([read_part("a", one), read_part("b", two)])
    assert found == Overlap(first="a", second="b", accounts=1, examples=("shop",))
    assert found.any()
    assert found.told() == "a and b: 1 accounts in both (shop)"


def test_posts_of_two_accounts_and_of_an_id_list_are_compared(
    tmp_path: Path, talk: list[Row], folder: Callable[..., Path]
) -> None:
    store = folder(Shop=[talk], Other=[talk[:2]])
    parts = [
        read_part("a", put(tmp_path / "a.txt", "Shop\n"), store),
        read_part("b", put(tmp_path / "b.txt", "Other\n"), store),
        read_part("test", put(tmp_path / "ids.json", '[[{"speaker": "U", "ids": [950, 5]}]]')),
        read_part("plain", put(tmp_path / "ids.txt", "1234567\n5\n")),
    ]
    found = {(one.first, one.second): one for one in compare(parts)}
    assert (found["a", "b"].accounts, found["a", "b"].posts) == (0, 2)
    assert (found["a", "test"].accounts, found["a", "test"].posts) == (None, 1)
    assert found["test", "plain"].examples == ("5",)
    assert not found["b", "plain"].any()


def test_dialogues_are_compared_by_what_they_say(tmp_path: Path) -> None:
    one = put(tmp_path / "a.txt", "U: a  b\nS: c\n\nU: d\n\n")
    two = put(tmp_path / "b.txt", "S: a b\nU: c\n\nU: e\n\n")
    (found,) = compare([read_part("a", one), read_part("b", two)])
    assert (found.dialogues, found.accounts) == (1, None)
    assert found.told() == "a and b: 1 dialogues in both"


def test_parts_of_two_kinds_have_nothing_to_compare(tmp_path: Path) -> None:
    one, two = put(tmp_path / "a.txt", "U: a\nS: b\n\n"), put(tmp_path / "b.txt", "Shop\n")
    (found,) = compare([read_part("a", one), read_part("b", two)])
    assert not found.any()
    assert "nothing to compare" in found.told()


def test_the_official_lists_are_disjoint(real_data: Path) -> None:
    lists = real_data / "conversation/account_lists"
    names = [f"official_account_names_{part}" for part in ("train", "dev", "test")]
    assert [one.accounts for one in compare(read_part(name, lists / f"{name}.txt") for name in names)] == [0, 0, 0]
