from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from duologue.core.errors import AnswerError, PlugInError, StorageError, UsageError
from duologue.core.identity import hash_of_model
from duologue.core.plugins import load_task, save_card
from duologue.core.recipe import read_toml
from duologue.core.records import Annotation, Answer, Candidate, Example, Fact, Goal, Mention, Record, Sample, Turn
from duologue.core.result_note import provenance_path
from duologue.run.contamination import SKETCH, TRAIN, Sketch
from duologue.run.forecast import forecast_file
from duologue.run.predict import answer_all, demand_questions, predict_file
from duologue.systems.baselines import RandomRanker

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence


def example(name: str) -> Example:
    return Example(sample=Sample(id=name, dialogue_id=name))


class Echo:
    """Answers with the sample's id."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [Answer(text=sample.id) for sample in samples]


class TwoRounds:
    """Asks the second half only when it has heard the answers to the first."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def rounds(self, examples: Sequence[Example]) -> Generator[Sequence[Example], Sequence[Answer] | None, None]:
        for batch in (examples[:2], examples[2:]):
            self.heard.append((yield batch))


def test_a_task_hears_the_answers_to_each_round() -> None:
    task: Any = TwoRounds()
    system: Any = Echo()
    found = answer_all(task, system, [example(name) for name in "abcd"])
    assert [name for name, _ in found] == list("abcd")
    assert [[answer.text for answer in heard] for heard in task.heard] == [["a", "b"], ["c", "d"]]


def test_plain_rounds_are_asked_one_after_the_other() -> None:
    task: Any = type("Plain", (), {"rounds": lambda self, examples: iter([examples[:1], [], examples[1:]])})()
    system: Any = Echo()
    found = answer_all(task, system, [example(name) for name in "abc"])
    assert [answer.text for _, answer in found] == ["a", "b", "c"]


def test_a_system_that_takes_the_whole_file_is_not_asked_where_there_is_nothing() -> None:
    task: Any = type("Plain", (), {"rounds": lambda self, examples: iter([[], examples])})()
    system: Any = type("Whole", (Echo,), {"whole_file": True})()
    assert [answer.text for _, answer in answer_all(task, system, [example("a"), example("b")])] == ["a", "b"]


class Counting(RandomRanker):
    """Answers as the random baseline does, counts what it is asked, and is killed when it is asked too much."""

    def __init__(self, most: int | None = None) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.most = most

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        if self.most is not None and len(self.asked) + len(samples) > self.most:
            raise KeyboardInterrupt
        self.asked += [sample.id for sample in samples]
        return super().answer(samples)


@pytest.fixture
def data(contest: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of forty samples, answered by tens."""
    monkeypatch.setattr("duologue.run.predict.CHUNK", 10)
    path: Path = contest.data
    return path


def run(system: Any, data: Path, out: Path, *, name: str = "random", **options: Any) -> None:
    settings = {"name": name, "world": None, "kb": None, "seed": 1, **options}
    predict_file(load_task("restaurant"), system, data, out, **settings)


def killed(data: Path, out: Path, *, most: int = 25) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(Counting(most), data, out)
    assert not out.exists()


def test_a_killed_run_goes_on_and_nothing_is_answered_twice(data: Path, tmp_path: Path) -> None:
    whole, out = tmp_path / "whole.json", tmp_path / "out.json"
    run(Counting(), data, whole)
    killed(data, out)
    again = Counting()
    run(again, data, out)
    assert len(again.asked) == 20  # of forty: two chunks of ten were there
    assert out.read_bytes() == whole.read_bytes()
    assert provenance_path(out).read_bytes() == provenance_path(whole).read_bytes()
    assert not list(tmp_path.glob(".*"))


def test_a_system_that_takes_the_whole_file_leaves_no_journal(data: Path, tmp_path: Path) -> None:
    whole = type("Whole", (Counting,), {"whole_file": True})(most=25)
    with pytest.raises(KeyboardInterrupt):
        run(whole, data, tmp_path / "out.json")
    assert not list(tmp_path.glob(".*"))
    killed(data, tmp_path / "out.json")
    assert [path.name for path in tmp_path.glob(".*")] == [".out.json.journal"]


@pytest.mark.parametrize("other", [{"seed": 2}, {"name": "tfidf"}])
def test_answers_of_another_run_are_not_used(data: Path, tmp_path: Path, other: dict[str, Any]) -> None:
    out, said = tmp_path / "out.json", list[str]()
    killed(data, out)
    again = Counting()
    run(again, data, out, say=said.append, **other)
    assert len(again.asked) == 40
    assert "another run" in said[0]


def test_answers_to_another_file_are_not_used(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    killed(data, out)
    data.write_bytes(data.read_bytes().replace(b"where should it be", b"where should it go"))
    again = Counting()
    run(again, data, out)
    assert len(again.asked) == 40


def test_answers_of_a_model_whose_weights_have_changed_are_not_used(data: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "model", tmp_path / "out.json"
    save_card(model, name="random", recipe=Record(), task="restaurant", seed=1, data="none", data_hash="")
    (model / "weights").write_bytes(b"one")
    with pytest.raises(KeyboardInterrupt):
        run(Counting(25), data, out, name=str(model))
    again = Counting(15)
    with pytest.raises(KeyboardInterrupt):
        run(again, data, out, name=str(model))
    assert len(again.asked) == 10  # the same model: it went on, to thirty of forty
    (model / "weights").write_bytes(b"two")
    last = Counting()
    run(last, data, out, name=str(model))
    assert len(last.asked) == 40


def test_samples_of_one_id_keep_their_own_answers() -> None:
    asked = [
        Example(sample=Sample(id="same", dialogue_id=text, history=(Turn(speaker="user", text=text),)))
        for text in ("a", "b")
    ]

    class Parrot:
        def answer(self, samples: Sequence[Sample]) -> list[Answer]:
            return [Answer(text=sample.history[-1].text) for sample in samples]

    task: Any = type("Plain", (), {"rounds": lambda self, examples: iter([examples])})()
    system: Any = Parrot()
    assert [answer.text for _, answer in answer_all(task, system, asked)] == ["a", "b"]


def test_a_file_that_run_did_not_write_is_left_alone(data: Path, contest: Any, tmp_path: Path) -> None:
    truth = contest.gold
    before = truth.read_bytes()
    for note in ("", 'system = "random"\n', f'input_hash = "x"\nresult_hash = "{"0" * 64}"\n'):
        if note:
            provenance_path(truth).write_text(note, encoding="utf-8")
        with pytest.raises(UsageError, match="--force"):
            run(Counting(), data, truth)
        assert truth.read_bytes() == before
    for same in (data, tmp_path / "link.json"):
        if same != data:
            same.symlink_to(data)
        with pytest.raises(UsageError, match="which is read"):
            run(Counting(), data, same, force=True)
    run(Counting(), data, truth, force=True)
    assert truth.read_bytes() != before


def test_a_file_of_the_truth_alone_is_not_answered(contest: Any, tmp_path: Path) -> None:
    """Its samples are bare: a whole file of empty rankings was written, and endpoints were paid for nothing."""
    system, out = Counting(), tmp_path / "out.json"
    with pytest.raises(UsageError, match=r"answers.json holds nothing that could be answered: none of its 40 samples"):
        run(system, contest.gold, out)
    with pytest.raises(UsageError, match="give the data file in its place"):
        forecast_file(contest.task, system, contest.gold, out, name="random", world=None, kb=None, seed=1)
    assert not list(tmp_path.glob("*out*"))


def test_a_file_without_a_sample_is_not_answered(contest: Any, tmp_path: Path) -> None:
    data, out = tmp_path / "data.json", tmp_path / "out.json"
    data.write_text("[]", encoding="utf-8")
    system = Counting()
    with pytest.raises(UsageError, match=r"data\.json holds no sample, so there is nothing to answer"):
        run(system, data, out)
    with pytest.raises(UsageError, match="holds no sample"):
        forecast_file(contest.task, system, data, out, name="random", world=None, kb=None, seed=1)
    assert not out.exists()


def test_a_result_of_our_own_is_replaced_and_one_that_was_edited_is_not(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    run(Counting(), data, out)
    run(Counting(), data, out, seed=2)
    out.write_bytes(out.read_bytes() + b"\n")
    with pytest.raises(UsageError, match="--force"):
        run(Counting(), data, out)


def test_a_kill_between_result_and_note_leaves_what_is_known_as_ours(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.json"

    def kill(source: Any) -> str:
        raise KeyboardInterrupt

    run(Counting(), data, out)
    with monkeypatch.context() as patch:
        patch.setattr("duologue.run.predict.sha256", lambda source: kill(source) if source.path == out else "x")
        with pytest.raises(KeyboardInterrupt):
            run(Counting(), data, out, seed=2)
    run(Counting(), data, out)


def test_a_result_that_cannot_be_written_leaves_the_older_one_with_its_note(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.json"
    run(Counting(), data, out)
    before = out.read_bytes(), provenance_path(out).read_bytes()
    monkeypatch.setattr("os.fsync", lambda handle: _full(handle, out))
    with pytest.raises(StorageError, match="no space"):
        run(Counting(), data, out, seed=2)
    assert (out.read_bytes(), provenance_path(out).read_bytes()) == before


def _full(handle: int, out: Path) -> None:
    """Refuse to sync the result, and nothing else."""
    name = Path(f"/proc/self/fd/{handle}").readlink().name
    if name.startswith(f".{out.name}.") and "journal" not in name:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_result_may_be_sent_to_a_device(data: Path) -> None:
    run(Counting(), data, Path("/dev/null"))
    assert not provenance_path(Path("/dev/null")).exists()


def test_the_note_names_the_model_its_seed_and_its_weights(data: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "model", tmp_path / "out.json"
    save_card(model, name="random", recipe=Record(), task="restaurant", seed=7, data="none", data_hash="abc")
    run(Counting(), data, out, name=str(model))
    note = read_toml(provenance_path(out))
    assert (note["system"], note["model"], note["model_seed"], note["model_data_hash"]) == (
        "random",
        str(model),
        7,
        "abc",
    )
    assert note["model_hash"] == hash_of_model(model)
    run(Counting(), data, out)
    note = read_toml(provenance_path(out))
    assert (note["model"], note["model_seed"], note["model_hash"], note["seed"]) == ("", 0, "", 1)


def test_the_note_says_how_much_of_the_questions_a_model_was_trained_on(data: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "model", tmp_path / "out.json"
    sketch = Sketch.of({TRAIN: list(load_task("restaurant").load(data))})
    sketch.save(model / SKETCH)
    card: Any = {"recipe": Record(), "task": "restaurant", "seed": 7, "data": "none", "data_hash": "abc"}
    save_card(model, name="random", sketch=sketch.hash, **card)
    run(Counting(), data, out, name=str(model))
    note = read_toml(provenance_path(out))
    assert (note["sketch"], note["exposure"]["samples_seen"]) == (sketch.hash, 40)
    save_card(model, name="random", **card)  # a card of no sketch: what lies there is of another model
    run(Counting(), data, out, name=str(model))
    note = read_toml(provenance_path(out))
    assert (note["sketch"], "exposure" in note) == ("", False)


@pytest.mark.parametrize(("chunk", "sizes"), [(1, [1] * 5), (2, [2, 2, 1]), (5, [5]), (9, [5])])
def test_a_system_is_asked_for_as_many_answers_as_it_takes_at_once(chunk: int, sizes: list[int]) -> None:
    class Sized(Echo):
        def __init__(self) -> None:
            self.chunk, self.sizes = chunk, list[int]()

        def answer(self, samples: Sequence[Sample]) -> list[Answer]:
            self.sizes.append(len(samples))
            return super().answer(samples)

    task: Any = type("Plain", (), {"rounds": lambda self, examples: iter([examples])})()
    system: Any = Sized()
    told: list[tuple[int, int, str]] = []
    found = answer_all(task, system, [example(name) for name in "abcde"], progress=lambda *step: told.append(step))
    assert [answer.text for _, answer in found] == list("abcde")
    assert system.sizes == sizes
    assert told == [(sum(sizes[: at + 1]), 5, "answering") for at in range(len(sizes))]


@pytest.mark.parametrize("chunk", [0, -1, "32", None])
def test_a_system_that_takes_no_samples_at_once_is_told_of(chunk: object) -> None:
    task: Any = type("Plain", (), {"rounds": lambda self, examples: iter([examples])})()
    system: Any = type("Sized", (Echo,), {"chunk": chunk})()
    with pytest.raises(PlugInError, match=r"Sized\.chunk must be a whole number of at least 1"):
        answer_all(task, system, [example("a")])


def test_an_answer_without_what_the_task_writes_is_the_fault_of_the_system(data: Path, tmp_path: Path) -> None:
    class Talker(RandomRanker):
        def answer(self, samples: Sequence[Sample]) -> list[Answer]:
            return [Answer(text="hello") for _ in samples]

    task, out = load_task("restaurant"), tmp_path / "out.json"
    with pytest.raises(PlugInError, match=r"Talker answered what the task cannot write: the answer to dialogue .* no"):
        predict_file(task, Talker(), data, out, name="random", world=None, kb=None, seed=1)
    assert not out.exists()


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("proactive", Answer()),
        ("proactive", Answer(text="two\nlines")),
        ("spoken", Answer()),
        ("mobilecs/extraction", Answer(text="no annotation")),
        ("mobilecs/extraction", Answer(annotation=Annotation(mentions=(Mention(text="a", label="b"),)))),
        ("mobilecs/extraction", Answer(annotation=Annotation(mentions=(Mention(text="a", label="b", entity="e"),)))),
    ],
)
def test_each_task_says_that_the_answer_is_what_it_cannot_write(task: str, answer: Answer, tmp_path: Path) -> None:
    with pytest.raises(AnswerError):
        load_task(task).write([example("a")], [("a", answer)], tmp_path / "out.json")


def test_another_number_of_answers_than_samples_is_told_with_both() -> None:
    task: Any = type("Plain", (), {"rounds": lambda self, examples: iter([examples])})()
    silent: Any = type("Silent", (), {"answer": lambda self, samples: [Answer()]})()
    with pytest.raises(PlugInError, match="Silent returned 1 answer for 3 samples; a system must return a list"):
        answer_all(task, silent, [example(name) for name in "abc"])
    each: Any = type("Each", (), {"answer_each": lambda self, samples: iter([(1, Answer(), {})])})()
    with pytest.raises(PlugInError, match="2 of 3 samples got no answer of `answer_each`"):
        answer_all(task, each, [example(name) for name in "abc"])


@pytest.mark.parametrize(
    "known",
    [
        {"history": (Turn(speaker="user", text="hi"),)},
        {"candidates": (Candidate(id="a", text="x"),)},
        {"knowledge": (Fact(subject="a", relation="b", object="c"),)},
        {"goal": Goal(topics=("a",))},
    ],
)
def test_whatever_a_sample_holds_can_be_answered(known: dict[str, Any]) -> None:
    asked = Example(sample=Sample(id="b", dialogue_id="b", **known))
    demand_questions([example("a"), asked], Path("data.json"))
    with pytest.raises(UsageError, match="none of its 1 samples has a history, candidates, knowledge or a goal"):
        demand_questions([example("a")], Path("data.json"))
