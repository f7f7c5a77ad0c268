"""`duologue data extract twitter`, `sizes` and `overlap` from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from duologue.challenges.conversation.commands.extract import extract
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def run(*words: object) -> Result:
    return CliRunner().invoke(extract, [str(word) for word in words])


def usage(*words: object) -> str:
    error = run(*words).exception
    assert isinstance(error, UsageError)
    return str(error)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """One store of one dialogue, with the two files of ids beside it."""
    folder = tmp_path / "stored_data"
    folder.mkdir()
    users = ({"id": 7, "screen_name": "anna_b", "name": "Anna B"}, {"id": 1, "screen_name": "Shop", "name": "Shop"})
    rows = [
        {
            "id": number, "created_at": "Tue Sep 12 08:01:00 +0000 2017", "text": text, "truncated": False,
            "lang": "en", "in_reply_to_status_id": answers, "user": user,
        }
        for number, text, answers, user in ((10, "@Shop hi", None, users[0]), (11, "@anna_b Hi Anna!", 10, users[1]))
    ]  # fmt: skip
    (folder / "Shop.json").write_text(json.dumps({"11": rows}))
    (tmp_path / "begin_end_ids.json").write_text('{"Shop": {"11": 10}}')
    (tmp_path / "testset_ids.json").write_text('[[{"speaker": "U", "ids": [10]}, {"speaker": "S", "ids": []}]]')
    return folder


def test_each_profile_writes_its_text(store: Path, tmp_path: Path) -> None:
    out, text = tmp_path / "out.txt", "U: hi\nS: hi <USER> !\n\n"
    done = run("twitter", store, "--out", out)
    assert (done.exit_code, out.read_text()) == (0, text)
    assert done.output == "1 dialogue, 2 utterances, 4 words of 1 account\n"
    assert run("twitter", store, "--profile", "official", "--out", out, "--force").exit_code == 0
    assert out.read_text() == text
    done = run(
        "twitter", store, "--profile", "testset", "--ids", tmp_path / "testset_ids.json", "--out", out, "--force"
    )
    assert out.read_text() == "U: hi\nS: __UNDISCLOSED__\n\n"
    assert "extracted dialogs: 1 in 1\n" in done.output


def test_options_choose_accounts_and_leave_posts_out(store: Path, tmp_path: Path) -> None:
    names, ids, out = tmp_path / "names.txt", tmp_path / "ids.txt", tmp_path / "out.txt"
    names.write_text("Shop\n")
    ids.write_text("10\n")
    done = run("twitter", store, "--accounts", names, "--without", ids, "--json", "--out", out)
    assert json.loads(done.output) == {"accounts": 1, "dialogues": 0, "utterances": 0, "words": 0, "left_out": 1}
    assert run("twitter", store, "--max-turns", 1, "--tokenizer", "nltk-3.10", "--out", out).output.startswith("0 dial")


def test_options_that_do_not_fit_the_profile_are_refused(store: Path, tmp_path: Path) -> None:
    ids, out = tmp_path / "testset_ids.json", tmp_path / "out.txt"
    assert "profile trial has no ids" in usage("twitter", store, "--ids", ids, "--out", out)
    assert "leave --accounts" in usage("twitter", store, "--profile", "testset", "--accounts", ids, "--out", out)
    ids.unlink()
    assert "give --ids FILE" in usage("twitter", store, "--profile", "testset", "--out", out)


def test_parts_with_something_in_common_leave_with_1(store: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("Shop\n")
    two.write_text("shop\n")
    found = run("overlap", one, two)
    assert (found.exit_code, found.output) == (1, "one.txt and two.txt: 1 accounts in both (shop)\n")
    assert json.loads(run("overlap", one, two, "--json").output)[0]["accounts"] == 1
    two.write_text("Air\n")
    assert run("overlap", one, two).exit_code == 0
    assert "give two parts" in usage("overlap", one)
    found = run("overlap", one, tmp_path / "testset_ids.json", "--store", store)
    assert (found.exit_code, found.output) == (1, "one.txt and testset_ids.json: 1 posts in both (10)\n")


def test_sizes_are_printed_as_the_official_check_does(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("U: a\nS: b c\n\n")
    lines = run("sizes", text, text).output.splitlines()
    assert lines[:2] == ["--- train set ---", "n_dialogs: 1 (88820000.00 % difference from reference: 888201)"]
