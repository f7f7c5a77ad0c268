from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.growth import LINEAR, growth

from duologue.challenges.restaurant.formats.files import load
from duologue.core.protocols import System, TaskInfo
from duologue.core.records import Candidate, Record, Sample, Turn
from duologue.systems.baselines import MedoidRanker, RandomRanker, TfidfRanker, tokens

INFO = TaskInfo(name="any", version="1", language="en", answers="ranking")


def sample(name: str, utterances: list[str], candidates: list[str]) -> Sample:
    return Sample(
        id=name,
        dialogue_id=name,
        history=tuple(Turn(speaker="user", text=text) for text in utterances),
        candidates=tuple(Candidate(id=f"{name}.{place}", text=text) for place, text in enumerate(candidates)),
    )


def by_chance(seed: int, samples: list[Sample]) -> list[tuple[str, ...] | None]:
    ranker = RandomRanker(Record())
    ranker.prepare(INFO, seed, {})
    return [answer.ranking for answer in ranker.answer(samples)]


def by_words(samples: list[Sample]) -> list[tuple[str, ...] | None]:
    return [answer.ranking for answer in TfidfRanker(Record()).answer(samples)]


@given(seed=st.integers(), names=st.lists(st.text(max_size=5), unique=True, max_size=4), size=st.integers(0, 12))
def test_a_random_order_depends_on_seed_and_sample_alone(seed: int, names: list[str], size: int) -> None:
    samples = [sample(name, [], ["x"] * size) for name in names]
    together = by_chance(seed, samples)
    assert together == [by_chance(seed, [alone])[0] for alone in samples]
    for ranking, one in zip(together, samples, strict=True):
        assert ranking is not None
        assert sorted(ranking) == sorted(candidate.id for candidate in one.candidates)


def test_random_orders_differ_between_seeds_and_samples_and_stay_the_same_over_time() -> None:
    samples = [sample(name, [], ["x"] * 5) for name in ("a", "b")]
    assert by_chance(1, samples) != by_chance(2, samples)
    (first, second) = by_chance(1, samples)
    assert first is not None
    assert second is not None
    assert [name.removeprefix("a.") for name in first] != [name.removeprefix("b.") for name in second]
    assert first == ("a.2", "a.4", "a.0", "a.3", "a.1")


def test_random_places_are_even() -> None:
    rankings = by_chance(3, [sample(str(number), [], ["x"] * 4) for number in range(2_000)])
    firsts = [(ranking or ("",))[0].split(".")[1] for ranking in rankings]
    assert all(abs(firsts.count(place) / 2_000 - 0.25) < 4 * math.sqrt(0.25 * 0.75 / 2_000) for place in "0123")


def test_tokens_are_words_of_two_or_more_characters() -> None:
    assert tokens("I'd like A table at the_old_inn, ok? caf\u00e9") == [
        *("like", "table", "at", "the_old_inn", "ok", "caf\u00e9"),
    ]


def test_rare_words_of_the_dialogue_count_more_and_ties_keep_their_place() -> None:
    one = sample("a", ["the cat", "sat"], ["the", "cat", "dog", "cat", "unheard words", "the cat"])
    two = sample("b", ["the dog"], ["dog", "the", "cat"])
    three = sample("c", ["the rain"], [])
    assert by_words([one, two, three]) == [
        ("a.5", "a.1", "a.3", "a.0", "a.2", "a.4"),
        ("b.0", "b.1", "b.2"),
        (),
    ]
    # by hand: idf(the) = ln(4/4) + 1 = 1, idf(cat) = ln(4/2) + 1 = 1.693; dialogue a: the, cat and sat, so
    # "the cat" (1 + 1.693^2) / sqrt(1 + 1.693^2) = 1.966 > "cat" 1.693 > "the" 1


def test_a_fit_sees_all_dialogues_that_are_given() -> None:
    one = sample("a", ["red blue"], ["red green", "blue green"])
    others = [sample(name, ["red green"], []) for name in "bc"]
    assert by_words([one]) == [("a.0", "a.1")]
    assert by_words([one, *others])[0] == ("a.1", "a.0"), "red is frequent now, blue rare"
    assert TfidfRanker.whole_file


@given(st.lists(st.lists(st.text(max_size=8), max_size=4), max_size=5))
def test_odd_texts_are_ranked_completely(texts: list[list[str]]) -> None:
    samples = [sample(str(number), words, words[::-1]) for number, words in enumerate(texts)]
    for ranking, one in zip(by_words(samples), samples, strict=True):
        assert ranking is not None
        assert sorted(ranking) == sorted(candidate.id for candidate in one.candidates)


def test_the_same_words_in_any_order_tie_and_keep_their_place() -> None:
    # Summed in the order of each text, the third of these is ahead by a rounding.
    shuffled = ["words here make rain", "make words here rain", "make rain here words", "make words rain here"]
    asked = sample("a", ["while words make differ words while", "falls many rain make here"], shuffled)
    others = [sample(name, [text], []) for name, text in (("b", "while there here small"), ("c", "falls there sums"))]
    assert by_words([asked, *others])[0] == ("a.0", "a.1", "a.2", "a.3")


def test_both_are_systems_without_options() -> None:
    for system in (RandomRanker(Record()), TfidfRanker()):
        assert isinstance(system, System)
        system.prepare(INFO, 1, {})
        assert system.answer([]) == []
        assert system.Recipe is Record


TFIDF = Path(__file__).resolve().parents[1] / "golden" / "restaurant" / "official" / "tfidf"
TASKS = ("1API", "2REFINE", "3OPTIONS", "4INFOS", "5FULL")
OFFICIAL = {  # printed by the official programs (specification, section 10): P@1, P@2, P@5
    "release_a/tst1": [(0.033, 0.106, 0.539), (0.204, 0.346, 0.653), (0.203, 0.383, 0.789), (0.336, 0.679, 0.810),
                       (0.146, 0.292, 0.678)],
    "release_a/tst2": [(0.038, 0.095, 0.537), (0.194, 0.340, 0.640), (0.193, 0.359, 0.773), (0.352, 0.691, 0.810),
                       (0.141, 0.283, 0.693)],
    "release_b/tst1": [(0.003, 0.023, 0.427), (0.046, 0.179, 0.607), (0.024, 0.056, 0.646), (0.000, 0.000, 0.799),
                       (0.046, 0.095, 0.702)],
    "release_b/tst2": [(0.000, 0.024, 0.399), (0.053, 0.165, 0.584), (0.022, 0.060, 0.614), (0.000, 0.000, 0.790),
                       (0.035, 0.072, 0.667)],
}  # fmt: skip


def precisions(folder: Path, task: int) -> list[float]:
    kb = folder.name.replace("tst", "kb")
    path = folder / f"dialog-task{TASKS[task]}-{kb}_atmosphere-distr0.5-tst1000.json.gz"
    samples = [example.sample for example in load(path)]
    truth = load(path.with_name(path.name.replace(".json", ".answers.json")))
    ranks = [
        (ranking or ()).index((gold.references[0].ranking or ("",))[0])
        for ranking, gold in zip(by_words(samples), truth, strict=True)
    ]
    return [sum(rank < k for rank in ranks) / len(ranks) for k in (1, 2, 5)]


def test_a_file_of_our_own_is_ranked_as_by_the_official_program(tmp_path: Path) -> None:
    case = json.loads((TFIDF / "ties.json").read_bytes())
    (tmp_path / "data.json").write_text(json.dumps(case["files"]["data.json"]), encoding="utf-8")
    samples = [example.sample for example in load(tmp_path / "data.json")]
    assert by_words(samples) == [
        tuple(one["candidate_id"] for one in sorted(row["lst_candidate_id"], key=lambda one: one["rank"]))
        for row in case["output_files"]["result.json"]
    ]


@pytest.mark.real_data(twin="test_a_file_of_our_own_is_ranked_as_by_the_official_program")
def test_a_file_scores_as_with_the_official_program(real_restaurant: Path) -> None:
    assert precisions(real_restaurant / "release_a" / "tst1", 0) == list(OFFICIAL["release_a/tst1"][0])


@pytest.mark.slow
@pytest.mark.parametrize("part", OFFICIAL)
@pytest.mark.real_data(twin="test_a_file_of_our_own_is_ranked_as_by_the_official_program")
def test_all_files_score_as_with_the_official_program(real_restaurant: Path, part: str) -> None:
    found = [precisions(real_restaurant / part, task) for task in range(len(TASKS))]
    assert found == [list(official) for official in OFFICIAL[part]]


def by_likeness(samples: list[Sample]) -> list[tuple[str, ...] | None]:
    return [answer.ranking for answer in MedoidRanker(Record()).answer(samples)]


def test_the_candidate_that_is_most_like_the_others_comes_first_whatever_was_said() -> None:
    calls = ["api_call thai rome", "api_call thai paris", "api_call french paris", "api_call thai bonn"]
    for said in ([], ["french food in paris please"]):
        assert by_likeness([sample("a", said, calls)]) == [("a.1", "a.0", "a.3", "a.2")]
    assert by_likeness([sample("a", [], ["x x y", "x y y", "x x"])]) == [("a.0", "a.2", "a.1")]  # words count as often


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c"]), max_size=4).map(" ".join), max_size=9))
def test_likeness_is_that_of_counted_words_added_up_in_their_order(texts: list[str]) -> None:
    words = [Counter(text.split()) for text in texts]
    scores = [0.0] * len(words)
    for (one, here), (other, there) in combinations(enumerate(words), 2):
        both = here.total() + there.total()
        likeness = 2 * (here & there).total() / both if both else 1.0
        scores[one] += likeness
        scores[other] += likeness
    order = sorted(range(len(texts)), key=lambda place: -round(scores[place], 9))
    assert by_likeness([sample("a", [], texts)]) == [tuple(f"a.{place}" for place in order)]


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c"]), max_size=4).map(" ".join), max_size=6))
def test_likeness_ranks_each_candidate_once_and_ties_keep_their_order(texts: list[str]) -> None:
    ((ranking,), (same,)) = by_likeness([sample("a", [], texts)]), by_likeness([sample("a", [], ["x"] * len(texts))])
    assert ranking is not None
    assert same == tuple(f"a.{place}" for place in range(len(texts)))
    assert sorted(ranking) == sorted(same)


def test_many_candidates_take_in_proportion_to_their_number() -> None:
    """Five thousand took six seconds: each was held against each."""

    def many(n: int) -> list[Sample]:
        return [sample("a", [], [f"may i have some {number} " + "of it " * (number % 7) for number in range(n)])]

    assert growth(many, by_likeness, 400) < LINEAR
