from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.conversation.extraction.twitter.extractor import (
    Extracted,
    Restored,
    Settings,
    from_accounts,
    from_ids,
)
from duologue.challenges.conversation.extraction.twitter.tokenizer import CURRENT
from duologue.challenges.conversation.formats import posts, stores
from duologue.challenges.conversation.formats.posts import TurnIds
from duologue.core.errors import FormatError, StorageError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Row = dict[str, Any]
    Folder = Callable[..., Path]

TALK = """U: where is my order ?
S: hi <USER> , please dm us your order number{end}
U: it 's <NUMBERS>
S: thanks <USER> !

"""


def variant(rows: list[Row], shift: int) -> list[Row]:
    """The same dialogue with other ids."""
    return [
        {
            **one,
            "id": one["id"] + shift,
            "in_reply_to_status_id": (one["in_reply_to_status_id"] or -shift) + shift or None,
        }
        for one in rows
    ]


def test_what_one_speaker_says_in_a_row_is_one_line(folder: Folder, talk: list[Row], tmp_path: Path) -> None:
    source = folder(Shop=[[talk[0], talk[1]], [talk[0], *talk[2:]]])
    out = tmp_path / "out.txt"
    assert from_accounts(source, out) == Extracted(accounts=1, dialogues=1, utterances=4, words=20)
    assert out.read_text() == TALK.format(end=" ")


def test_a_thread_of_one_post_is_read_and_is_no_dialogue(folder: Folder, talk: list[Row], tmp_path: Path) -> None:
    alone, own = variant(talk[:1], 7_000), variant(talk[1:2], 8_000)  # one of the customer, one of the account
    source = folder(Shop=[alone, [talk[0], talk[1]], own, [talk[0], *talk[2:]]])
    out = tmp_path / "out.txt"
    assert from_accounts(source, out) == Extracted(accounts=1, dialogues=1, utterances=4, words=20)
    assert out.read_text() == TALK.format(end=" ")
    turns = [(TurnIds(speaker="U", ids=(alone[0]["id"],)), TurnIds(speaker="S", ids=(own[0]["id"],)))]
    assert from_ids(source, turns, out) == Restored(dialogues=1, complete=1, turns=2, found=2)
    assert out.read_text().startswith("U: where is my order ?\nS: hi ")
    # Limits that cut a thread to its one post
    limits = {"Shop": {alone[0]["id"]: alone[0]["id"]}}
    assert from_accounts(source, out, limits=limits).dialogues == 0


def test_the_bytes_are_the_official_ones(golden: Path, tmp_path: Path) -> None:
    golden, out = golden / "twitter_extract", tmp_path / "out.txt"
    from_accounts(golden / "stored_data", out)
    assert out.read_bytes() == (golden / "expected_trial.txt").read_bytes()
    from_accounts(golden / "stored_data", out, limits=posts.read_limits(golden / "begin_end_ids.json"))
    assert out.read_bytes() == (golden / "expected_official.txt").read_bytes()
    restored = from_ids(golden / "stored_data", posts.read_ids(golden / "testset_ids.json"), out)
    assert out.read_bytes() == (golden / "expected_testset.txt").read_bytes()
    assert restored.printed() == (golden / "expected_testset_stdout.txt").read_text()


def test_each_tokenizer_gives_the_official_text_of_its_time(
    golden: Path, folder: Folder, talk: list[Row], tmp_path: Path
) -> None:
    cases = map(json.loads, (golden / "twitter_preprocess.jsonl").read_text("utf-8").splitlines())
    apart = [case for case in cases if case["speaker"] == "U" and "expected_nltk_3.10" in case]
    assert apart
    for case in apart:
        talk[0]["text"] = case["text"]
        source = folder(Shop=[[talk[0], talk[1]]])
        for settings, expected in ((Settings(), "expected"), (Settings(tokenizer=CURRENT), "expected_nltk_3.10")):
            from_accounts(source, tmp_path / "out.txt", settings)
            first = (tmp_path / "out.txt").read_text("utf-8").partition("\n")[0]
            assert first == f"U: {case[expected]}", case["rule"]


@pytest.mark.real_data(twin="test_each_tokenizer_gives_the_official_text_of_its_time")
def test_so_are_those_of_real_stores_with_both_tokenizers(real_data: Path, tmp_path: Path) -> None:
    care, out = real_data / "conversation/twitter_care", tmp_path / "out.txt"
    for settings, name in ((Settings(), ""), (Settings(tokenizer=CURRENT), "_nltk_3.10")):
        from_accounts(care / "stored_data", out, settings)
        with gzip.open(care / f"expected_dialogs{name}.txt.gz") as expected:
            assert out.read_bytes() == expected.read()


def test_a_database_gives_the_same_as_its_account_files(folder: Folder, talk: list[Row], tmp_path: Path) -> None:
    source = folder(Shop=[talk], Other=[variant(talk, 5_000)])
    with stores.open_base(tmp_path / "base", durable=False) as base:
        for name in ("Shop", "Other"):
            (tmp_path / "base" / f"{name}.json").write_bytes((source / f"{name}.json").read_bytes())
            stores.adopt(base, tmp_path / "base", name)
    for path in (tmp_path / "base").glob("*.json"):
        path.unlink()
    texts = []
    for place in (source, tmp_path / "base"):
        for accounts in (None, ["Shop"]):
            from_accounts(place, tmp_path / "out.txt", accounts=accounts)
            texts.append((tmp_path / "out.txt").read_text())
    assert texts[:2] == texts[2:]
    assert texts[1] == TALK.format(end=" ")


def test_accounts_are_read_once_and_in_the_order_of_their_files(
    folder: Folder, talk: list[Row], tmp_path: Path
) -> None:
    source = folder(Shop=[talk], shop2=[variant(talk, 5_000)], Zoo=[talk])
    made = from_accounts(source, tmp_path / "out.txt", accounts=["shop2", "Shop", "shop2"])
    assert made.accounts == 2
    assert (tmp_path / "out.txt").read_text().startswith("U: where is my order ?\nS: hi <USER>")


def test_accounts_without_a_store_are_all_named(folder: Folder, talk: list[Row], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no store of 2 of the accounts: Shopp, Zoo; did you mean 'Shop'"):
        from_accounts(folder(Shop=[talk]), tmp_path / "out.txt", accounts=["Zoo", "Shop", "Shopp"])
    assert not (tmp_path / "out.txt").exists()


def test_a_place_without_stores_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        from_accounts(tmp_path / "nowhere", tmp_path / "out.txt")
    with pytest.raises(UsageError, match="is no folder"):
        from_accounts(tmp_path / "nowhere", tmp_path / "out.txt", accounts=["a"])


def test_an_account_without_begin_and_end_ids_is_refused(folder: Folder, talk: list[Row], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"does not have account 'Shop'; did you mean 'Shops'"):
        from_accounts(folder(Shop=[talk]), tmp_path / "out.txt", limits={"Shops": {950: 100}})


def test_limits_are_the_official_extraction(folder: Folder, talk: list[Row], tmp_path: Path) -> None:
    from_accounts(folder(Shop=[talk]), tmp_path / "out.txt", limits={"Shop": {200: 160}})
    assert (tmp_path / "out.txt").read_text() == ""
    from_accounts(folder(Shop=[talk]), tmp_path / "out.txt", limits={"Shop": {160: 100}})
    assert (tmp_path / "out.txt").read_text() == "U: where is my order ?\nS: hi <USER> , please dm us\n\n"


def test_dialogues_with_posts_of_the_test_set_can_be_left_out(folder: Folder, talk: list[Row], tmp_path: Path) -> None:
    source = folder(Shop=[talk, variant(talk, 5_000)])
    made = from_accounts(source, tmp_path / "out.txt", without={5_900})
    assert (made.dialogues, made.left_out) == (1, 1)


def test_a_first_name_stays_until_a_usable_one_comes(folder: Folder, talk: list[Row], tmp_path: Path) -> None:
    talk[3]["user"] = {**talk[3]["user"], "name": "Ål x"}
    from_accounts(folder(Shop=[talk]), tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text().endswith("S: thanks <USER> !\n\n")


def test_a_time_that_cannot_be_read_names_the_account(folder: Folder, talk: list[Row], tmp_path: Path) -> None:
    talk[1]["created_at"] = "noon"
    with pytest.raises(FormatError, match=r"(?s)the store of Shop.*'noon'"):
        from_accounts(folder(Shop=[[talk[0], talk[1]], [talk[0], talk[2]]]), tmp_path / "out.txt")


def test_half_characters_are_replaced(folder: Folder, talk: list[Row], tmp_path: Path) -> None:
    talk[0]["text"] = "lost \ud83d half"
    from_accounts(folder(Shop=[talk]), tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text("utf-8").startswith("U: lost \ufffd half\n")


def test_the_test_set_marks_what_is_missing_and_hidden(folder: Folder, talk: list[Row], tmp_path: Path) -> None:
    def turn(speaker: str, *numbers: int) -> TurnIds:
        return TurnIds(speaker=speaker, ids=numbers)

    asked = [
        [turn("U", 100), turn("S", 160, 200), turn("U", 900), turn("S")],
        [turn("U", 100, 1), turn("S", 950)],
        [turn("U"), turn("S", 160)],
    ]
    restored = from_ids(folder(Shop=[talk]), asked, tmp_path / "out.txt")
    assert restored == Restored(dialogues=3, complete=2, turns=8, found=7)
    first = (
        "U: where is my order ?\nS: hi <USER> , please dm us your order number \nU: it 's <NUMBERS>\nS: __UNDISCLOSED__"
    )
    assert (tmp_path / "out.txt").read_text().split("\n\n") == [
        first,
        "U: __MISSING__\nS: thanks anna !",
        "U:\nS: hi anna , please dm us",
        "",
    ]


def test_of_two_posts_with_one_id_the_last_store_counts(folder: Folder, talk: list[Row], tmp_path: Path) -> None:
    other = json.loads(json.dumps(talk))
    other[0]["text"] = "another"
    from_ids(folder(Shop=[other], Ashop=[talk]), [[TurnIds(speaker="U", ids=(100,))]], tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == "U: another\n\n"
