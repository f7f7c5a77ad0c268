from __future__ import annotations

import pytest

from duologue.core.errors import UsageError
from duologue.core.protocols import TaskInfo
from duologue.core.records import Answer, Candidate, Example, Sample, Turn
from duologue.prompts.prompt import prompt_of
from duologue.systems.endpoint.shots import ShotPool, terms

TALK = prompt_of(TaskInfo(name="talk", version="1", language="en", answers="text"))
CHOICE = prompt_of(TaskInfo(name="choice", version="1", language="en", answers="ranking"))
TOPICS = ("router is slow", "parcel is late", "bill is wrong", "phone is broken", "card is lost")


def sample(text: str, name: str = "s") -> Sample:
    candidates = tuple(Candidate(id=one, text=f"say {one}") for one in "abcd")
    return Sample(id=name, dialogue_id=name, history=(Turn(speaker="user", text=text),), candidates=candidates)


def examples() -> list[Example]:
    return [
        Example(sample=sample(f"my {topic}", topic), references=(Answer(text=f"about {topic}", ranking=("c",)),))
        for topic in TOPICS
    ]


def test_by_seed_all_samples_get_the_same_few() -> None:
    pool = ShotPool(examples(), TALK, size=100, seed=1)
    chosen = [pool.choose(sample(text), 2, "seed", "answer") for text in ("hello", "card gone")]
    assert chosen[0] == chosen[1]
    assert len(chosen[0]) == 2
    others = [
        ShotPool(examples(), TALK, size=100, seed=seed).choose(sample("x"), 2, "seed", "answer") for seed in range(8)
    ]
    assert len({str(one) for one in others}) > 1


def test_the_most_similar_one_stands_last_and_none_is_the_sample_itself() -> None:
    pool = ShotPool(examples(), TALK, size=100, seed=1)
    chosen = pool.choose(sample("the card was lost"), 2, "similar", "answer")
    assert chosen[-1][1].content == "about card is lost"
    itself = pool.choose(sample("my card is lost"), 5, "similar", "answer")
    assert len(itself) == 4
    assert "about card is lost" not in {shot[1].content for shot in itself}


def test_no_more_are_looked_at_than_allowed() -> None:
    pool = ShotPool(examples(), TALK, size=2, seed=1)
    assert len(pool.choose(sample("x"), 5, "similar", "answer")) == 2


def test_the_right_candidate_stands_at_any_place() -> None:
    many = [Example(sample=sample(str(n), str(n)), references=(Answer(ranking=("c",)),)) for n in range(40)]
    pool = ShotPool(many, CHOICE, size=100, seed=1)
    said = [shot[1].content for shot in pool.choose(sample("x"), 40, "seed", "best")]
    assert set(said) == set("ABCD")
    pairs = pool.choose(sample("x"), 40, "seed", "best", pair=True)
    assert {shot[1].content for shot in pairs} == {"A", "B"}
    assert all("say c" in shot[0].content and "\nC. " not in shot[0].content for shot in pairs)


def test_examples_without_a_reply_are_none() -> None:
    with pytest.raises(UsageError, match="holds none that could be told"):
        ShotPool([Example(sample=sample("x"))], TALK, size=9, seed=1)


def test_terms_of_chinese_are_pairs_of_signs() -> None:
    assert terms("Ab 流量包 好") == ["ab", "流量", "量包", "好"]
