from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.proactive.systems.planner.clauses import Clause, Subject, clauses_of
from duologue.challenges.proactive.systems.planner.recombination import (
    MEASURES,
    Recombination,
    RecombinationWeights,
    WeighedReply,
)
from duologue.challenges.proactive.systems.planner.slots import Filling, SlotValue

if TYPE_CHECKING:
    from collections.abc import Callable

NOWHERE = Subject()
VALUES = {
    "{A}": SlotValue("{A}", ("海",)),
    "{B}": SlotValue("{B}", ("云",)),
    "{b.身高}": SlotValue("{b.身高}", ("180cm",)),
}


def reply(text: str) -> tuple[Clause, ...]:
    template = tuple(text.split())
    used = tuple(VALUES[word] for word in template if word in VALUES)
    words = tuple(part for word in template for part in (VALUES[word].words if word in VALUES else (word,)))
    return clauses_of(template, Filling(words, used), NOWHERE, "FS")


def replies(
    *texts: str, predicted: tuple[float, ...] = (), sound: Callable[[Filling], bool] = lambda _: True
) -> list[str]:
    """Return the replies made of some, the best first, with agreement alone."""
    weights = RecombinationWeights(prior=0.0, words=0.0, temperature=10.0)
    values = predicted or (0.0,) * len(texts)
    made = Recombination([reply(text) for text in texts], values, weights, lambda _: 0.0)
    return ["".join(one.filling.words) for one in made.replies(NOWHERE, sound)]


def test_what_most_begin_with_is_joined_to_what_most_end_with() -> None:
    best = replies("我 知道 ， 你 呢 。", "我 知道 ， 再见 。", "好 啊 ， 再见 。", "谁 呀 ， 再见 。", "我 知道 。")
    assert best[0] == "我知道，再见。"
    joined = replies("我 知道 ， 你 呢 。", "我 知道 ， 走 吧 。", "嗯 嗯 ， 再见 。", "呵 呵 ， 再见 。")
    assert joined[0] == "我知道，再见。"


def test_without_rounds_the_candidates_themselves_are_weighed() -> None:
    candidates = [reply(text) for text in ("嗯 嗯 ， 你 呢 。", "我 知道 ， 再见 。", "我 知道 ， 走 吧 。")]
    made = Recombination(candidates, (0.0, 0.0, 0.5), RecombinationWeights(rounds=0), lambda _: 0.0)
    found = [one.clauses for one in made.replies(NOWHERE, lambda _: True)]
    assert sorted(found) == sorted(candidates)
    assert found[0] == candidates[2]


def test_no_fact_changes_its_subject() -> None:
    made = replies("{A} 好看 ， 去 看 。", "{B} 好看 ， 身高 {b.身高} 。", "{B} 好看 ， {A} 也 好看 。")
    assert "海好看，去看。" in made
    assert "云好看，海也好看。" in made
    assert "海好看，身高180cm。" not in made  # the height is that of B
    assert "云好看，去看。" not in made  # one goes to see films


def test_nothing_is_said_or_asked_twice() -> None:
    texts = (
        "{A} 好看 ， 再见 。",
        "好 ， {A} 好看 。",
        "去 吗 ？ 走 。",
        "走 ， 去 吗 ？",
        "他 好 ， 对 。",
        "对 ， 她 好 。",
    )
    made = replies(*texts)
    for text in made:
        assert text.count("海") <= 1
        assert text.count("？") <= 1
        assert not {"他", "她"} <= set(text)


def test_a_reply_that_breaks_a_rule_is_not_made() -> None:
    texts = "我 知道 ， 你 呢 。", "嗯 嗯 ， 再见 。", "呵 呵 ， 再见 。"
    assert "我知道，再见。" in replies(*texts)
    assert "我知道，再见。" not in replies(*texts, sound=lambda one: "知道" not in one.words)


def test_the_ranker_s_best_weighs_most() -> None:
    weights = RecombinationWeights(prior=0.0, temperature=0.01)
    texts = [reply(text) for text in ("甲 甲 。", "乙 乙 。", "乙 丙 。")]
    (best, *_) = Recombination(texts, (0.9, 0.1, 0.1), weights, lambda _: 0.0).replies(NOWHERE, lambda _: True)
    assert "".join(best.filling.words) == "甲甲。"


def test_a_bonus_and_the_ranker_s_word_count_besides() -> None:
    texts = [reply(text) for text in ("甲 甲 。", "乙 乙 。")]
    weights = RecombinationWeights(prior=1.0, temperature=10.0)
    plain = Recombination(texts, (0.5, 0.4), weights, lambda _: 0.0).replies(NOWHERE, lambda _: True)
    assert [round(one.worth, 4) for one in plain] == [0.5, 0.4]
    fresh = Recombination(texts, (0.5, 0.4), weights, lambda words: 0.1 * words.count("乙"))
    assert [round(one.worth, 4) for one in fresh.replies(NOWHERE, lambda _: True)] == [0.6, 0.5]


def test_one_candidate_of_one_clause_stays_as_it_is() -> None:
    assert replies("好 。") == ["好。"]


def test_measures_tell_what_a_reply_is_made_of() -> None:
    texts = [reply(text) for text in ("甲 甲 ， 丙 。", "甲 乙 。")]
    made = Recombination(texts, (0.5, 0.4), RecombinationWeights(temperature=10.0), lambda _: 0.0)
    replies = [WeighedReply(one, 0.0) for one in texts]
    first, second = (dict(zip(MEASURES, row, strict=True)) for row in made.measures(replies).tolist())
    assert first["characters"] == 5
    assert (first["clauses"], second["clauses"]) == (2, 1)
    assert (first["predicted"], first["least predicted"]) == pytest.approx((0.5, 0.5))
    assert first["characters shared, F1"] == pytest.approx((1.0 + 2 * 2 / 8) / 2, abs=0.01)
    assert second["words shared, F1"] == pytest.approx((1.0 + 2 * 2 / 8) / 2, abs=0.01)
    assert first["pairs shared, of all"] > second["pairs shared, of all"] > 0
