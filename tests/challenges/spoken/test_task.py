from __future__ import annotations

import json
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.spoken.scoring.checker import VARIANTS
from duologue.challenges.spoken.scoring.options import OPTIONS, SAMPLES
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.errors import DuologueError, FormatError, UsageError
from duologue.core.optional_protocols import Grounded
from duologue.core.protocols import Task
from duologue.core.records import Annotation, Answer, Example, Scoring
from duologue.knowledge.graph import Graph
from duologue.testing import check_task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRIPLE = {"name": "园", "attrname": "等级", "attrvalue": 70}
REPLY = {"message": "是70级。", "attrs": [TRIPLE]}
VALID = json.dumps([{"name": "园", "messages": [{"message": "几级？"}, REPLY]}], ensure_ascii=False).encode()
TEST = json.dumps({"1": [{"message": "几级？"}], "2": [{"message": "谢谢。"}]}, ensure_ascii=False).encode()
GOLD = json.dumps({"1": REPLY, "2": {"message": "不客气。"}}, ensure_ascii=False).encode()
GRAPH = json.dumps({"园": [["园", "等级", 70], ["园", "门票", "十元"]]}, ensure_ascii=False).encode()


@pytest.fixture
def task() -> SpokenTask:
    return SpokenTask()


def test_the_task_keeps_the_promises_of_the_house(task: SpokenTask) -> None:
    for promise in (Task, Grounded):
        assert isinstance(task, promise)
    assert task.info.variants == VARIANTS
    assert task.info.options == OPTIONS
    assert task.info.samples == SAMPLES
    assert task.info.slices == ("domain", "answer-kind", "triples")


def test_the_task_passes_the_contract_suite_of_the_house(task: SpokenTask, golden: Path, tmp_path: Path) -> None:
    shutil.copy(golden / "small-valid.json", tmp_path)
    check_task(task, tmp_path)


def test_the_way_from_samples_and_gold_to_a_report(task: SpokenTask, tmp_path: Path) -> None:
    for name, content in (("test.json", TEST), ("gold.json", GOLD)):
        (tmp_path / name).write_bytes(content)
    examples = task.load_files([tmp_path / "test.json", tmp_path / "gold.json"])
    for found in (examples, task.load_files([tmp_path / "gold.json", tmp_path / "test.json"])):
        assert [len(one.sample.history) for one in found] == [1, 1]
        assert found[0].references[0].text == "是70级。"
    (batch,) = task.rounds(examples)
    task.write(batch, [(one.sample.id, one.references[0]) for one in batch], tmp_path / "result.json")
    assert json.loads((tmp_path / "result.json").read_bytes()) == json.loads(GOLD)
    submission = task.read(tmp_path / "result.json")
    report = task.score(examples, submission, Scoring(variant="strict"))
    assert {score.name: score.value for score in report.scores}["total"] == pytest.approx(3)
    assert [formula.name for formula in task.metrics(Scoring(variant="strict"))] == [one.name for one in report.scores]


def test_replies_of_two_files_to_one_sample_are_refused(task: SpokenTask, tmp_path: Path) -> None:
    for name in ("film.json", "music.json"):
        (tmp_path / name).write_bytes(VALID)
    with pytest.raises(FormatError, match="'0#1' has a reply in an earlier file"):
        task.load_files([tmp_path / "film.json", tmp_path / "music.json"])


def test_a_graph_is_read_from_its_file(task: SpokenTask, golden: Path) -> None:
    world = task.world(golden / "small-kg.json")
    assert world.name == "small-kg.json"
    assert [fact.object for fact in world.about("守门人")] == [4200, "50"]
    assert list(world.subjects("周边景点", "灯塔")) == ["青石岛"]
    with pytest.raises(UsageError, match="no built-in knowledge graph"):
        task.world(None)


def test_the_check_takes_the_graph(task: SpokenTask, golden: Path) -> None:
    submission = task.read(golden / "small-result.json")
    known = task.with_world(task.world(golden / "small-kg.json"))
    assert [problem.rule for problem in known.check(submission, None, "strict")] == ["message-empty"]
    strange = task.with_world(Graph("other", []))
    assert "triple-unknown" in {problem.rule for problem in strange.check(submission, None, "strict")}
    assert task.check(submission, None, "strict") == known.check(submission, None, "strict")


def test_replies_can_be_shown_as_far_as_they_can_be_read(task: SpokenTask, tmp_path: Path) -> None:
    rows = {"1": REPLY, "2": {"message": "不客气。"}, "3": {"message": 7}}
    (tmp_path / "result.json").write_text(json.dumps(rows), "utf-8")
    found = task.answers(task.read(tmp_path / "result.json"), [])
    assert list(found) == ["1", "2"]
    assert found["2"] == Answer(text="不客气。", annotation=Annotation())
    assert found["1"].annotation is not None
    assert found["1"].annotation.facts[0].object == 70


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("\ud800", REPLY),
        ("1", {"message": "\ud800"}),
        ("1", {"message": "好", "attrs": [{"name": "\udfff", "attrname": "级别", "attrvalue": 70}]}),
        ("1", {"message": "好", "attrs": [{"name": "园", "attrname": "级别", "attrvalue": ["\udfff"]}]}),
    ],
    ids=["id", "message", "name", "value"],
)
def test_replies_with_half_a_surrogate_pair_are_not_shown(
    name: str, reply: dict[str, Any], task: SpokenTask, tmp_path: Path
) -> None:
    (tmp_path / "result.json").write_text(json.dumps({name: reply, "2": {"message": "不客气。"}}), "utf-8")
    found = task.answers(task.read(tmp_path / "result.json"), [])
    assert list(found) == ["2"]
    assert msgspec.json.encode(found)
    problems = task.check(task.read(tmp_path / "result.json"), None, "strict")
    assert "half-character" in {one.rule for one in problems}
    assert msgspec.json.encode(problems)


def test_the_report_of_an_id_with_half_a_surrogate_pair_can_be_written(task: SpokenTask, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps({**json.loads(GOLD), "\ud800": REPLY}), "utf-8")
    (tmp_path / "gold.json").write_bytes(GOLD)
    report = task.score(
        list(task.load(tmp_path / "gold.json")), task.read(tmp_path / "result.json"), Scoring(variant="official")
    )
    assert b"ud800" in msgspec.json.encode(report)


SIGNS = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b'"',
    b"\\",
    b"\x00",
    b"\xff",
    b"\r\n",
    b"\n",
    b"\t",
    b" ",
    b"\xef\xbb\xbf",
]
WORDS = [b"null", b"true", b"NaN", b"-1", b"70.0", b"1e999", b"1" * 5000, b"[" * 1200, b'{"a":' * 1200, b'""']
WORDS += [
    b'"message"',
    b'"attrs"',
    b'"name"',
    b'"1"',
    b'"\\ud800"',
    b'"' + b"x" * 20_000 + b'"',
    b'"1":{"message":""},',
]
WORDS += ["７".encode(), "\u200e".encode(), b"[]", b"{}", b'["a", 7]']
PIECES = st.sampled_from(SIGNS + WORDS)


@st.composite
def mutated(draw: st.DrawFn, original: bytes) -> bytes:
    """Return a file with some stretches cut out, doubled or replaced."""
    data = original
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        piece = draw(st.one_of(PIECES, st.binary(max_size=3), st.just(data[start:end] * 2)))
        data = data[:start] + piece + data[end:]
    return data


KEYS = st.sampled_from(["1", "2", "message", "messages", "attrs", "name", "attrname", "attrvalue", "园", ""])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["1", "园", "", "\ud800", "None"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
FILES = st.one_of(
    mutated(VALID), mutated(TEST), mutated(GOLD), mutated(GRAPH), JSON.map(lambda value: json.dumps(value).encode())
)


def outcome(use: Callable[[], object]) -> object:
    """Return what the call gives, or `None` for an error of the house; any other error fails the test."""
    with suppress(DuologueError):
        return use()
    return None


def use_every_reader(folder: Path, content: bytes) -> None:
    """Read, check, score and write again a file as data, gold, result and knowledge graph."""
    task = SpokenTask()
    path, good = folder / "any.json", folder / "good.json"
    path.write_bytes(content)
    good.write_bytes(GOLD)
    known = list(task.load(good))
    fine = task.read(good)
    loaded: Any = outcome(lambda: list(task.load(path)))
    outcome(lambda: list(task.world(path)))
    outcome(lambda: task.load_files([good, path]))
    if loaded is not None:
        assert msgspec.json.encode([one.sample for one in loaded])
        outcome(scoring(task, loaded, fine, Scoring(variant="strict")))
        answers = [(one.sample.id, one.references[0]) for one in loaded if one.references]
        outcome(lambda: task.write(loaded, answers, good))
    submission = task.read(path)
    assert msgspec.json.encode(task.answers(submission, known))
    for variant in VARIANTS:
        problems = task.check(submission, known, variant)
        assert msgspec.json.encode(len(problems))
        errors = {problem.rule for problem in problems if problem.severity == "error"} - {"id-missing"}
        scored = outcome(scoring(task, known, submission, Scoring(variant=variant)))
        assert (scored is not None) == (not errors), "what the check passes is scored, and nothing else"
        assert scored is None or msgspec.json.encode(scored)
        outcome(scoring(task, known, submission, Scoring(variant=variant, partial=True)))


def scoring(task: SpokenTask, examples: list[Example], submission: Any, how: Scoring) -> Callable[[], object]:
    """Return the call that scores."""
    return lambda: task.score(examples, submission, how)


@settings(max_examples=150)
@given(FILES)
def test_any_file_gives_a_result_or_an_error_of_the_house(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    use_every_reader(tmp_path_factory.getbasetemp(), content)


@pytest.mark.slow
@settings(max_examples=2_000)
@given(FILES)
def test_many_more_files_give_a_result_or_an_error_of_the_house(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    use_every_reader(tmp_path_factory.getbasetemp(), content)


@pytest.mark.parametrize(
    "content",
    [
        b'{"1": {"message": ' + b"[" * 900 + b"]" * 900 + b"}}",
        b'{"1": {"message": "x", "more": ' + b"[" * 900 + b"]" * 900 + b"}}",
        b'{"1": ' + b"[" * 100_000,
        b'{"1": {"message": "' + b"x" * 100_000 + b'"}}',
        GOLD.replace(b", ", b",\r\n").replace(b": ", b":\n"),
        b"",
    ],
    ids=["deep message", "deep extra", "too deep", "huge", "line ends", "empty"],
)
def test_odd_files_are_read_or_refused(content: bytes, tmp_path: Path) -> None:
    use_every_reader(tmp_path, content)
