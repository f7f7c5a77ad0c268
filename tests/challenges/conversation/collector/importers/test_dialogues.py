from __future__ import annotations

import gzip
import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.conversation.collector.importers.dialogues import import_dialogues
from duologue.challenges.conversation.formats import stores
from duologue.core.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.challenges.conversation.collector.importers.insertion import ImportResult

PLAIN: list[dict[str, Any]] = [
    {"id": "a", "turns": [["U", "hello"], ["S", "how can i help ?"], ["U", "never mind"]]},
    {"id": "b", "turns": [["U", "hi"], ["S", "hi"]], "extra": 1},
]
CARE: list[dict[str, Any]] = [
    {
        "dialog_id": 4,
        "company": "AirCare",
        "messages": [
            {"client": "where is my bag ?", "time": "2019-05-03T10:00:00"},
            {"client1": "mine too", "time": "2019-05-03T10:05:00Z"},
            {"agent": "which flight ?", "time": "2019-05-03T12:00:00+02:00"},
        ],
        "last_agent_message": "see http://x.co",
        "time_to_last_message": "1-02:00:30.0",
    }
]


def imported(folder: Path, text: str | bytes, name: str = "chats.jsonl", **more: Any) -> ImportResult:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with stores.open_base(folder / "store") as base:
        return import_dialogues(base, path, **more)


def turns(folder: Path) -> dict[str, list[list[tuple[bool, str]]]]:
    found: dict[str, list[list[tuple[bool, str]]]] = {}
    for store in stores.stores_in(folder / "store"):
        rows = [
            [(post.screen_name == store.account, post.text) for post in posts] for posts in store.dialogues.values()
        ]
        found[store.account] = sorted(rows)
    return found


LINES = "".join(json.dumps(row) + "\n" for row in PLAIN)
EXPECTED = {
    "Help": [
        [(False, "hello"), (True, "how can i help ?"), (False, "never mind")],
        [(False, "hi"), (True, "hi")],
    ]
}


def _named(rows: list[dict[str, Any]]) -> str:
    """Return the same dialogues with other names for everything."""
    roles = {"U": "customer", "S": "agent"}
    return json.dumps(
        [
            {
                "id": row["id"],
                "messages": [{"role": roles[speaker], "utterance": text} for speaker, text in row["turns"]],
            }
            for row in rows
        ]
    )


SPELLINGS = {
    "lines": LINES,
    "marked lines with gaps": "\ufeff" + LINES.replace("\n", "\n\n"),
    "gzip": gzip.compress(LINES.encode()),
    "list": json.dumps(PLAIN),
    "indented": json.dumps(PLAIN, indent=1),
    "by id": json.dumps({row["id"]: {"turns": row["turns"]} for row in PLAIN}),
    "other names": _named(PLAIN),
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_dialogues_come_in_many_spellings(tmp_path: Path, text: str | bytes) -> None:
    assert imported(tmp_path, text, account="Help").dialogues == 2
    assert turns(tmp_path) == EXPECTED


def test_sharegpt_chats_are_dialogues(tmp_path: Path) -> None:
    spoken = [{"from": "human", "value": "hello"}, {"from": "gpt", "value": "how can i help ?"}]
    done = imported(tmp_path, json.dumps([{"id": "a", "conversations": spoken}]), name="Help.json")
    assert done.dialogues == 1
    assert turns(tmp_path) == {"Help": [[(False, "hello"), (True, "how can i help ?")]]}


def test_doing_it_again_or_another_part_adds_nothing_twice(tmp_path: Path) -> None:
    imported(tmp_path, LINES, account="Help")
    imported(tmp_path, json.dumps(PLAIN[1:]), name="part.json", account="Help")
    assert turns(tmp_path) == EXPECTED


def test_the_published_conversation_json_gives_posts_with_their_times(tmp_path: Path) -> None:
    imported(tmp_path, json.dumps(CARE), name="dev.json")
    (store,) = stores.stores_in(tmp_path / "store")
    assert store.account == "AirCare"
    (posts,) = store.dialogues.values()
    assert [post.text for post in posts] == ["where is my bag ?", "mine too", "which flight ?", "see http://x.co"]
    assert len({post.author for post in posts}) == 3
    assert [post.created_at for post in posts] == [
        "Fri May 03 10:00:00 +0000 2019",
        "Fri May 03 10:05:00 +0000 2019",
        "Fri May 03 10:00:00 +0000 2019",
        "Sat May 04 12:00:30 +0000 2019",
    ]
    assert posts[3].screen_name == posts[2].screen_name == "AirCare"


@pytest.mark.parametrize(
    ("first", "gap"),
    [
        ("9999-12-31T23:59:00", "00:20:00"),
        ("0001-01-01T00:00:00+14:00", "00:20:00"),
        ("2019-05-03T10:00:00", "9999999999-00:00:00"),
        ("2999-12-31T23:59:00-14:00", "999999-999999:00:00"),
    ],
)
def test_times_beyond_the_calendar_are_none(tmp_path: Path, first: str, gap: str) -> None:
    row = {
        "dialog_id": 4,
        "messages": [{"client": "where is my bag ?", "time": first}, {"agent": "which flight ?"}],
        "last_agent_message": "see http://x.co",
        "time_to_last_message": gap,
    }
    assert imported(tmp_path, json.dumps([row]), account="Help").posts == 3


def test_who_the_company_is_can_be_said(tmp_path: Path) -> None:
    rows = [{"id": 1, "turns": [["agent_1", "hello"], ["agent_2", "hi"]]}]
    imported(tmp_path, json.dumps(rows), account="Two", company=["agent_2"])
    assert turns(tmp_path) == {"Two": [[(False, "hello"), (True, "hi")]]}


def test_dialogues_of_one_turn_are_left_out_and_counted(tmp_path: Path) -> None:
    done = imported(tmp_path, json.dumps([{"id": 1, "turns": [["U", "hello"]]}, PLAIN[0]]))
    assert done.skipped == {"dialogues of one turn": 1}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"a": 1}\nno\n', "dialogue-turns"),
        ('{"turns": []}\n{"turns"\n', "dialogue-json"),
        ('[{"turns": [["U"]]}]', "dialogue-turn"),
        ('[{"turns": [{"text": "x"}]}]', "dialogue-turn"),
        ("[3]", "dialogue-turns"),
        ("nothing", "not-json"),
        (json.dumps([{"turns": [["U", "x"]] * 5_000}]), "dialogue-long"),
        (json.dumps([{"id": "\udfff", "turns": [["U", "x"], ["S", "y"]]}]), "dialogue-character"),
        (json.dumps([{"company": "A\udfff", "turns": [["U", "x"], ["S", "y"]]}]), "dialogue-character"),
        (json.dumps([{"turns": [["U", "x"], ["\udfff", "y"]]}]), "dialogue-character"),
    ],
)
def test_what_is_no_dialogue_is_told_with_its_place(tmp_path: Path, text: str, rule: str) -> None:
    with pytest.raises(FormatError) as caught:
        imported(tmp_path, text)
    assert rule in [problem.rule for problem in caught.value.problems]
    assert caught.value.problems[0].place


def test_dialogues_are_anonymous_and_placeholders_hold_within_one(tmp_path: Path) -> None:
    rows = [
        {
            "id": "a",
            "turns": [["Zelda Quux", "手机13812345678谢谢"], ["S", "Hi Zelda, 138 1234 5678?"], ["u2", "＠jo_doe"]],
        },
        {"id": "b", "turns": [["U", "order #A1234567"], ["S", "套餐98元, call 10086"]], "account": "jo@mail.com"},
    ]
    done = imported(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), account="Help")
    (store, other) = stores.stores_in(tmp_path / "store")
    if store.account != "Help":
        store, other = other, store
    (dialogue,) = store.dialogues.values()
    assert [post.text for post in dialogue] == ["手机<PHONE_1>谢谢", "Hi <NAME_1>, <PHONE_1>?", "<HANDLE_1>"]
    assert all("zelda" not in post.screen_name for post in dialogue)
    (dialogue,) = other.dialogues.values()
    assert [post.text for post in dialogue] == ["order #<ORDER_1>", "套餐98元, call 10086"]
    assert other.account.startswith("account_")
    assert done.replaced is not None
    assert done.replaced.counts == {"HANDLE": 1, "PHONE": 2, "ORDER": 1, "NAME": 1}


def test_dialogues_are_kept_as_they_are_by_an_explicit_word(tmp_path: Path) -> None:
    rows = [{"id": "a", "turns": [["Zelda", "手机13812345678谢谢"], ["S", "hi"]]}]
    imported(tmp_path, "".join(json.dumps(row) + "\n" for row in rows * 2), keep_personal_data=True)
    (store,) = stores.stores_in(tmp_path / "store")
    (dialogue,) = store.dialogues.values()
    assert dialogue[0].text == "手机13812345678谢谢"
    assert dialogue[0].screen_name.startswith("zelda_")


def test_chat_files_of_other_tools_are_read_as_they_are(tmp_path: Path) -> None:
    heard, said = "where is it ?", "on its way ."
    forms: dict[str, dict[str, Any]] = {
        "openai.jsonl": {"messages": [{"role": "user", "content": heard}, {"role": "assistant", "content": said}]},
        "sharegpt.json": {"conversations": [{"from": "human", "value": heard}, {"from": "gpt", "value": said}]},
        "dialogues.json": {
            "dialogue_id": "toy-0",
            "turns": [{"speaker": "user", "utterance": heard}, {"speaker": "system", "utterance": said}],
        },
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("data/dialogues.json", json.dumps([forms["dialogues.json"]]))
        archive.writestr("data/ontology.json", "{}")
    files = {name: json.dumps([row]).encode() for name, row in forms.items()} | {"data.zip": packed.getvalue()}
    for name, data in files.items():
        imported(tmp_path, data, name, account=name.partition(".")[0])
    assert turns(tmp_path) == {name.partition(".")[0]: [[(False, heard), (True, said)]] for name in files}
