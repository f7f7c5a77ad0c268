from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.systems.template_nlg.training_pairs import (
    near_duplicates,
    training_replies,
)
from duologue.challenges.spoken.systems.training_data import split_by_dialogue

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.core.records import Example


def copied(example: Example) -> Example:
    name = f"copy-{example.sample.dialogue_id}"
    sample = msgspec.structs.replace(example.sample, id=f"copy-{example.sample.id}", dialogue_id=name)
    return msgspec.structs.replace(example, sample=sample)


def with_more(example: Example) -> Example:
    reply = msgspec.structs.replace(example.references[0], text=f"{example.references[0].text}我们去看看吧真的")
    return msgspec.structs.replace(example, references=(reply,))


def long_talks(golden: Path) -> list[Example]:
    """The dialogues of which at least three replies are long."""
    examples = files.load(golden / "contract" / "valid.json")
    long = [one.sample.dialogue_id for one in examples if len(one.references[0].text or "") > 8]
    return [one for one in examples if long.count(one.sample.dialogue_id) >= 3]


def test_copies_of_a_dialogue_are_its_kin(golden: Path) -> None:
    examples = long_talks(golden)
    longer = [with_more(one) for one in examples]
    duplicate_of = near_duplicates([*longer, *map(copied, longer)])
    names = {one.sample.dialogue_id for one in longer}
    assert names
    assert all(duplicate_of[f"copy-{name}"] == name for name in names)
    assert all(head == name for name, head in near_duplicates(examples).items())


def test_the_replies_without_text_teach_nothing(golden: Path) -> None:
    examples = files.load(golden / "contract" / "valid.json")
    empty = [msgspec.structs.replace(one, references=()) for one in examples]
    assert training_replies(empty, []) == ([], [])
    training, _ = training_replies(examples, [])
    assert [one.reranked.reference for one in training] == [one.references[0].text for one in examples]


def test_dialogues_are_held_out_whole(golden: Path) -> None:
    training, _ = training_replies(files.load(golden / "contract" / "valid.json"), [])
    learned, validation = split_by_dialogue(training, lambda one: one.entry.source, 0.3, 1)
    here, there = ({one.entry.source for one in part} for part in (learned, validation))
    assert here.isdisjoint(there)
    assert len(there) == round(0.3 * len(here | there))
    assert split_by_dialogue(training, lambda one: one.entry.source, 0.3, 1) == (learned, validation)
