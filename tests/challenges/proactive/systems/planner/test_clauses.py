from __future__ import annotations

from duologue.challenges.proactive.systems.planner.clauses import Clause, Subject, clauses_of, subject_of
from duologue.challenges.proactive.systems.planner.slots import Filling, SlotValue
from duologue.challenges.proactive.systems.planner.state import PlannerState

A, STAR, HEIGHT = (
    SlotValue("{A}", ("海", "边")),
    SlotValue("{B}", ("云", "小一")),
    SlotValue("{b.身高}", ("180cm",)),
)
UNKNOWN, FILM, PERSON = Subject(), Subject("a", "F"), Subject("b", "S")


def test_a_reply_is_cut_at_commas_and_ends_of_sentences() -> None:
    template = ("是", "的", "，", "{A}", "不错", "！", "！", "{B}", "身高", "{b.身高}", "。")
    words = ("是", "的", "，", "海", "边", "不错", "！", "！", "云", "小一", "身高", "180cm", "。")
    assert clauses_of(template, Filling(words, (A, STAR, HEIGHT)), UNKNOWN, "FS") == (
        Clause(words[:3], (), UNKNOWN, UNKNOWN, names=False),
        Clause(words[3:8], (A,), UNKNOWN, FILM, names=True),
        Clause(words[8:], (STAR, HEIGHT), FILM, PERSON, names=True),
    )


def test_no_value_and_no_quotation_is_cut() -> None:
    comment = SlotValue("{a.评论}", ("好", "，", "美", "。"))
    template = ("《", "云", "，", "雨", "》", "，", "{a.评论}")
    clauses = clauses_of(
        template, Filling(("《", "云", "，", "雨", "》", "，", *comment.words), (comment,)), UNKNOWN, "FS"
    )
    assert [one.words for one in clauses] == [("《", "云", "，", "雨", "》", "，"), comment.words]


def test_a_word_such_as_actor_changes_the_kind_alone() -> None:
    clauses = clauses_of(("她", "很", "美", "，", "身高", "{b.身高}"), Filling((), (HEIGHT,)), FILM, "FS")
    assert [one.after for one in clauses] == [Subject("a", "S"), PERSON]
    assert not any(one.names for one in clauses)  # "her height" says nothing of whose it is


def test_the_subject_of_a_dialogue_is_that_of_its_last_words() -> None:
    state = PlannerState(
        turn=1,
        domains="FS",
        relations=(),
        values=(),
        history=(("{A}", "好"), ("她", "呢")),
        said="",
        lines=(),
    )
    assert subject_of(state) == Subject("a", "S")
