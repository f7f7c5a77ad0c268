from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from tests.strategies import words

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.schema.triples import facts_of
from duologue.core.errors import FormatError, UsageError
from duologue.core.records import Annotation, Answer, Dialogue, Example, Fact, Sample, Turn

if TYPE_CHECKING:
    from pathlib import Path


def save(value: Any, path: Path) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return path


def rules(error: pytest.ExceptionInfo[FormatError]) -> list[str]:
    return [problem.rule for problem in error.value.problems]


REAL = ["challenge_valid_visible", "kdconv_film_dev", "kdconv_music_dev", "kdconv_travel_dev"]


def packed(value: Any, path: Path) -> Path:
    """Write JSON as the files of the challenge are: without blanks, and packed."""
    path.write_bytes(gzip.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()))
    return path


@pytest.mark.parametrize("name", ["small-valid.json", "contract/valid.json"])
def test_made_dialogues_are_written_back_byte_for_byte(name: str, golden: Path, tmp_path: Path) -> None:
    source = packed(json.loads((golden / name).read_bytes()), tmp_path / "source.json.gz")
    files.write_dialogues(files.read_dialogues(source), tmp_path / "valid.json")
    assert (tmp_path / "valid.json").read_bytes() == gzip.decompress(source.read_bytes())


@pytest.mark.parametrize(("name", "count"), [("small-kg.json", 5), ("tiny-kg.json", 97)])
def test_made_graphs_are_written_back_byte_for_byte(name: str, count: int, golden: Path, tmp_path: Path) -> None:
    source = packed(json.loads((golden / name).read_bytes()), tmp_path / "source.json.gz")
    graph = files.read_graph(source)
    facts = list(files.facts_in(graph))
    assert len(facts) == count
    for one in (graph, files.graph_of(facts)):
        files.write_graph(one, tmp_path / "kg.json")
        assert (tmp_path / "kg.json").read_bytes() == gzip.decompress(source.read_bytes())


def test_made_dialogues_have_the_sizes_of_their_file(golden: Path) -> None:
    path = golden / "contract" / "valid.json"
    rows = [row["messages"] for row in json.loads(path.read_bytes())]
    dialogues, examples = files.read_dialogues(path), files.load(path)
    assert [len(dialogue.turns) for dialogue in dialogues] == list(map(len, rows))
    facts = [turn.annotation.facts for dialogue in dialogues for turn in dialogue.turns if turn.annotation]
    assert list(map(len, facts)) == [len(turn["attrs"]) for row in rows for turn in row if "attrs" in turn]
    assert len(examples) == sum(len(row) // 2 for row in rows)
    known = [one for one in examples if one.references[0].annotation and one.references[0].annotation.facts]
    assert len(known) == sum("attrs" in turn for row in rows for turn in row[1::2])


@pytest.mark.real_data(twin="test_made_dialogues_are_written_back_byte_for_byte")
@pytest.mark.parametrize("name", REAL)
def test_real_dialogues_are_written_back_byte_for_byte(name: str, real_data: Path, tmp_path: Path) -> None:
    source = real_data / "spoken" / f"{name}.json.gz"
    files.write_dialogues(files.read_dialogues(source), tmp_path / "valid.json")
    assert (tmp_path / "valid.json").read_bytes() == gzip.decompress(source.read_bytes())


@pytest.mark.real_data(twin="test_made_graphs_are_written_back_byte_for_byte")
@pytest.mark.parametrize(("name", "count"), [("kb_travel", 12_509), ("kg_rebuilt_visible", 17_740)])
def test_real_graphs_are_written_back_byte_for_byte(name: str, count: int, real_data: Path, tmp_path: Path) -> None:
    source = real_data / "spoken" / f"{name}.json.gz"
    graph = files.read_graph(source)
    facts = list(files.facts_in(graph))
    assert len(facts) == count
    for one in (graph, files.graph_of(facts)):
        files.write_graph(one, tmp_path / "kg.json")
        assert (tmp_path / "kg.json").read_bytes() == gzip.decompress(source.read_bytes())


@pytest.mark.real_data(twin="test_made_dialogues_have_the_sizes_of_their_file")
def test_the_real_validation_dialogues_have_the_measured_sizes(real_data: Path) -> None:
    path = real_data / "spoken" / "kdconv_film_dev.json.gz"
    dialogues, examples = files.read_dialogues(path), files.load(path)
    assert len(dialogues) == 150
    assert sum(len(dialogue.turns) for dialogue in dialogues) == 3858
    facts = [turn.annotation.facts for dialogue in dialogues for turn in dialogue.turns if turn.annotation]
    assert sum(map(len, facts)) == 3366
    assert len(examples) == 1928
    known = [one for one in examples if one.references[0].annotation and one.references[0].annotation.facts]
    assert len(known) == 1334


def test_values_keep_their_kind(golden: Path) -> None:
    first, second = files.read_dialogues(golden / "small-valid.json")
    assert first.meta == {"start": "星门旅人（2014年游戏）"}
    assert [turn.speaker for turn in first.turns] == ["user", "system", "user", "system"]
    assert first.turns[1].annotation is not None
    assert [fact.object for fact in first.turns[1].annotation.facts] == [4200, "50"]
    assert first.turns[2].annotation is not None
    assert first.turns[2].annotation.facts[0].object == ("老赵", "赵 门神")
    assert first.turns[3].annotation is None
    assert "\u200e" in second.turns[1].text


def test_samples_are_the_turns_of_the_responder_with_bare_histories(golden: Path) -> None:
    examples = files.load(golden / "small-valid.json")
    assert [one.sample.id for one in examples] == ["0#1", "0#3", "1#1"]
    assert [one.sample.dialogue_id for one in examples] == ["0", "0", "1"]
    assert [len(one.sample.history) for one in examples] == [1, 3, 1]
    assert all(turn.annotation is None for one in examples for turn in one.sample.history)
    assert [one.references[0].annotation == Annotation() for one in examples] == [False, True, False]


def test_test_files_have_no_references(golden: Path, tmp_path: Path) -> None:
    examples = files.load(golden / "small-test.json")
    assert [one.sample.id for one in examples] == ["1", "2"]
    assert [turn.speaker for turn in examples[1].sample.history] == ["user", "system", "user"]
    assert not any(one.references for one in examples)
    files.write_samples(examples, tmp_path / "test.json")
    assert json.loads((tmp_path / "test.json").read_text("utf-8")) == json.loads(
        (golden / "small-test.json").read_text("utf-8")
    )


def test_gold_is_read_in_the_form_of_a_result(golden: Path, tmp_path: Path) -> None:
    examples = files.load(golden / "small-result.json")
    assert [one.sample.id for one in examples] == ["2", "1"]
    assert examples[0].references[0].text == "50级。"
    files.write_gold(examples, tmp_path / "gold.json")
    text = (golden / "small-result.json").read_text("utf-8")
    assert json.loads((tmp_path / "gold.json").read_text("utf-8")) == json.loads(text)
    assert list(json.loads((tmp_path / "gold.json").read_text("utf-8"))) == ["2", "1"]


def test_gold_can_be_made_of_dialogues(golden: Path, tmp_path: Path) -> None:
    examples = files.load(golden / "small-valid.json")
    files.write_gold(examples, tmp_path / "gold.json")
    again = files.load(tmp_path / "gold.json")
    assert [(one.sample.id, one.references) for one in again] == [(one.sample.id, one.references) for one in examples]


def test_records_made_here_are_written_in_the_official_form(tmp_path: Path) -> None:
    fact = Fact(subject="园", relation="别名", object=("甲", "乙"))
    turns = (
        Turn(speaker="user", text="还叫什么？"),
        Turn(speaker="system", text="甲和乙。", annotation=Annotation(facts=(fact,))),
    )
    files.write_dialogues([Dialogue(id="x", turns=turns, meta={"start": "园"})], tmp_path / "valid.json")
    assert (tmp_path / "valid.json").read_text("utf-8") == (
        '[{"name":"园","messages":[{"message":"还叫什么？"},{"message":"甲和乙。",'
        '"attrs":[{"name":"园","attrname":"别名","attrvalue":["甲","乙"]}]}]}]'
    )
    sample = Example(sample=Sample(id="7", dialogue_id="7", history=turns[:1]), references=(Answer(text="好"),))
    files.write_samples([sample], tmp_path / "test.json")
    assert (tmp_path / "test.json").read_text("utf-8") == '{"7":[{"message":"还叫什么？"}]}'
    files.write_gold([sample], tmp_path / "gold.json")
    assert (tmp_path / "gold.json").read_text("utf-8") == '{"7":{"message":"好"}}'


def test_what_is_not_known_cannot_be_written(tmp_path: Path) -> None:
    bare = Example(sample=Sample(id="7", dialogue_id="7"))
    with pytest.raises(UsageError, match="reply of sample '7' is not known"):
        files.write_gold([bare], tmp_path / "gold.json")
    with pytest.raises(UsageError, match="sample '7' has no text"):
        files.write_result([("7", Answer())], tmp_path / "result.json")
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=40)
@given(words, words, words)
def test_answers_survive_the_result_file(
    tmp_path_factory: pytest.TempPathFactory, name: str, text: str, value: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "result.json"
    facts = (Fact(subject=name, relation="级", object=value), Fact(subject=name, relation="级", object=70))
    files.write_result([("1", Answer(text=text, annotation=Annotation(facts=facts)))], path)
    submission = files.read_result(path)
    assert submission.problems == ()
    assert facts_of(submission.rows["1"]["attrs"]) == facts
    assert submission.rows["1"]["message"] == text
    again = path.with_name("again.json")
    files.write_gold(files.load(path), again)
    assert again.read_bytes() == path.read_bytes()


def test_a_name_that_is_a_list_is_accepted_in_data(tmp_path: Path) -> None:
    attrs = [{"name": ["b", "a"], "attrname": "x", "attrvalue": [1, "2"]}]
    path = save([{"messages": [{"message": "?"}, {"message": "!", "attrs": attrs}]}], tmp_path / "train.json")
    (dialogue,) = files.read_dialogues(path)
    assert dialogue.meta == {}
    assert dialogue.turns[1].annotation == Annotation(facts=(Fact(subject="a b", relation="x", object=("1", "2")),))
    files.write_dialogues([dialogue], tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text("utf-8")) == json.loads(path.read_text("utf-8"))


def test_half_a_character_under_a_key_that_nobody_reads_is_written_escaped(tmp_path: Path) -> None:
    path = tmp_path / "valid.json"
    path.write_bytes(b'[{"note":"\\ud800","messages":[{"message":"?"}]}]')
    files.write_dialogues(files.read_dialogues(path), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def test_a_row_that_is_nested_too_deeply_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    deep: list[Any] = []
    for _ in range(200_000):
        deep = [deep]
    source = {"messages": [{"message": "?", "more": deep}]}
    with pytest.raises(UsageError, match="nested too deeply"):
        files.write_dialogues([Dialogue(id="0", turns=(), source=source)], tmp_path / "valid.json")
    assert list(tmp_path.iterdir()) == []


def test_a_byte_order_mark_is_passed_over_in_data_and_a_problem_in_results(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "gold.json"
    path.write_bytes(b'\xef\xbb\xbf{"1": {"message": "x"}}\r\n')
    assert files.load(path)[0].references[0].text == "x"
    assert "byte order mark" in caplog.text
    assert [problem.rule for problem in files.read_result(path).problems] == ["byte-order-mark"]


def test_a_result_that_holds_null_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("null")
    assert [problem.rule for problem in files.read_result(path).problems] == ["not-an-object"]


@pytest.mark.parametrize("reader", [files.load, files.read_dialogues, files.read_graph])
def test_a_file_of_another_kind_is_named(reader: Any, golden: Path) -> None:
    other = {files.load: "small-kg.json", files.read_dialogues: "small-test.json", files.read_graph: "small-valid.json"}
    with pytest.raises(FormatError) as caught:
        reader(golden / other[reader])
    assert rules(caught) == ["other-file"]
    assert "this is" in str(caught.value)
