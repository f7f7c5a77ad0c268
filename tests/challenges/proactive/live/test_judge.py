from __future__ import annotations

import msgspec
import pytest

from duologue.challenges.proactive.formats import files
from duologue.challenges.proactive.knowledge import without_punctuation
from duologue.challenges.proactive.live.grounding import GroundingChecker
from duologue.challenges.proactive.live.judge import counted, flaws, formulas, judge
from duologue.challenges.proactive.task import ProactiveTask
from duologue.core.errors import UsageError
from duologue.core.records import Dialogue, Fact, Goal, Report, Scoring
from duologue.metrics.counts import Counts

FACTS = tuple(
    Fact(subject=one, relation=two, object=three)
    for one, two, three in [
        ("海 边", "领域", "电影"),
        ("海 边", "类型", "爱情"),
        ("云 小一", "领域", "明星"),
        ("云 小一", "星座", "双鱼座"),
        ("云 小一", "身高", "180cm"),
    ]
)
GOAL = Goal(topics=("海 边", "云 小一"))


def talk(name: str, *texts: str) -> Dialogue:
    return Dialogue(id=name, turns=files.turns_of(texts), knowledge=FACTS, goal=GOAL)


GOOD = talk(
    "good",
    "看 海 边 ， 爱情 片 。",
    "好 。",
    "云 小一 是 双鱼座 。",
    "哦 。",
    "身高 180cm 。",
    "嗯 。",
    "再 看看 ？",
    "行",
)
BAD = talk(
    "bad", "云 小一 好 。", "谁 ？", "云 小一 ， 好 ！", "哦 。", "海 边 2008年 。", "2008年 ？", "对 ， 2008年 。"
)
CLAIMS = GroundingChecker([GOOD, BAD])


def judged(*dialogues: Dialogue) -> Report:
    return judge(dialogues, CLAIMS, goals_hash="0123456789")


def value(report: Report, name: str) -> float:
    return next(score.value for score in report.scores if score.name == name)


def test_a_dialogue_is_counted_as_by_hand() -> None:
    assert counted(GOOD, CLAIMS) == {
        "dialogues": 1,
        "goal points": 2,
        "coherence points": 3,
        "in order": True,
        "triples": 3,
        "with two triples": True,
        "utterances": 8,
        "of 8 to 18 utterances": True,
        "words": 25,
        "agent utterances": 4,
        "agent words": 18,
        "unfounded": 0,
        "repeats": 0,
        "with repeats": False,
        "sentence repeats": 0,
        "wrong types": 0,
        "contradictions": 0,
        "questions asked": 0,
        "questions answered": 0,
    }


def test_a_triple_inside_the_name_of_a_topic_is_not_used_and_the_signature_tells_the_rules() -> None:
    facts = (*FACTS, Fact(subject="云 小一", relation="性别", object="边"))
    dialogue = Dialogue(id="x", turns=files.turns_of(["海 边 。", "好 。"]), knowledge=facts, goal=GOAL)
    assert counted(dialogue, CLAIMS)["triples"] == 0
    assert " | v2 | " in str(judged(GOOD).signature)


def test_a_wrong_order_an_invented_year_and_a_repetition_are_found() -> None:
    unfounded, repeated = flaws(BAD, CLAIMS)
    assert [(one.turn, one.what) for one in unfounded] == [(4, ("2008年",))]  # the second time the user had said it
    assert [one.turn for one in repeated] == [2]
    seen = counted(BAD, CLAIMS)
    assert (seen["goal points"], seen["unfounded"], seen["repeats"], seen["utterances"]) == (0, 1, 1, 7)


def test_punctuation_and_spaces_make_no_new_utterance() -> None:
    assert without_punctuation("你 好 ， 吗 ？") == without_punctuation("你好吗?") == "你好吗"


def test_the_report_has_means_over_dialogues_with_intervals_that_hold_them() -> None:
    assert all(score.low is None for score in judged(GOOD, BAD).scores)  # two dialogues say nothing of chance
    copies = [msgspec.structs.replace(one, id=f"{one.id}{number}") for number in range(3) for one in (GOOD, BAD)]
    report = judged(*copies)
    assert report.groups == tuple(one.id for one in copies)
    assert value(report, "goal-completion") == 1
    assert value(report, "facts-not-in-knowledge") == 1 / 8
    assert value(report, "dialogues-with-repeats") == 0.5
    assert value(report, "utterances") == 7.5
    for score in report.scores:
        assert score.low is not None
        assert score.high is not None
        assert score.low <= score.value <= score.high
    assert "goals 01234567" in str(report.signature)
    assert report == judged(*copies)


def test_the_task_gives_the_formulas_of_a_report_again() -> None:
    report = judged(GOOD, BAD)
    shown = {score.name for score in report.scores}
    again = {one.name: one.value(Counts.of_report(report)) for one in formulas() if one.name in shown}
    assert again == {score.name: score.value for score in report.scores}
    metrics = ProactiveTask().metrics(Scoring(variant=report.variant))
    assert set(again) < {one.name for one in metrics}  # nobody asked a question


def test_dialogues_in_which_nobody_speaks_have_no_rates() -> None:
    names = {score.name for score in judged(talk("mute")).scores}
    assert "goal-completion" in names
    assert "facts-not-in-knowledge" not in names
    with pytest.raises(UsageError, match="no dialogues"):
        judged()


def test_every_flaw_is_a_warning_with_its_place() -> None:
    repeated, unfounded = judged(GOOD, BAD).problems
    assert (repeated.rule, repeated.place) == ("utterance-repeated", "dialogue 'bad', utterance 2 (from 0)")
    assert (unfounded.rule, unfounded.severity) == ("fact-unfounded", "warning")
    assert unfounded.message == "nothing bears out 2008年: 海 边 2008年 。"


def test_an_actor_called_a_film_and_a_sentence_said_twice_cost_points() -> None:
    lost = talk(
        "lost",
        "我 喜欢 看 海 边 哦 。",
        "谁 ？",
        "有 一部 电影 叫 云 小一 。",
        "他 多高 ？",
        "他 是 双鱼座 的 。 我 喜欢 看 海 边 哦 ！",
        "好 。",
        "云 小一 是 狮子座 。",
        "哦 。",
    )
    report = judged(GOOD, lost)
    assert value(report, "goal-completion") == 1.5  # the rules of the goal see nothing of all that
    assert value(report, "coherence-by-rule") == 1.5
    assert value(report, "questions-answered") == 0
    assert [one.rule for one in report.problems] == [
        "subject-type",
        "sentence-repeated",
        "question-unanswered",
        "fact-contradicted",
    ]
    assert (
        report.problems[2].message == "the user asked for 云 小一 身高, which the knowledge has: " + lost.turns[4].text
    )


def test_goal_completion_says_that_it_is_counted_by_rule() -> None:
    by_rule = [one.formula for one in formulas() if one.name in {"goal-completion", "coherence-by-rule"}]
    assert len(by_rule) == 2
    assert all("by rule, not the human scale" in one for one in by_rule)
    noted = {one.name for one in judged(GOOD).scores if one.note == "by rule, not the human scale"}
    assert noted == {"goal-completion", "coherence-by-rule"}


def test_no_interval_leaves_the_scale_of_its_points() -> None:
    almost = [msgspec.structs.replace(GOOD, id=f"good {number}") for number in range(40)]
    report = judged(*almost, BAD)
    (found,) = (one for one in report.scores if one.name == "goal-completion")
    assert found.value < 2
    assert found.high == 2
    assert [one.bounds for one in formulas() if one.note] == [(0, 2), (0, 3)]
