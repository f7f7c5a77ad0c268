"""Every import passes the anonymiser: no personal data of a made file are in anything that it leaves behind."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from duologue.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECRETS = {
    "EMAIL": "jo_doe99@mail.com",
    "URL": "https://shop.example/reset?token=s3cr3tT0ken99",
    "PHONE": "13812345678",
    "CARD": "4111 1111 1111 1111",
    "IDENTITY": "11010519491231002X",
    "IP": "203.0.113.77",
    "PLATE": "京A·F0236",
    "ORDER": "A1234567",
    "ADDRESS": "742 Evergreen Terrace",
    "NAME": "王小明",
}
"""A piece of each kind, as it must not be found again."""
SAID = (
    f"mail {SECRETS['EMAIL']} or ＠jo_handle, see {SECRETS['URL']} from {SECRETS['IP']}",
    f"手机{SECRETS['PHONE']}谢谢, 身份证{SECRETS['IDENTITY']}, {SECRETS['PLATE']}, 我叫{SECRETS['NAME']}, 415.555.0132",
    f"card {SECRETS['CARD']}, order #{SECRETS['ORDER']}, I live at {SECRETS['ADDRESS']}, Springfield",
)
ALSO = ("jo_handle", "415.555.0132", "Zelda", "zelda_q", "424242")
"""A handle, a Western number, and the display name, screen name and number of whoever says it."""
_TIME = "Tue Sep 12 08:0{}:00 +0000 2017"


def tweets() -> list[dict[str, object]]:
    zelda = {"id": 424242, "screen_name": "zelda_q", "name": "Zelda Quux", "location": SECRETS["ADDRESS"]}
    care = {"id": 7, "screen_name": "AirCare", "name": "Air Care"}
    rows: list[dict[str, object]] = []
    for at, text in enumerate(SAID):
        rows.append({"text": f"@AirCare {text}", "user": zelda, "place": {"full_name": SECRETS["ADDRESS"]}})
        mentions = {"user_mentions": [{"screen_name": "zelda_q", "name": "Zelda Quux", "id": 424242}]}
        rows.append({"text": f"@zelda_q Hi Zelda, {SECRETS['PHONE']}?", "user": care, "entities": mentions})
        for number in (2 * at, 2 * at + 1):
            answers = {"in_reply_to_status_id": number} if number else {}
            rows[number] |= {"id": number + 1, "created_at": _TIME.format(number), **answers}
    return rows


def a_table(folder: Path) -> list[object]:
    path = folder / "twcs.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out)
        head = "tweet_id author_id inbound created_at text response_tweet_id in_response_to_tweet_id"
        table.writerow(head.split())
        for at, text in enumerate(SAID):
            number = 2 * at + 1
            table.writerow([number, 9, True, _TIME.format(2 * at), text, number + 1, number - 1 or ""])
            table.writerow([number + 1, "AirCare", False, _TIME.format(2 * at + 1), "@9 yes", number + 2, number])
    return ["twcs", path, "--quiet", "--store", folder / "out"]


def a_stream(folder: Path) -> list[object]:
    path = folder / "stream.json"
    path.write_text("".join(json.dumps(row) + "\n" for row in tweets()), encoding="utf-8")
    return ["tweets", path, "--account", "AirCare", "--store", folder / "out"]


def an_archive(folder: Path) -> list[object]:
    path = folder / "tweets.js"
    rows = [{**row, "full_text": row["text"]} for row in tweets()]
    path.write_text(f"window.YTD.tweets.part0 = {json.dumps(rows)}", encoding="utf-8")
    return ["archive", path, "--account", "Mine", "--store", folder / "out"]


def dialogues(folder: Path) -> list[object]:
    path = folder / "chats.jsonl"
    turns = [pair for text in SAID for pair in (["Zelda Quux", text], ["S", "Hi Zelda!"])]
    path.write_text(json.dumps({"id": SECRETS["PHONE"], "turns": turns, "note": SAID[0]}) + "\n", encoding="utf-8")
    return ["dialogues", path, "--account", "Help", "--store", folder / "out"]


def calls(folder: Path) -> list[object]:
    path = folder / "calls.jsonl"
    turns = [pair for text in SAID for pair in (["Zelda Quux", text], ["客服", "Hi Zelda!"])]
    path.write_text(json.dumps({"id": SECRETS["PHONE"], "turns": turns}) + "\n", encoding="utf-8")
    return ["calls", path, "--out", folder / "out" / "calls.json"]


IMPORTS: dict[str, Callable[[Path], list[object]]] = {
    "twcs": a_table,
    "tweets": a_stream,
    "archive": an_archive,
    "dialogues": dialogues,
    "calls": calls,
}


def left_behind(folder: Path) -> str:
    """Return all that the files of a folder hold, JSON's escapes read."""
    found = b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    text = found.decode("utf-8", "replace")
    return text + "".join(chr(int(piece[:4], 16)) for piece in text.split("\\u")[1:])


def test_every_import_there_is_is_tried() -> None:
    context = click.Context(cli)
    data = cli.get_command(context, "data")
    assert isinstance(data, click.Group)
    group = data.get_command(context, "import")
    assert isinstance(group, click.Group)
    assert set(group.list_commands(context)) == set(IMPORTS)


@pytest.mark.parametrize("name", IMPORTS)
def test_no_personal_data_are_left_unless_they_are_to_be_kept(name: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    words = ["data", "import", *map(str, IMPORTS[name](tmp_path))]
    done = CliRunner().invoke(cli, words)
    assert (done.exit_code, done.exception) == (0, None), done.output
    told = done.output + left_behind(tmp_path / "out")
    stayed = [one for one in (*SECRETS.values(), *ALSO) if one in told]
    assert not stayed
    assert {kind for kind in SECRETS if f"<{kind}_1>" in told} == set(SECRETS)
    assert (tmp_path / "out").exists()
    report = next((tmp_path / "out").glob("*personal-data.toml")).read_text("utf-8")
    assert "99999999999" in report
    force = ["--force"] if name == "calls" else []  # the others go on with their store
    done = CliRunner().invoke(cli, [*words, "--keep-personal-data", *force])
    assert "personal data was kept" in done.output
