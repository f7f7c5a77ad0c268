from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.systems.planner.features import NAMES, features
from duologue.challenges.proactive.systems.planner.state import state_of, state_words, terms_of
from duologue.challenges.proactive.systems.planner.template_index import (
    AgentTurnIndex,
    agent_turns_of,
    pair_of,
    tells_of_others,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.core.records import Example

    Make = Callable[..., Path]


@pytest.fixture
def examples(sessions: Make) -> list[Example]:
    return files.load(sessions(8))


def test_a_turn_becomes_a_template_with_the_facts_of_its_session(examples: list[Example]) -> None:
    templates = [" ".join(entry.template) for entry in agent_turns_of(examples[:4])]
    assert templates == [
        "你 喜欢 看 {a.类型} 电影 吗 ？",
        "{A} 不错 ， {a.上映时间} 上映 的 。",
        "导演 {B} 是 {b.星座} 的 。",
        "身高 {b.身高} 呢 。",
    ]


def test_the_source_of_a_turn_is_its_pair_of_topics_under_that_name_in_files(examples: list[Example]) -> None:
    entry, *_ = agent_turns_of(examples[:1])
    assert entry.source == pair_of(examples[0].sample)
    assert msgspec.json.decode(msgspec.json.encode(entry))["pair"] == entry.source


def test_numbers_that_no_fact_has_are_needs(sessions: Make) -> None:
    one, *_ = agent_turns_of(files.load(sessions(1, conversation=["评分 9.5 的 片 ， 你 看 吗 ？", "看 。"])))
    assert one.needs == ("9.5",)
    assert AgentTurnIndex([one]).needed == {"9.5"}


def test_what_needs_unknown_words_is_not_found(sessions: Make) -> None:
    index = AgentTurnIndex(
        agent_turns_of(files.load(sessions(1, conversation=["评分 9.5 的 片 ， 你 看 吗 ？", "看 。"])))
    )
    asked, *_ = files.load(sessions(1, name="other.jsonl", start=3))
    assert index.search(state_of(asked.sample), limit=5, pool=5) == []


def test_found_replies_have_all_slots_filled_with_the_sample_s_own_facts(examples: list[Example]) -> None:
    index = AgentTurnIndex(agent_turns_of(examples))
    for one in examples[:4]:
        found = index.search(state_of(one.sample), limit=20, pool=20, apart=pair_of(one.sample))
        texts = [" ".join(candidate.filling.words) for candidate in found]
        assert one.references[0].text in texts
        assert len(set(texts)) == len(texts)
        assert not any("{" in text for text in texts)


def test_the_own_pair_of_topics_stays_apart(examples: list[Example]) -> None:
    index = AgentTurnIndex(agent_turns_of(examples))
    pair = pair_of(examples[0].sample)
    found = index.search(state_of(examples[0].sample), limit=50, pool=50, apart=pair)
    assert found
    assert all(index.entries[one.entry].source != pair for one in found)


def test_the_most_alike_come_first_and_no_more_than_asked_for(examples: list[Example]) -> None:
    index = AgentTurnIndex(agent_turns_of(examples))
    state = state_of(examples[1].sample)
    found = index.search(state, limit=3, pool=30)
    assert len(found) == 3
    assert [one.similarity for one in found] == sorted((one.similarity for one in found), reverse=True)
    assert found[0].similarity <= sum(weight for weight, _ in terms_of(state)) + 1e-6


def test_without_facts_only_topics_are_filled_in(examples: list[Example]) -> None:
    index = AgentTurnIndex(agent_turns_of(examples))
    found = index.search(state_of(examples[1].sample), limit=50, pool=50, facts=False)
    assert all(set(index.slots_of(one)) <= {"{A}", "{B}"} for one in found)


def test_features_are_one_named_figure_each(examples: list[Example]) -> None:
    index = AgentTurnIndex(agent_turns_of(examples))
    state = state_of(examples[2].sample)
    found = index.search(state, limit=10, pool=20)
    figures = features(state, found, index)
    assert figures.shape == (len(found), len(NAMES))
    assert len(set(NAMES)) == len(NAMES)
    assert np.isfinite(figures).all()
    of = dict(zip(NAMES, figures[0].tolist(), strict=True))
    assert of["rank"] == 0
    assert of["turn"] == 2
    assert of["characters, all"] <= 1
    assert of["A reached"] == 1


def test_a_candidate_s_figures_do_not_depend_on_the_order_of_the_bank_s_other_turns(examples: list[Example]) -> None:
    state = state_of(examples[2].sample)
    one, other = AgentTurnIndex(agent_turns_of(examples)), AgentTurnIndex(agent_turns_of(examples[::-1]))
    here = {found.filling.words: round(found.similarity, 9) for found in one.search(state, limit=99, pool=99)}
    there = {found.filling.words: round(found.similarity, 9) for found in other.search(state, limit=99, pool=99)}
    assert here == there


def test_words_tell_turn_stage_facts_and_what_was_said(examples: list[Example]) -> None:
    told = set(state_words(state_of(examples[1].sample)))
    assert {"J1", "S00", "DFS", "R:a.导演>B", "K1:{a.类型}", "K0:{b.身高}", "U:喜欢", "A:{a.类型}"} <= told


def test_a_template_tells_of_others_by_numbers_foreign_words_and_what_templates_need(examples: list[Example]) -> None:
    state = state_of(examples[1].sample)
    name = examples[1].sample.goal.topics[0].split()[0] if examples[1].sample.goal is not None else ""
    assert not tells_of_others(state, ("{A}", "真", "好看", "。", name), {name})
    assert not tells_of_others(state, tuple(state.user), set())
    for word in ("9.5", "Tom", "周杰"):
        assert tells_of_others(state, ("{A}", "像", word, "。"), {"周杰"})
    assert not tells_of_others(state, ("{A}", "像", "周杰", "。"), set())
