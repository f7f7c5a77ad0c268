from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.errors import DuologueError
from duologue.core.optional_protocols import Grounded, Inspectable, Simulated
from duologue.core.protocols import Task
from duologue.core.records import Answer, Record, Scoring
from duologue.testing import check_task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.core.records import Example, Submission

ROW: dict[str, Any] = {
    "dialog_id": "d1",
    "candidates": [{"utterance": "i'm on it", "candidate_id": "a"}, {"utterance": "no", "candidate_id": "b"}],
    "utterances": ["old_inn r_rating 46", "hi", "hello what can i help you with today", "may i have a table"],
    "answer": {"utterance": "i'm on it", "candidate_id": "a"},
}
DATA = json.dumps([ROW, {**ROW, "dialog_id": "d2"}]).encode()
RESULT = json.dumps(
    [
        {"dialog_id": name, "lst_candidate_id": [{"candidate_id": "b", "rank": 1}, {"candidate_id": "a", "rank": 2}]}
        for name in ("d1", "d2")
    ]
).encode()
KB = b"1 old_inn R_location\trome\n1 old_inn R_rating\t46\n"


@pytest.fixture
def task() -> RestaurantTask:
    return RestaurantTask()


def test_the_task_keeps_the_promises_of_the_house(task: RestaurantTask) -> None:
    for promise in (Task, Simulated, Inspectable, Grounded):
        assert isinstance(task, promise)
    assert issubclass(task.Generation, Record)
    assert task.info.variants == ("strict", "official")


def test_the_way_from_data_to_report(task: RestaurantTask, tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes(DATA)
    examples = list(task.load(tmp_path / "d.json"))
    (batch,) = task.rounds(examples)
    answers = [(one.sample.id, Answer(ranking=("b", "a"))) for one in batch]
    task.write(examples, answers, tmp_path / "d.answers.json")
    assert (tmp_path / "d.answers.json").read_bytes() == RESULT
    submission = task.read(tmp_path / "d.answers.json")
    assert task.check(submission, examples, "strict") == ()
    report = task.score(examples, submission, Scoring(variant="strict"))
    assert [(one.name, one.value) for one in report.scores] == [("p@1", 0.0), ("p@2", 1.0), ("p@5", 1.0), ("mrr", 0.5)]


def test_the_task_passes_the_contract_suite_of_the_house(task: RestaurantTask, tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes(DATA)
    check_task(task, tmp_path)


def test_the_walker_shows_a_data_file(task: RestaurantTask, tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes(DATA)
    said: list[str] = []
    task.dump(tmp_path / "d.json", said.append)
    assert sum(one.startswith("dialog_id: ") for one in said) == 2
    assert task.statistics(tmp_path / "d.json")["nb_utterance_total"] == 8


def test_a_world_is_read_from_its_file_or_made(task: RestaurantTask, tmp_path: Path) -> None:
    (tmp_path / "kb.txt").write_bytes(KB)
    world = task.world(tmp_path / "kb.txt")
    assert world.name == "kb.txt"
    assert [fact.object for fact in world.about("old_inn")] == ["rome", "46"]
    made = task.world(None)
    assert len(made.subjects("cuisine", "french")) == 1080
    assert list(made) == list(task.world(None))


def test_importing_the_task_loads_no_heavy_library() -> None:
    code = (
        "import sys, duologue.challenges.restaurant.task; "
        "print(sorted({'numpy', 'torch', 'rich', 'duologue.metrics.counts'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


SIGNS = [b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\x00", b"\xff", b"\r\n", b"\t", b" "]
WORDS = [b"null", b"true", b"NaN", b"-1", b"1e999", b"1" * 5000, b"[" * 1200, b'"rank"', b'"d1"', b'"\\ud800"']
ENCODINGS = [b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x1f\x8b"]
PIECES = st.sampled_from([*SIGNS, *WORDS, *ENCODINGS])


@st.composite
def mutated(draw: st.DrawFn, original: bytes) -> bytes:
    """Return the file with a few stretches cut, doubled or replaced."""
    data = original
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        piece = draw(st.one_of(PIECES, st.binary(max_size=3), st.just(data[start:end] * 2)))
        data = data[:start] + piece + data[end:]
    return data


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["d1", "a", "b", "", "1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "dialog_id",
                    "lst_candidate_id",
                    "candidate_id",
                    "rank",
                    "utterances",
                    "candidates",
                    "answer",
                    "utterance",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
FILES = st.one_of(
    mutated(DATA), mutated(RESULT), mutated(KB), st.lists(JSON, max_size=3).map(json.dumps).map(str.encode)
)


def outcome(use: Callable[[], object]) -> object:
    """Return what the call gives, or `None` for an error of the house; any other error fails the test."""
    with suppress(DuologueError):
        return use()
    return None


def use_every_reader(folder: Path, content: bytes) -> None:
    """Read, show, check and score a file as data, truth, result and knowledge base."""
    task = RestaurantTask()
    path, good = folder / "any.json", folder / "good.json"
    path.write_bytes(content)
    good.write_bytes(DATA)
    known = list(task.load(good))
    good.write_bytes(RESULT)
    fine = task.read(good)
    examples = outcome(lambda: list(task.load(path)))
    outcome(lambda: task.world(path))
    outcome(lambda: task.dump(path, lambda text: text.encode("utf-8")))
    outcome(lambda: task.statistics(path))
    submission = task.read(path)
    for variant in task.info.variants:
        task.check(submission, None, variant)
        for partial in (False, True):
            outcome(scoring(task, known, submission, variant, partial=partial))
        if isinstance(examples, list):
            outcome(scoring(task, examples, fine, variant, partial=True))
    errors = [problem for problem in task.check(submission, known, "strict") if problem.severity == "error"]
    scored = outcome(scoring(task, known, submission, "strict", partial=False))
    assert scored is None or msgspec.json.encode(scored)
    assert (scored is not None) == (not errors), "what the check passes is scored, and nothing else"


def scoring(
    task: RestaurantTask, examples: list[Example], submission: Submission, variant: str, *, partial: bool
) -> Callable[[], object]:
    """Return the call that scores."""
    return lambda: task.score(examples, submission, Scoring(variant=variant, partial=partial))


@settings(max_examples=250)
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
