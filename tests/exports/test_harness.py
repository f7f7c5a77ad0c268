from __future__ import annotations

from pathlib import Path

import pytest

from duologue.core.errors import UsageError
from duologue.core.plugins import load_task
from duologue.core.records import Answer
from duologue.exports.harness import HarnessItem, LmEvalHarness, documents, score_answers

SESSIONS = Path(__file__).resolve().parents[1] / "golden/proactive/contract/sessions.txt"


def test_choices_are_ranked_by_likelihood_and_equal_ones_stay_in_order() -> None:
    harness = LmEvalHarness("restaurant", Path(), "x", (), ("p@1", "mrr"))
    doc = {"id": "a", "choices": ["x", "y", "z"]}
    item = HarnessItem("a", (1, 0, 2))
    assert harness.process_results(doc, [(-2.0, False), (-1.0, True), (-2.0, False)]) == {"p@1": item, "mrr": item}
    assert harness.process_results({"id": "b"}, [" hello \n"])["mrr"] == HarnessItem("b", "hello")


def test_only_what_was_asked_counts() -> None:
    task = load_task("proactive")
    examples = list(task.load(SESSIONS))
    (first, *_) = examples
    report = score_answers(task, examples, {first.sample.id: Answer(text=first.references[0].text)})
    assert report.n == 1
    assert next(one.value for one in report.scores if one.name == "f1") == 1


def test_a_document_has_the_prompt_and_the_truth_and_none_without_truth() -> None:
    task = load_task("proactive")
    examples = list(task.load(SESSIONS))
    row = documents(task, examples)[0]
    assert row["target"] == examples[0].references[0].text
    assert row["prompt"].endswith("系统：")
    assert row["target"] not in row["prompt"]
    bare = [type(one)(sample=one.sample) for one in examples]
    with pytest.raises(UsageError, match="has no truth"):
        documents(task, bare)
