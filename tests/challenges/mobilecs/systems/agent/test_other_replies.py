from __future__ import annotations

from duologue.challenges.mobilecs.systems.agent.call_view import CallView
from duologue.challenges.mobilecs.systems.agent.other_replies import with_other_replies
from duologue.core.rng import Rng

BASE = {"ent-1": {"name": "彩铃", "type": "业务", "业务费用": "五元"}, "NA": {"账户余额": "三块"}}
VIEW = CallView([("喂", "您好"), ("彩铃多少钱", "五元")] * 20, "还有呢", BASE)


def test_other_replies_tell_something_of_the_base_or_nothing() -> None:
    other = with_other_replies(VIEW, 1.0, Rng("other"))
    assert (other.users, other.last, other.base) == (VIEW.users, VIEW.last, VIEW.base)
    assert set(other.staff) == {"", "彩铃", "五元", "三块"}


def test_a_share_of_the_replies_is_left_as_it_was() -> None:
    assert with_other_replies(VIEW, 0.0, Rng("other")).staff == VIEW.staff
    kept = sum(
        one == was for one, was in zip(with_other_replies(VIEW, 0.3, Rng("other")).staff, VIEW.staff, strict=True)
    )
    assert 20 < kept < 40


def test_calls_without_knowledge_stay_as_they_were() -> None:
    bare = CallView([("喂", "您好")], "再见", {})
    assert with_other_replies(bare, 1.0, Rng("other")) is bare
