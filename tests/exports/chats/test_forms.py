"""Chat files of other tools are read, written, and made from one another and from a task's data."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.core.errors import FormatError, UsageError
from duologue.core.plugins import load_task, names
from duologue.core.records import Dialogue, Turn
from duologue.exports.chats.forms import FORMS, convert_chats, dialogues_in

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
READ = [one for one in FORMS if one.read is not None]
DATA = {
    "conversation": "conversation/contract/evaluation.txt",
    "proactive": "proactive/small-sessions.txt",
    "spoken": "spoken/small-valid.json",
    "mobilecs/dialogue": "mobilecs/dialogue/contract/dialogues.json",
    "mobilecs/extraction": "mobilecs/extraction/contract/raw.json",
}
"""Small data files of the tasks whose samples are said by people."""
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def dialogues_of(speakers: list[str]) -> st.SearchStrategy[list[Dialogue]]:
    turns = st.lists(st.builds(Turn, speaker=st.sampled_from(speakers), text=TEXTS), min_size=1, max_size=4)
    return st.lists(turns, min_size=1, max_size=3).map(
        lambda found: [Dialogue(id=f"d{at}", turns=tuple(one)) for at, one in enumerate(found)]
    )


def said(dialogues: list[Dialogue]) -> list[tuple[str, list[tuple[str, str]]]]:
    return [(one.id, [(turn.speaker, turn.text) for turn in one.turns]) for one in dialogues]


@pytest.mark.parametrize("form", READ, ids=lambda one: one.name)
@settings(max_examples=40)
@given(data=st.data())
def test_what_is_written_is_read_again(
    form: Any, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    dialogues = data.draw(dialogues_of(sorted(form.speakers)))
    path = tmp_path_factory.mktemp("chats") / "a.json"
    form.write(dialogues, path)
    again = form.read(path)
    assert said(again) == said(dialogues)
    before = path.read_bytes()
    form.write(again, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("target", [one.name for one in READ])
@settings(max_examples=20)
@given(data=st.data())
def test_dialogues_of_two_speakers_go_through_any_form_and_back(
    target: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    dialogues = data.draw(dialogues_of(["user", "system"]))
    folder = tmp_path_factory.mktemp("chats")
    READ[0].write(dialogues, folder / "a")
    convert_chats("openai", target, folder / "a", folder / "b")
    done = convert_chats(target, "openai", folder / "b", folder / "c")
    assert (folder / "c").read_bytes() == (folder / "a").read_bytes()
    assert (done.dialogues, done.left_out) == (len(dialogues), 0)


def test_an_instruction_and_what_tools_return_keep_their_place(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "the "}, {"type": "text", "text": "time?"}]},
        {"role": "tool", "content": "12:00"},
        {"role": "assistant", "content": "noon"},
    ]
    (tmp_path / "a.json").write_text(json.dumps({"messages": messages}), "utf-8")
    convert_chats("openai", "sharegpt", tmp_path / "a.json", tmp_path / "b.json")
    assert json.loads((tmp_path / "b.json").read_text("utf-8")) == [
        {
            "id": "1",
            "conversations": [
                {"from": "system", "value": "Be kind."},
                {"from": "human", "value": "the time?"},
                {"from": "observation", "value": "12:00"},
                {"from": "gpt", "value": "noon"},
            ],
        }
    ]
    done = convert_chats("sharegpt", "lines", tmp_path / "b.json", tmp_path / "c.txt")
    assert (tmp_path / "c.txt").read_text("utf-8") == "U: the time?\nS: noon\n"
    assert done.left_out == 1
    assert len(list(load_task("conversation").load(tmp_path / "c.txt"))) == 1


def test_annotations_of_convlab_files_stay_with_them(tmp_path: Path) -> None:
    acts = {"categorical": [{"intent": "inform", "domain": "hotel", "slot": "area", "value": "north"}]}
    row = {
        "dataset": "toy",
        "data_split": "test",
        "dialogue_id": "toy-test-0",
        "domains": ["hotel"],
        "goal": {"description": "a hotel"},
        "turns": [{"speaker": "user", "utterance": "a hotel", "utt_idx": 0, "dialogue_acts": acts, "state": {}}],
    }
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "dialogues.json").write_text(json.dumps([row]), "utf-8")
    convert_chats("convlab", "convlab", tmp_path, tmp_path / "data.zip")
    with zipfile.ZipFile(tmp_path / "data.zip") as packed:
        assert json.loads(packed.read("data/dialogues.json")) == [row]
        assert set(json.loads(packed.read("data/ontology.json"))) == {"domains", "intents", "state", "dialogue_acts"}
    for place in (tmp_path / "data.zip", _only(tmp_path, "data.zip")):
        convert_chats("convlab", "convlab", place, tmp_path / "again.json")
        assert json.loads((tmp_path / "again.json").read_text("utf-8")) == [row]


def _only(folder: Path, name: str) -> Path:
    """Return a new folder with a copy of one file."""
    (folder / "only").mkdir()
    (folder / "only" / name).write_bytes((folder / name).read_bytes())
    return folder / "only"


@pytest.mark.parametrize("task", sorted(set(names("tasks")) & set(DATA)))
def test_data_of_a_task_become_chats(task: str, tmp_path: Path) -> None:
    dialogues = dialogues_in(load_task(task), GOLDEN / DATA[task])
    assert all(one.turns for one in dialogues)
    done = convert_chats(task, "openai", GOLDEN / DATA[task], tmp_path / "a.jsonl")
    assert done.dialogues == len(dialogues)
    assert FORMS[0].read is not None
    assert said(FORMS[0].read(tmp_path / "a.jsonl")) == said(dialogues)


@pytest.mark.parametrize("task", ["mobilecs/dialogue", "mobilecs/extraction"])
def test_what_both_sides_of_a_call_say_goes_along_and_nothing_else(task: str) -> None:
    """Samples of track 2 tell the staff's replies beside their histories: all but the last were lost."""
    path = GOLDEN / DATA[task]
    sides = ("用户", "客服") if task == "mobilecs/dialogue" else ("[SPEAKER 1]", "[SPEAKER 2]")
    rows = json.loads(path.read_text("utf-8"))
    wanted = [[text for turn in row["content"] for key, text in turn.items() if key in sides and text] for row in rows]
    wanted = [turns for turns in wanted if turns]
    found = dialogues_in(load_task(task), path)
    assert [[turn.text for turn in one.turns] for one in found] == wanted
    assert all({turn.speaker for turn in one.turns} == {"user", "system"} for one in found)


def test_sessions_are_whole_dialogues() -> None:
    path = GOLDEN / "proactive" / "small-sessions.txt"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    dialogues = dialogues_in(load_task("proactive"), path)
    last = [len(row["conversation"]) - (len(row["conversation"]) + 1) % 2 for row in rows]  # the agent's last turn
    assert [[turn.text for turn in one.turns] for one in dialogues] == [
        row["conversation"][:end] for row, end in zip(rows, last, strict=True)
    ]


def test_all_problems_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    rows = [
        {"messages": []},
        7,
        {"id": "a", "messages": [{"role": "robot", "content": "x"}, {"role": "user", "content": None}, 3]},
        {"id": "b", "messages": [{"role": "user", "content": "x"}, {"role": "system", "content": "y"}]},
        {"id": "b", "messages": [{"role": "user", "content": "x"}]},
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows), "utf-8")
    with pytest.raises(FormatError) as caught:
        convert_chats("openai", "lines", path, tmp_path / "out")
    assert [(one.rule, one.place) for one in caught.value.problems] == [
        ("messages-type", "/0"),
        ("dialogue-type", "/1"),
        ("message-speaker", "/2/messages/0"),
        ("message-text", "/2/messages/1"),
        ("message-type", "/2/messages/2"),
        ("instruction-place", "/3/messages/1"),
        ("dialogue-id-twice", "/4"),
    ]
    path.write_text('{"messages": 1}\n{oh}\n', "utf-8")
    with pytest.raises(FormatError, match="line 1") as caught:
        convert_chats("openai", "lines", path, tmp_path / "out")
    path.write_text('{"messages": 1}\n{oh}\n{"messages": 1}', "utf-8")
    with pytest.raises(FormatError, match="line 2") as caught:
        convert_chats("openai", "lines", path, tmp_path / "out")
    assert len(caught.value.problems) == 3
    path.write_text("[]", "utf-8")
    with pytest.raises(FormatError, match="no dialogue"):
        convert_chats("convlab", "lines", path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_unknown_form_is_told() -> None:
    with pytest.raises(UsageError, match="did you mean 'sharegpt'"):
        convert_chats("openai", "sharegtp", Path("x"), Path("y"))
    with pytest.raises(UsageError, match=r"here; known are conversation, convlab, [^;]*spoken$"):
        convert_chats("lines", "openai", Path("x"), Path("y"))
