from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.exports.conftest import read_elsewhere

from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.records import Answer
from duologue.exports.harness import documents
from duologue.exports.lm_eval_task import to_lm_eval
from duologue.run import evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.core.records import Report
    from duologue.exports.hub import ExportDetails

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
TEXTS = {
    "conversation": GOLDEN / "conversation/contract/evaluation.txt",
    "proactive": GOLDEN / "proactive/contract/sessions.txt",
    "spoken": GOLDEN / "spoken/contract/valid.json",
    "mobilecs/dialogue": GOLDEN / "mobilecs/dialogue/contract/dialogues.json",
}


class ExportedTask(NamedTuple):
    """An exported task, written into a folder, with its data and truth files."""

    folder: Path
    data: Path
    golds: list[Path]


@pytest.fixture(params=["restaurant", *TEXTS])
def exported(request: Any, booking: Path, details: ExportDetails, tmp_path: Path) -> ExportedTask:
    """One exported task of each challenge."""
    data, golds = TEXTS.get(request.param), []
    if data is None:
        (data,) = booking.glob("tst1/*tst4.json")
        golds = [data.with_name(data.name.replace(".json", ".answers.json"))]
    folder = tmp_path / "task"
    for name, content in to_lm_eval(request.param, data, golds, details._replace(name="")).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        assert str(tmp_path).encode() not in content
    return ExportedTask(folder, data, golds)


def wanted(name: str, one: ExportedTask, answers: Sequence[tuple[str, Answer]]) -> Report:
    """Return the report of answers, made as by `run` and `score`."""
    task = load_task(name)
    path = one.folder / "mine.json"
    task.write(list(task.load(one.data)), answers, path)
    return evaluate.score(task, one.golds or [one.data], path, evaluate.scoring(task, partial=True))


def answer_of(doc: dict[str, Any], choices: list[str]) -> tuple[list[Any], Answer]:
    """Return what lm-eval would hand over for a document, and the same as our answer."""
    if "choices" not in doc:
        text = doc["target"][::-1] if len(doc["id"]) % 2 else doc["target"] + " 的 。"
        return [f" {text}\n"], Answer(text=text.strip())
    likelihoods = [(-float(len(text) % 3), False) for text in doc["choices"]]
    places = sorted(range(len(choices)), key=lambda place: -likelihoods[place][0])
    return likelihoods, Answer(ranking=tuple(choices[place] for place in places))


@pytest.mark.slow
def test_the_figures_of_the_exported_task_are_those_of_score(exported: ExportedTask, request: Any) -> None:
    name = request.node.callspec.params["exported"]
    module = module_of(exported.folder)
    task = load_task(name)
    golds = exported.golds
    truth = evaluate.Truth.of(task, golds, exported.data) if golds else evaluate.Truth.of(task, [exported.data])
    items: dict[str, list[Any]] = {}
    answers = []
    for doc, example in zip(documents(task, truth.examples), truth.examples, strict=True):
        results, answer = answer_of(doc, [one.id for one in example.sample.candidates])
        answers.append((doc["id"], answer))
        for score, item in module.process_results(doc, results).items():
            items.setdefault(score, []).append(item)
    report = wanted(name, exported, answers)
    values = {one.name: one.value for one in report.scores}
    assert items
    assert {score: module.harness.aggregation(score)(held) for score, held in items.items()} == {
        score: values[score] for score in items
    }


def module_of(folder: Path) -> Any:
    """Return the module that lm-eval imports from the folder."""
    spec = importlib.util.spec_from_file_location("scores", folder / "scores.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_a_language_model_cannot_answer_is_refused(booking: Path, details: ExportDetails, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a language model's are texts or choices"):
        to_lm_eval("mobilecs/extraction", GOLDEN / "mobilecs/extraction/contract/raw.json", [], details)
    (data,) = booking.glob("tst1/*tst4.json")
    with pytest.raises(UsageError, match="give it with --gold"):
        to_lm_eval("restaurant", data, [], details)
    truth = data.with_name(data.name.replace(".json", ".answers.json"))
    copy = tmp_path / truth.name
    copy.write_bytes(truth.read_bytes() + b"\n")
    with pytest.raises(UsageError, match="one name"):
        to_lm_eval("restaurant", data, [truth, copy], details)


RUN = """
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

class Odd(LM):
    def loglikelihood(self, requests):
        return [(-float(len(one.args[1].removeprefix(" ")) % 3), False) for one in requests]
    def generate_until(self, requests):
        return [one.doc["target"][::-1] if len(one.doc["id"]) % 2 else one.doc["target"] + " 的 。" for one in requests]
    def loglikelihood_rolling(self, requests):
        raise NotImplementedError

manager = TaskManager(include_path=sys.argv[1], include_defaults=False)
found = simple_evaluate(model=Odd(), tasks=[sys.argv[2]], task_manager=manager, bootstrap_iters=0)
told = found["results"][sys.argv[2]]
print(json.dumps({name.partition(",")[0]: value for name, value in told.items() if name.endswith(",none")}))
"""


@pytest.mark.slow
def test_lm_eval_runs_the_task_to_the_same_figures(exported: ExportedTask, request: Any) -> None:
    name = request.node.callspec.params["exported"]
    called = next(exported.folder.glob("*.yaml")).stem
    found = read_elsewhere("lm_eval", RUN, exported.folder, called)
    task = load_task(name)
    golds = exported.golds
    truth = evaluate.Truth.of(task, golds, exported.data) if golds else evaluate.Truth.of(task, [exported.data])
    docs = documents(task, truth.examples)
    answers = [
        (doc["id"], answer_of(doc, [one.id for one in example.sample.candidates])[1])
        for doc, example in zip(docs, truth.examples, strict=True)
    ]
    values = {one.name: one.value for one in wanted(name, exported, answers).scores}
    told = {score: value for score, value in found.items() if not score.endswith("_stderr")}
    assert told
    assert told == {score: values[score] for score in told}
