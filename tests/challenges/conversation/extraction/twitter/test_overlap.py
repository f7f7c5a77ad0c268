from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.conversation.extraction.twitter.overlap import PartOverlap, SharedTexts, compare, read_part

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Row = dict[str, Any]


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_accounts_are_the_same_whatever_their_case(tmp_path: Path) -> None:
    one, two = put(tmp_path / "a.txt", "# list\nShop\nAir\n"), put(tmp_path / "b.txt", "shop\nOther\n")
    (found,) = compare([read_part("a", one, tmp_path / "at-a"), read_part("b", two, tmp_path / "at-b")])
    assert found == PartOverlap(first="a", second="b", accounts=1, examples=("shop",))
    assert found.any()
    assert found.told() == "a and b: 1 accounts in both (shop)"


def test_posts_of_two_accounts_and_of_an_id_list_are_compared(
    tmp_path: Path, talk: list[Row], folder: Callable[..., Path]
) -> None:
    store = folder(Shop=[talk], Other=[talk[:2]])
    parts = [
        read_part("a", put(tmp_path / "a.txt", "Shop\n"), tmp_path / "a", store),
        read_part("b", put(tmp_path / "b.txt", "Other\n"), tmp_path / "b", store),
        read_part("test", put(tmp_path / "ids.json", '[[{"speaker": "U", "ids": [950, 5]}]]'), tmp_path),
        read_part("plain", put(tmp_path / "ids.txt", "1234567\n5\n"), tmp_path),
    ]
    found = {(one.first, one.second): one for one in compare(parts)}
    assert (found["a", "b"].accounts, found["a", "b"].posts) == (0, 2)
    assert (found["a", "test"].accounts, found["a", "test"].posts) == (None, 1)
    assert found["test", "plain"].examples == ("5",)
    assert not found["b", "plain"].any()


def test_dialogues_are_compared_by_what_they_say(tmp_path: Path) -> None:
    one = put(tmp_path / "a.txt", "U: a  b\nS: c\n\nU: d\n\n")
    two = put(tmp_path / "b.txt", "S: a b\nU: c\n\nU: e\n\n")
    (found,) = compare([read_part("a", one, tmp_path / "at-a"), read_part("b", two, tmp_path / "at-b")])
    assert (found.dialogues, found.accounts) == (1, None)
    assert found.told() == "a and b: 1 dialogues in both"


def test_parts_of_two_kinds_have_nothing_to_compare(tmp_path: Path) -> None:
    one, two = put(tmp_path / "a.txt", "U: a\nS: b\n\n"), put(tmp_path / "b.txt", "Shop\n")
    (found,) = compare([read_part("a", one, tmp_path / "at-a"), read_part("b", two, tmp_path / "at-b")])
    assert not found.any()
    assert "nothing to compare" in found.told()


@pytest.mark.real_data(twin="test_accounts_are_the_same_whatever_their_case")
def test_the_official_lists_are_disjoint(real_data: Path, tmp_path: Path) -> None:
    lists = real_data / "conversation/account_lists"
    names = [f"official_account_names_{part}" for part in ("train", "dev", "test")]
    assert [one.accounts for one in compare(read_part(name, lists / f"{name}.txt", tmp_path) for name in names)] == [
        0,
        0,
        0,
    ]


LONG = "we are sorry that your parcel is not there yet , please write to us"
OTHER = "thank you for the many kind words about our friendly people on the train"


def test_utterances_and_runs_of_words_are_compared_in_whatever_case_and_punctuation(tmp_path: Path) -> None:
    one = put(tmp_path / "a.txt", f"U: hello\nS: {LONG}\n\nU: hi\nS: {OTHER}\n\n")
    two = put(tmp_path / "b.txt", f"U: hello\nS: {LONG.upper().replace(',', '!')}\nU: thanks\n\n")
    three = put(tmp_path / "c.txt", f"U: hello\nS: dear {OTHER} and bus\n\n")
    parts = [read_part(path.name, path, tmp_path / f"at-{path.name}") for path in (one, two, three)]
    first, second, third = compare(parts)
    assert first.dialogues == 0
    assert first.utterances == SharedTexts(count=1, of_first=2, of_second=1, examples=(LONG,))
    assert first.runs == SharedTexts(count=7, of_first=14, of_second=7)
    assert (second.utterances, second.runs) == (
        SharedTexts(count=0, of_first=2, of_second=1),
        SharedTexts(count=7, of_first=14, of_second=10),
    )
    assert third.runs is not None
    assert third.runs.count == 0
    assert not first.any()
    assert first.any(0.9)
    assert not second.any(0.7)
    assert "utterances of 8 words or more: 1 in both (50.00 % of 2 in a.txt, 100.00 % of 1 in b.txt)" in first.told()
    assert LONG in first.told()


def test_a_chinese_character_is_half_a_word_of_an_utterance_and_a_word_of_a_run(tmp_path: Path) -> None:
    said = "您好请问有什么可以帮助您的吗谢谢"
    one, two = (put(tmp_path / name, f"U: 1\nS: {said}{end}\n\n") for name, end in (("a", "。"), ("b", " !")))
    parts = [read_part(path.name, path, tmp_path / f"at-{path.name}", run_words=4) for path in (one, two)]
    (found,) = compare(parts, 4)
    assert found.utterances == SharedTexts(count=1, of_first=1, of_second=1, examples=(f"{said}。",))
    assert found.runs == SharedTexts(count=13, of_first=13, of_second=13)


def test_one_endless_dialogue_is_read_like_others(tmp_path: Path) -> None:
    text = "".join(f"U: line number {number} of a dialogue without any end at all\n" for number in range(10_000))
    one, two = put(tmp_path / "a", text), put(tmp_path / "b", text + "\n")
    (found,) = compare([read_part("a", one, tmp_path / "at-a"), read_part("b", two, tmp_path / "at-b")])
    assert found.dialogues == 1
    assert found.utterances is not None
    assert (found.utterances.count, found.utterances.share) == (10_000, 1)
