from __future__ import annotations

from pathlib import Path

import msgspec

from duologue.core.plugins import load_task
from duologue.core.records import Answer
from duologue.judges.items import items_of, whole_dialogues

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def test_replies_stand_in_their_contexts_and_missing_ones_are_counted() -> None:
    task = load_task("conversation")
    examples = list(task.load(GOLDEN / "conversation/contract/evaluation.txt"))
    answers = {one.sample.id: Answer(text=f"reply to {one.sample.id}") for one in examples[1:]}
    found = items_of(task, examples, answers, "reply")
    assert found.missing == 1
    assert len(found.items) == len(examples) - 1
    one = found.items[examples[1].sample.id]
    assert one.sample.history == examples[1].sample.history
    assert one.reply == f"reply to {one.id}"


def test_a_call_is_made_of_the_system_s_own_replies_and_needs_all_of_them() -> None:
    task = load_task("mobilecs/dialogue")
    examples = list(task.load(GOLDEN / "mobilecs/dialogue/contract/dialogues.json"))
    answers = {one.sample.id: Answer(text=f"答 {one.sample.id}") for one in examples}
    found = items_of(task, examples, answers, "dialogue")
    assert found.missing == 0
    assert set(found.items) == {one.sample.dialogue_id for one in examples}
    for item in found.items.values():
        said = [turn.text for turn in item.dialogue if turn.speaker == "system"]
        assert said == [f"答 {one.sample.id}" for one in examples if one.sample.dialogue_id == item.id]
    lacking = {name: answer for name, answer in answers.items() if name != examples[0].sample.id}
    less = items_of(task, examples, lacking, "dialogue")
    assert less.missing == 1
    assert set(found.items) - set(less.items) == {examples[0].sample.dialogue_id}


def test_whole_dialogues_end_with_the_last_words_of_the_system() -> None:
    task = load_task("proactive")
    examples = list(task.load(GOLDEN / "proactive/contract/sessions.txt"))
    found = whole_dialogues(task, examples)
    assert found.missing == 0
    last = {one.sample.dialogue_id: one for one in examples}
    for name, item in found.items.items():
        assert item.reply == last[name].references[0].text
        assert item.dialogue[:-1] == last[name].sample.history
    bare = [msgspec.structs.replace(one, references=()) for one in examples]
    assert whole_dialogues(task, bare).missing == len(last)


def test_whole_calls_have_what_both_sides_say() -> None:
    """Samples of calls hold the user's turns alone: the judge saw no reply but the last."""
    task = load_task("mobilecs/dialogue")
    examples = list(task.load(GOLDEN / "mobilecs/dialogue/contract/dialogues.json"))
    found = whole_dialogues(task, examples)
    assert found.missing == 0
    for name, item in found.items.items():
        turns = [one for one in examples if one.sample.dialogue_id == name]
        replies = [one.references[0].text for one in turns]
        assert [turn.text for turn in item.dialogue if turn.speaker == "system"] == replies
        assert [turn.text for turn in item.dialogue if turn.speaker == "user"] == [
            one.sample.history[-1].text for one in turns
        ]
