from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from msgspec.structs import replace
from tests.run.test_forecast import Paid
from tests.run.test_usage import Metered

from duologue.challenges.mobilecs.task import ExtractionTask
from duologue.challenges.spoken.task import SpokenTask
from duologue.core.errors import UsageError
from duologue.core.identity import Identity
from duologue.core.plugins import load_task, save_card
from duologue.core.records import Annotation, Answer, Example, Record, Sample, Scoring, Turn
from duologue.report.curves import curve_page
from duologue.run.contamination import SKETCH, TRAIN, SeenError, Sketch, warnings_of_training
from duologue.run.evaluate import Truth
from duologue.run.journal import Journal
from duologue.run.resumed import Resumed
from duologue.run.robustness import forecast_robustness, robustness
from duologue.run.saved import read_report
from duologue.run.stored import stored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import TaskInfo, World

HOW = Scoring(variant="strict")


class Echo:
    """Says what the user said."""

    Recipe = Record
    seen = "nothing"
    heard: ClassVar[list[str]] = []
    external: tuple[str, ...] | None = None

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        self.heard.clear()

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        self.heard.extend(sample.history[-1].text for sample in samples)
        return [Answer(text=sample.history[-1].text, annotation=Annotation()) for sample in samples]


@pytest.fixture
def examples() -> list[Example]:
    said = ("你看过雨夜花这部电影吗？", "它的导演是谁呢？", "门票要多少钱啊？", "那里几点开门呢？") * 5
    return [
        Example(
            sample=Sample(id=str(at), dialogue_id=str(at), history=(Turn(speaker="user", text=text),)),
            references=(Answer(text=text, annotation=Annotation()),),
        )
        for at, text in enumerate(said)
    ]


def clean_of(examples: list[Example]) -> Truth:
    return Truth(examples, {"gold": [], "input": []}, "made")


def test_each_system_has_a_report_at_each_strength_and_noise_costs_an_echo_its_score(
    examples: list[Example], tmp_path: Path
) -> None:
    reports = robustness(SpokenTask(), [("echo", Echo())], clean_of(examples), [0, 1, 3], HOW, tmp_path)
    assert [(one.system, one.meta["strength"], one.meta["test_set"], one.meta["seed"]) for one in reports] == [
        ("echo", 0, "noise 0", 1),
        ("echo", 1, "noise 1", 1),
        ("echo", 3, "noise 3", 1),
    ]
    clean, some, much = (next(s.value for s in one.scores if s.name == "bleu-2") for one in reports)
    assert clean == 1
    assert clean > some > much
    assert (tmp_path / "1-echo" / "noise-1" / "result.report.json").is_file()


def test_all_systems_hear_the_same_noise(examples: list[Example], tmp_path: Path) -> None:
    task = SpokenTask()
    robustness(task, [("a", Echo())], clean_of(examples), [1], HOW, tmp_path / "a", seed=5)
    first = list(Echo.heard)
    robustness(task, [("x", Echo()), ("b", Echo())], clean_of(examples), [0.5, 1], HOW, tmp_path / "b", seed=5)
    assert Echo.heard[len(examples) :] == first


def test_a_task_without_noise_and_repeated_strengths_are_refused(examples: list[Example], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no noise model"):
        robustness(load_task("conversation"), [("echo", Echo())], clean_of(examples), [1], HOW, tmp_path)
    for strengths in ([], [1.0, 1.0], [1.0, 1.0000001]):  # the last would be written to one file
        with pytest.raises(UsageError, match="each once"):
            robustness(SpokenTask(), [("echo", Echo())], clean_of(examples), strengths, HOW, tmp_path)


def test_labels_that_move_with_the_text_need_truth_that_is_in_files(examples: list[Example], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the labels of mobilecs/extraction move with the text; give truth that is in"):
        robustness(ExtractionTask(), [("echo", Echo())], clean_of(examples), [1], HOW, tmp_path)


def test_a_report_says_strength_and_seed_and_the_way_says_what_was_done(
    examples: list[Example], tmp_path: Path
) -> None:
    shown: list[tuple[int, int]] = []
    systems: list[tuple[str, Any]] = [("a b/c", Echo()), ("d", Echo())]
    reports = robustness(
        SpokenTask(),
        systems,
        clean_of(examples),
        [0.5],
        HOW,
        tmp_path,
        seed=4,
        progress=lambda done, total, what: shown.append((done, total)),
    )
    assert [(one.system, one.seen, one.meta["seed"]) for one in reports] == [
        ("a b/c", "nothing", 4),
        ("d", "nothing", 4),
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1-a_b_c", "2-d"]
    assert shown == [(20, 20), (20, 20)]
    saved = read_report(tmp_path / "2-d" / "noise-0.5" / "result.report.json")
    assert saved.scores == reports[1].scores
    other = robustness(SpokenTask(), systems[:1], clean_of(examples), [0.5], HOW, tmp_path / "x", seed=5)
    heard = list(Echo.heard)
    robustness(SpokenTask(), systems[:1], clean_of(examples), [0.5], HOW, tmp_path / "y")
    assert Echo.heard != heard
    assert other[0].meta["seed"] == 5


@pytest.mark.parametrize("kept", [True, False], ids=["with a journal", "without"])
def test_a_report_has_the_usage_at_its_strength(examples: list[Example], tmp_path: Path, *, kept: bool) -> None:
    with Journal(tmp_path / "journal", Identity()) as journal:
        system: Any = Resumed(Metered(), journal) if kept else Metered()
        reports = robustness(SpokenTask(), [("m", system)], clean_of(examples), [0, 1], HOW, tmp_path, seed=1)
    task = SpokenTask()
    for report, strength in zip(reports, ("noise-0", "noise-1"), strict=True):
        answers = task.answers(task.read(tmp_path / "1-m" / strength / "result.json"), examples)
        said = sum(len(one.text or "") for one in answers.values())
        assert report.meta["usage"]["system"] == {"characters": said}
    assert {one.signature.prompts["system"] for one in reports} == {Metered.prompt_mark}


def test_a_model_that_saw_the_clean_truth_is_told_of_at_every_strength(tmp_path: Path) -> None:
    told = [
        Example(
            sample=Sample(
                id=str(at), dialogue_id=str(at), history=(Turn(speaker="user", text=f"你看过第{at}部电影吗？"),)
            ),
            references=(Answer(text=f"第{at}部电影我没有看过呢。", annotation=Annotation()),),
        )
        for at in range(20)
    ]
    models = {}
    for name, learned in (("knew", told), ("new", [])):
        models[name] = tmp_path / name
        sketch = Sketch.of({TRAIN: learned})
        sketch.save(models[name] / SKETCH)
        save_card(
            models[name], name="grounded", recipe=Record(), task="spoken", seed=1, data="x", data_hash="",
            sketch=sketch.hash, external=["films"],
        )  # fmt: skip
    systems = [(name, Echo()) for name in ("knew", "new", "rule")]
    reports = robustness(SpokenTask(), systems, clean_of(told), [0, 1], HOW, tmp_path / "out", models=models)
    leaks = [one.exposure is not None and one.exposure.leak for one in reports]
    assert leaks == [True, True, False, False, False, False]
    assert [one.external for one in reports] == [("films",)] * 4 + [None] * 2
    (warning, again) = warnings_of_training(reports)
    assert warning == again
    assert warning.startswith("warning: knew knew this truth: 100.0 % of 20 samples")
    assert read_report(tmp_path / "out/1-knew/noise-1/result.report.json").exposure == reports[1].exposure
    for refused, why in (("knew", "knew knew this truth"), ("rule", "nothing tells what rule was trained on")):
        out, system = tmp_path / f"no-{refused}", Echo()
        system.heard.clear()
        two = [("new", system), (refused, system)]
        with pytest.raises(SeenError, match=why):
            robustness(SpokenTask(), two, clean_of(told), [0, 1], HOW, out, models=models, unseen=True)
        assert system.heard == []
    declares = Echo()
    declares.external = ()
    two = [("new", Echo()), ("declares", declares)]
    assert robustness(SpokenTask(), two, clean_of(told), [0], HOW, tmp_path / "shown", models=models, unseen=True)
    page = curve_page(reports, title="noise")
    assert "Trained on this truth (knew)" in page
    assert "Trained on this truth (new)" not in page


def test_what_all_paid_systems_take_at_all_strengths_is_added_up(examples: list[Example]) -> None:
    task, truth = SpokenTask(), clean_of(examples)
    systems: list[tuple[str, Any]] = [("echo", Echo()), ("one", Paid(0)), ("two", Paid(0))]
    found = forecast_robustness(task, systems, truth, [0, 0.5, 1])
    assert (found.answers, found.rounds, found.left) == (120, 1, 0)
    assert found.counts["calls"] == 120
    assert [system.told for _, system in systems[1:]] == [60, 60]
    with pytest.raises(UsageError, match="'echo' costs nothing by the call"):
        forecast_robustness(task, [("echo", Echo()), ("other", Echo())], truth, [0, 1])


def test_a_system_that_takes_examples_from_the_truth_is_refused(examples: list[Example], tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text("[]", "utf-8")
    truth = Truth(examples, {"gold": [stored(tmp_path / "gold.json")], "input": []}, "made")
    copier: Any = Echo()
    copier.reads = (tmp_path / "gold.json",)
    with pytest.raises(UsageError, match=r"the examples in .*gold\.json are the file that is answered"):
        robustness(SpokenTask(), [("echo", Echo()), ("copier", copier)], truth, [1], HOW, tmp_path)


def test_a_truth_without_its_data_is_told_before_anything_is_answered(examples: list[Example], tmp_path: Path) -> None:
    """Nothing was answered, and that was told as faults of the systems' results."""
    (tmp_path / "gold.json").write_text("[]", "utf-8")
    bare = [replace(one, sample=Sample(id=one.sample.id, dialogue_id=one.sample.id)) for one in examples]
    truth = Truth(bare, {"gold": [stored(tmp_path / "gold.json")], "input": []}, "made")
    with pytest.raises(UsageError, match=r"gold\.json holds nothing that could be answered: .* of with --input$"):
        robustness(SpokenTask(), [("echo", Echo())], truth, [0, 1], HOW, tmp_path / "made")
    assert not (tmp_path / "made").exists()
