from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from duologue.challenges.spoken.formats import files
from duologue.challenges.spoken.systems.grounded.features import NONE, CorpusCounts, candidate_pairs
from duologue.challenges.spoken.systems.grounded.trainer import RankerData, corpus_counts, training_turns
from duologue.challenges.spoken.systems.grounded.user_turns import user_turns, without_silence
from duologue.challenges.spoken.systems.training_data import gold_facts
from duologue.core.disk import write_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.challenges.spoken.systems.grounded.dialogue_state import DialogueState, StateTracker
    from duologue.core.records import Example

FILM = "雾港（2015年电影）"


def dialogue(folder: Path, tracker: StateTracker) -> list[Example]:
    """A dialogue in which the user tells of the graph in the first turn and in the third."""
    first, other = (value.fact for value in tracker.profile(FILM).values[:2])
    attrs = [
        [{"name": one.subject, "attrname": one.relation, "attrvalue": one.object}] for one in (first, other, first)
    ]
    messages = [
        {"message": "你看过雾港吗？", "attrs": attrs[0]},
        {"message": "看过的。"},
        {"message": "我也看过，主演很好。", "attrs": attrs[1]},
        {"message": "是啊，谁演的都好。", "attrs": attrs[2]},
        {"message": "再见！"},
        {"message": "再见！"},
    ]
    path = folder / "train.json"
    write_text(path, msgspec.json.encode([{"name": FILM, "messages": messages}]).decode())
    return files.load(path)


def test_a_users_turn_with_triples_is_an_example_of_its_own(tmp_path: Path, tracker: StateTracker) -> None:
    examples = dialogue(tmp_path, tracker)
    (found,) = user_turns(examples)
    assert [turn.text for turn in found.sample.history] == ["你看过雾港吗？", "看过的。"]
    assert found.references[0].text == "我也看过，主演很好。"
    assert gold_facts(found) == (tracker.profile(FILM).values[1].fact,)
    assert (found.sample.id, found.sample.dialogue_id) == ("0#3 asked", "0")


def test_no_sample_tells_what_the_user_drew_on(tmp_path: Path, tracker: StateTracker) -> None:
    examples = dialogue(tmp_path, tracker)
    assert examples[1].asked is not None
    assert all(turn.annotation is None for one in examples for turn in one.sample.history)


def test_users_turns_are_ranked_without_silence_and_compared_with(tmp_path: Path, tracker: StateTracker) -> None:
    examples = dialogue(tmp_path, tracker)
    users = list(user_turns(examples))
    corpus = corpus_counts(examples, limit=2)
    data = RankerData.of([(one, tracker) for one in examples], corpus, 1, users=[(one, tracker) for one in users])
    assert len(data.rows) == len(examples) + 1
    assert all(row.utility.any() for row in data.rows)
    alone = RankerData.of([(one, tracker) for one in examples], corpus, 1)
    assert [len(row.templates) for row in data.rows[:-1]] == [len(row.templates) for row in alone.rows]
    turns = training_turns(examples, users)
    assert turns[-1] == (["看过的。", "你看过雾港吗？"], (gold_facts(users[0])[0].relation,), "0")


def test_silence_is_the_first_candidate(phonetic: Callable[..., DialogueState], tracker: StateTracker) -> None:
    pairs = candidate_pairs(phonetic("雾港的主演有谁？"), tracker, CorpusCounts({}, {}))
    left = without_silence(pairs)
    assert [NONE, *left.pairs] == pairs.pairs
    assert np.array_equal(left.features, pairs.features[1:])
    assert left.attributes == pairs.attributes[1:]
