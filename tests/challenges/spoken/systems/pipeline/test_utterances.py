from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.systems.pipeline.utterances import (
    LabelledUtterance,
    balanced,
    labelled_utterances,
)
from duologue.challenges.spoken.systems.training_data import gold_facts

if TYPE_CHECKING:
    from pathlib import Path


def test_each_utterance_stands_once_with_the_names_of_its_dialogue(golden: Path) -> None:
    examples = files.load(golden / "contract" / "valid.json")
    lines = [line for line in labelled_utterances(examples) if line.names]
    assert lines
    texts = {turn.text for one in examples for turn in one.sample.history}
    texts |= {one.references[0].text or "" for one in examples}
    known = {fact.subject.partition("（")[0] for one in examples for fact in gold_facts(one)}
    for line in lines:
        assert line.text in texts
        assert {line.text[start:end] for start, end in line.names} <= known
    spans = [span for line in lines for span in line.names]
    assert all(start < end for start, end in spans)


def test_examples_without_replies_have_no_facts(golden: Path) -> None:
    assert [gold_facts(one) for one in files.load(golden / "small-test.json")] == [()] * 2


def test_utterances_without_names_are_as_many_as_those_with() -> None:
    named, plain = LabelledUtterance("青石岛", ((0, 3),)), [LabelledUtterance(text, ()) for text in ("好", "对", "嗯")]
    kept = balanced([*plain, named])
    assert len(kept) == 2
    assert named in kept
    assert kept == balanced([named, *reversed(plain)])
