from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from duologue.arena.annotation.items import AnnotationItem
from duologue.arena.annotation.measures import measure, paired, welch
from duologue.arena.annotation.sheets import DialogueWork, Sheet
from duologue.core.records import Dialogue, Turn

DIALOGUE = Dialogue(id="a", turns=(Turn(speaker="user", text="套餐十元"),))


def mark(name: str, label: str = "套餐", start: int = 0, *, confirmed: bool = True) -> AnnotationItem:
    return AnnotationItem(
        id=name, layer="mention", turn=0, label=label, start=start, end=start + 1, entity="ent-1", confirmed=confirmed
    )


SUGGESTED = [mark("s1", confirmed=False), mark("s2", start=1, confirmed=False)]


def sheet(items: list[AnnotationItem], *, assisted: bool, seconds: int = 10) -> Sheet:
    return Sheet(
        id="x", dialogue_id="a", person_id="anna", role="annotator", status="done", assisted=assisted,
        suggested=SUGGESTED, suggested_by="a system", items=items, version=1, active_ms=seconds * 1000,
        leased_until=0, started_at=0, saved_at=0, done_at=1,
    )  # fmt: skip


def work(*sheets: Sheet) -> DialogueWork:
    return DialogueWork("a", "a", DIALOGUE, len(sheets), bool(sheets), SUGGESTED, list(sheets))


def test_states_times_and_how_far_suggestions_are_followed_by_hand() -> None:
    followed = sheet([mark("s1"), mark("s2", "流量包", 1), mark("n1", start=3)], assisted=True, seconds=10)
    alone = sheet([mark("m1", start=2)], assisted=False, seconds=40)
    found = measure([work(followed, alone), work(followed)])
    assert found.states == Counter(confirmed=2, changed=2, added=2)
    assert found.share("confirmed") == found.share("changed") == 0.5
    assert (found.assisted, found.control) == (2, 1)
    assert found.seconds_assisted == pytest.approx(10)
    assert found.time_ratio.value == pytest.approx(0.25)
    assert found.followed_assisted == pytest.approx(2 / 5)
    assert found.followed_control == 0
    assert found.anchoring.value == pytest.approx(0.4)
    assert found.anchoring.low is None
    assert "too few" in found.anchoring.why
    assert found.anchoring_paired.value == pytest.approx(0.4)
    assert found.anchoring_paired.n == 1


def test_nothing_finished_says_so() -> None:
    found = measure([work()])
    assert found.share("confirmed") is None
    assert found.anchoring == (None, None, None, 0, "nothing is finished with suggestions")
    assert "both with and without" in found.anchoring_paired.why
    assert "control group" in welch([0.5], []).why


def test_intervals_are_those_of_scipy() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.8, 0.1, 30).tolist(), rng.normal(0.7, 0.2, 12).tolist()
    interval = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    found = welch(a, b)
    assert found.low == pytest.approx(interval.low, abs=1e-6)
    assert found.high == pytest.approx(interval.high, abs=1e-6)
    differences = (np.array(a[:12]) - np.array(b)).tolist()
    interval = stats.ttest_1samp(differences, 0).confidence_interval()
    one = paired(differences)
    assert one.low == pytest.approx(interval.low, abs=1e-6)
    assert one.high == pytest.approx(interval.high, abs=1e-6)


def test_the_anchoring_of_simulated_annotators_is_covered_by_the_interval() -> None:
    """People who see a suggestion keep one in five that they would not have marked themselves."""
    covered = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        a = np.clip(rng.normal(0.75, 0.12, 90), 0, 1)
        b = np.clip(rng.normal(0.60, 0.15, 10), 0, 1)
        found = welch(a.tolist(), b.tolist())
        assert found.low is not None
        assert found.high is not None
        covered += found.low < 0.15 < found.high
    assert covered / 200 >= 0.92


def test_without_differences_there_is_no_interval() -> None:
    assert "nothing differs" in welch([1.0] * 5, [0.5] * 5).why
    assert "all differences are equal" in paired([0.25] * 6).why
    assert math.isclose(paired([0.25] * 6).value or 0, 0.25)
