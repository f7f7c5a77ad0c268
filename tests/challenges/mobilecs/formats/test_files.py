from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.mobilecs.formats import files
from duologue.core.errors import FormatError, StorageError, UsageError
from duologue.core.records import Act, Annotation, Answer, Dialogue, Mention, Span, Value

if TYPE_CHECKING:
    from pathlib import Path


def test_raw_dialogues_come_back_as_the_same_bytes(golden: Path, tmp_path: Path) -> None:
    files.write_raw(files.load_raw(golden / "extraction/contract/raw.json"), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (golden / "extraction/contract/raw.json").read_bytes()


def test_track_2_dialogues_come_back_as_the_same_bytes(golden: Path, tmp_path: Path) -> None:
    files.write_dialogues(files.load_dialogue(golden / "dialogue/contract/dialogues.json"), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (golden / "dialogue/contract/dialogues.json").read_bytes()


def test_a_track_2_dialogue_without_turns_is_written_back(golden: Path, tmp_path: Path) -> None:
    rows = json.loads((golden / "dialogue/contract/dialogues.json").read_bytes())
    rows.insert(1, {**rows[0], "id": "silence", "content": []})
    (tmp_path / "d.json").write_bytes(files.dump(rows))
    files.write_dialogues(files.load_dialogue(tmp_path / "d.json"), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "d.json").read_bytes()


def test_a_raw_dialogue_that_was_not_read_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="was not read from a raw file"):
        files.write_raw([Dialogue(id="d", turns=())], tmp_path / "d.json")


def first_version(rows: list[Any]) -> list[Any]:
    """Return raw dialogues as the first version of the data had them: without ids and places, breaks as blanks."""
    turns = [copy.deepcopy(row["content"]) for row in rows]
    for turn in (turn for one in turns for turn in one):
        for triple in turn["info"]["triples"]:
            triple.pop("pos", None)
    return turns


def test_dialogues_of_our_own_come_back_with_all_their_annotation(raw_rows: list[Any], tmp_path: Path) -> None:
    (tmp_path / "first.json").write_text(json.dumps(first_version(raw_rows), ensure_ascii=False), encoding="utf-8")
    dialogues = files.load_raw(tmp_path / "first.json")
    records = [turn["info"] for row in raw_rows for turn in row["content"]]
    annotations = [turn.annotation for one in dialogues for turn in one.turns if turn.annotation is not None]
    assert len(annotations) == 2 * len(records)
    assert sum(len(one.mentions) for one in annotations) == sum(len(e["pos"]) for one in records for e in one["ents"])
    assert sum(len(one.values) for one in annotations) == sum(len(one["triples"]) for one in records)
    files.write_raw(dialogues, tmp_path / "again.json")
    assert json.dumps(json.loads((tmp_path / "again.json").read_bytes())) == json.dumps(first_version(raw_rows))


@pytest.mark.real_data(twin="test_dialogues_of_our_own_come_back_with_all_their_annotation")
@pytest.mark.parametrize(
    ("name", "counts"),
    [("example_final.json", (10, 196, 36, 41)), ("example_first_version.json", (10, 190, 17, 19))],
)
def test_the_public_examples_come_back_with_all_their_annotation(
    real: Path, tmp_path: Path, name: str, counts: tuple[int, ...]
) -> None:
    dialogues = files.load_raw(real / "examples" / name)
    annotations = [turn.annotation for one in dialogues for turn in one.turns if turn.annotation is not None]
    assert counts == (
        len(dialogues),
        len(annotations),
        sum(len(one.mentions) for one in annotations),
        sum(len(one.values) for one in annotations),
    )
    files.write_raw(dialogues, tmp_path / name)
    data, again = (real / "examples" / name).read_bytes(), (tmp_path / name).read_bytes()
    # As text: the order of keys is data. The first version was laid out with four blanks.
    assert json.dumps(json.loads(again)) == json.dumps(json.loads(data))
    assert again == data or name == "example_first_version.json"


@pytest.mark.real_data(twin="test_track_2_dialogues_come_back_as_the_same_bytes")
@pytest.mark.parametrize("kind", ["test", "result"])
@pytest.mark.parametrize("version", ["final", "first_version"])
def test_the_public_track_2_files_come_back(real: Path, tmp_path: Path, kind: str, version: str) -> None:
    path = real / "examples" / f"track2_{kind}_example_{version}.json"
    examples = files.load_dialogue(path)
    assert len(examples) == 21
    assert all(bool(example.references) == (version == "first_version") for example in examples)
    files.write_dialogues(examples, tmp_path / "again.json")
    data, again = path.read_bytes(), (tmp_path / "again.json").read_bytes()
    assert again == data if version == "final" else json.loads(again) == json.loads(data)


def test_a_result_of_our_own_is_its_test_file_with_the_blanks_filled(
    golden: Path, paired_rows: list[Any], tmp_path: Path
) -> None:
    hidden = [
        {**{key: row[key] for key in ("id", "KB")}, "content": [{"用户": turn["用户"]} for turn in row["content"]]}
        for row in paired_rows
    ]
    (tmp_path / "test.json").write_bytes(files.dump(hidden))
    answers = [
        (
            f"{row['id']}#{number}",
            Answer(text=f"{number}", annotation=Annotation(acts=(Act(speaker="user", name="客套"),))),
        )
        for row in hidden
        for number in range(len(row["content"]))
    ]
    files.write_replies(files.load_dialogue(tmp_path / "test.json"), answers, tmp_path / "result.json")
    filled = json.loads((tmp_path / "result.json").read_bytes())
    for row, blank in zip(filled, hidden, strict=True):
        for number, (turn, asked) in enumerate(zip(row["content"], blank["content"], strict=True)):
            assert turn == {**asked, "用户意图-生成": "客套", "客服意图-生成": "", "客服-生成": f"{number}"}


@pytest.mark.real_data(twin="test_a_result_of_our_own_is_its_test_file_with_the_blanks_filled")
def test_the_published_result_is_its_test_file_with_the_blanks_filled(real: Path, tmp_path: Path) -> None:
    folder = real / "examples"
    result = json.loads((folder / "track2_result_example_final.json").read_bytes())
    examples = files.load_dialogue(folder / "track2_test_example_final.json")
    answers = [
        (f"{row['id']}#{number}", files.answer_of(turn)) for row in result for number, turn in enumerate(row["content"])
    ]
    files.write_replies(examples, answers, tmp_path / "result.json")
    assert (tmp_path / "result.json").read_bytes() == (folder / "track2_result_example_final.json").read_bytes()


def test_a_reference_names_entities_as_systems_must(golden: Path) -> None:
    example = files.load_dialogue(golden / "dialogue/contract/dialogues.json")[0]
    assert example.references == (
        Answer(
            text="青松套餐每月四十六元_带七个G流量",
            annotation=Annotation(
                acts=(
                    Act(speaker="user", name="求助-查询", args=("青松套餐-业务费用",)),
                    Act(speaker="system", name="通知"),
                )
            ),
        ),
    )
    assert example.user_goal is not None
    assert example.user_goal.items[0].asked == ("业务费用",)


def test_an_extraction_is_written_with_turn_and_utterance(tmp_path: Path) -> None:
    found = Annotation(
        mentions=(Mention(label="套餐", text="套餐", entity="ent-1", span=Span(turn=3, start=1, end=3)),),
        values=(Value(slot="欠费", text="有", span=Span(turn=0, start=0, end=1)),),
    )
    files.write_extraction([("d", Answer(annotation=found))], tmp_path / "x.json")
    assert json.loads((tmp_path / "x.json").read_bytes()) == [
        {
            "id": "d",
            "entities": [
                {"id": "ent-1", "name": "套餐", "type": "套餐", "position": [1, 3], "turn_id": 1, "utterance_id": 3}
            ],
            "triples": [
                {
                    "ent-id": "NA",
                    "ent-name": "NA",
                    "prop": "欠费",
                    "value": "有",
                    "position": [0, 1],
                    "turn_id": 0,
                    "utterance_id": 0,
                }
            ],
        }
    ]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(text="x"), "has no annotation"),
        (Answer(annotation=Annotation(mentions=(Mention(label="a", text="b", entity="c"),))), "without a span"),
        (
            Answer(annotation=Annotation(mentions=(Mention(label="a", text="b", span=Span(turn=0, start=0, end=1)),))),
            "belongs to no entity",
        ),
    ],
)
def test_an_answer_that_track_1_cannot_say_is_refused(tmp_path: Path, answer: Answer, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        files.write_extraction([("d", answer)], tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()


def test_a_turn_without_an_answer_has_no_generated_fields(tmp_path: Path) -> None:
    files.write_replies([], [("d#2", Answer(text="好")), ("d#1", Answer())], tmp_path / "x.json")
    filled = {"用户意图-生成": "", "客服意图-生成": "", "客服-生成": "好"}
    assert json.loads((tmp_path / "x.json").read_bytes()) == [{"id": "d", "content": [{}, {}, filled]}]


def test_an_id_that_is_not_that_of_a_turn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'d' is not the id of a turn"):
        files.write_replies([], [("d", Answer(text="好"))], tmp_path / "x.json")


def test_half_a_surrogate_pair_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="half a surrogate pair"):
        files.write_replies([], [("d#0", Answer(text="\ud800"))], tmp_path / "x.json")


def test_raw_data_in_place_of_track_2_data_is_told(golden: Path) -> None:
    with pytest.raises(FormatError, match="duologue data convert mobilecs/dialogue --from raw --to track2"):
        files.load_dialogue(golden / "extraction/contract/raw.json")


def test_a_missing_file_is_a_storage_error(tmp_path: Path) -> None:
    for read in (files.load_raw, files.load_dialogue, lambda path: files.read_result(path, "x")):
        with pytest.raises(StorageError, match="no such file"):
            read(tmp_path / "none.json")
