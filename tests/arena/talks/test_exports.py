from __future__ import annotations

from duologue.arena.talks.exports import anonymous, dialogue_lines
from duologue.core.records import Annotation, Dialogue, Fact, Goal, Turn
from duologue.text.anonymiser import Anonymiser

FACTS = (Fact(subject="Jo Smith", relation="phone", object="020 7946 0958"),)


def test_what_people_typed_is_anonymous_and_what_the_talk_is_about_stays() -> None:
    turns = (
        Turn(
            speaker="user",
            text="my name is Ada Lovelace , mail ada@mail.com",
            meta={"typed": "my name is Ada Lovelace, mail ada@mail.com"},
        ),
        Turn(
            speaker="system",
            text="call Jo Smith at 020 7946 0958 , Ada",
            annotation=Annotation(facts=FACTS),
            meta={"said": ["ada@mail.com", 2]},
        ),
        Turn(speaker="user", text="手机13812345678谢谢"),
    )
    anonymiser = Anonymiser()
    talk = Dialogue(id="t", turns=turns, knowledge=FACTS, meta={"talk": "t"})
    (made,) = anonymous([talk], anonymiser)
    assert made.turns == (
        Turn(
            speaker="user",
            text="my name is <NAME_1> , mail <EMAIL_1>",
            meta={"typed": "my name is <NAME_1>, mail <EMAIL_1>"},
        ),
        Turn(
            speaker="system",
            text="call Jo Smith at 020 7946 0958 , <NAME_2>",
            annotation=Annotation(facts=FACTS),
            meta={"said": ["<EMAIL_1>", 2]},
        ),
        Turn(speaker="user", text="手机<PHONE_1>谢谢"),
    )
    assert (made.id, made.knowledge, made.meta) == ("t", FACTS, {"talk": "t"})
    assert anonymiser.replaced().counts["EMAIL"] == 3
    assert b"ada@" not in dialogue_lines([made])


def test_names_are_found_as_they_were_typed_where_the_text_is_cut_into_words() -> None:
    goal = Goal(topics=("李雷电影", "韩梅"))
    turns = (Turn(speaker="user", text="我 叫 王小明 ， 喜欢 韩梅", meta={"typed": "我叫王小明，喜欢韩梅"}),)
    (made,) = anonymous([Dialogue(id="t", turns=turns, goal=goal)])
    assert made.turns[0].text == "我 叫 <NAME_1> ， 喜欢 韩梅"
    assert made.turns[0].meta == {"typed": "我叫<NAME_1>，喜欢韩梅"}


def test_a_challenges_own_text_is_left_as_it_is() -> None:
    turns = (
        Turn(speaker="system", text="看过 片0 吗 ？ 评分 7.8 ， 1993-1-1 上映"),
        Turn(speaker="user", text="没有 呢"),
    )
    talk = Dialogue(id="t", turns=turns)
    assert anonymous([talk]) == [talk]
