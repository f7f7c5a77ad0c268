from __future__ import annotations

import json

import pytest

from duologue.challenges.restaurant.prompts.user import GuestPrompt
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.task_info import INFO
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.core.errors import UsageError
from duologue.core.records import Answer, Goal, Item, Sample, Turn
from duologue.knowledge.base import KnowledgeBase

BASE = KnowledgeBase("kb1", make_kb(1, 1))
CITY = str(BASE.values("location")[0])
NAME = BASE.entities()[0]


def prompt() -> GuestPrompt:
    made = GuestPrompt(INFO)
    made.prepare({"kb1": BASE})
    return made


def sample(*turns: Turn) -> Sample:
    return Sample(id="s", dialogue_id="d", history=turns)


def bot(text: str) -> Turn:
    return Turn(speaker="system", text=text)


def said(answer: Answer | None) -> Turn:
    assert answer is not None
    assert answer.text is not None
    return Turn(speaker="user", text=answer.text, annotation=answer.annotation)


def typed(words: str, *before: Turn, hang_up: bool = False) -> Turn:
    text = json.dumps({"say": words, "hang_up": hang_up})
    return said(prompt().read(text, sample(*before)).answer)


def test_a_dialogue_opens_with_a_greeting_and_the_rest_is_said_without_asking_again() -> None:
    first = typed(f"A table in {CITY} please")
    assert first.text == "hello"
    rest = prompt().settled(sample(first, bot(templates.BOT_HELLO)))
    assert said(rest).text == f"may i have a table in {CITY}"
    assert prompt().settled(sample(first, bot(templates.BOT_HELLO), said(rest), bot("any preference"))) is None


def test_a_user_is_silent_where_the_bot_goes_on_and_after_a_call_but_not_for_ever() -> None:
    first = typed("hello")
    for history in ([first, bot(templates.BOT_ON_IT)], [first, bot("one moment, I'll look"), first]):
        answer = prompt().settled(sample(*history))
        assert said(answer).text == templates.SILENCE
    silence = Turn(speaker="user", text=templates.SILENCE)
    looping = [first, *(turn for _ in range(8) for turn in (bot(templates.BOT_LOOK), silence))]
    assert prompt().settled(sample(*looping, bot(templates.BOT_LOOK))) is None


def test_own_words_of_a_bot_are_taken_as_proposal_and_question() -> None:
    first = typed("hello")
    proposed = bot(f"How about {NAME.replace('_', ' ')}?")
    assert typed("yes", first, proposed).text in templates.ACCEPTS
    assert typed("no", first, proposed).text in templates.REJECTS
    assert typed(CITY, typed("a table", first), bot("Which city?")).text == f"in {CITY}"


def test_words_that_are_no_utterance_of_the_challenge_are_handed_on_and_marked() -> None:
    odd = typed("How old are you ?", typed("hello"))
    assert odd.text == "How old are you ?"
    assert odd.annotation is not None
    assert [act.name for act in odd.annotation.acts] == ["typed", "unclear"]


@pytest.mark.parametrize(("words", "hang_up"), [("bye", False), ("thank you", True), ("", True)])
def test_hanging_up_comes_to_the_farewell_of_the_challenge(words: str, *, hang_up: bool) -> None:
    history = [typed("hello"), bot(templates.BOT_HELLO)]
    turn = typed(words, *history, hang_up=hang_up)
    while turn.text not in templates.FAREWELLS:
        history += [turn, bot(templates.BOT_ANYTHING)]
        turn = said(prompt().settled(sample(*history)))
    assert prompt().settled(sample(*history, turn, bot("you're welcome"))) == Answer()


def test_the_card_and_what_was_typed_are_told_and_nothing_of_the_base() -> None:
    goal = Goal(items=(Item(name="table", known={"cuisine": "thai"}, asked=("phone",)),))
    rest = Turn(speaker="user", text="i love thai food")
    heard = sample(typed("hi, a table please"), bot(templates.BOT_HELLO), rest, bot("i'm on it"))
    shown = prompt().messages(Sample(id="s", dialogue_id="d", history=heard.history, goal=goal, world="kb1"))[1].content
    assert "cuisine: thai\nto ask of the restaurant: phone" in shown
    assert "Me: hi, a table please" in shown
    assert "i love thai food" not in shown
    assert not any(name in shown for name in BASE.entities())


def test_without_a_knowledge_base_words_cannot_be_understood() -> None:
    with pytest.raises(UsageError, match="understood by a knowledge base"):
        GuestPrompt(INFO).prepare({})
