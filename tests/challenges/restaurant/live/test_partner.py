from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duologue.challenges.restaurant.live.partner import RestaurantPartner
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.systems.solver.solver import Solver, policy, rank
from duologue.core.errors import PlugInError, UsageError
from duologue.core.records import Answer, Fact, Record, Turn
from duologue.knowledge.base import KnowledgeBase
from duologue.systems.baselines import RandomRanker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from duologue.core.protocols import System, TaskInfo, World
    from duologue.core.records import Sample

FIELDS = ("location", "price", "rating", "phone", "cuisine", "atmosphere", "restrictions", "number", "address")


def small_base() -> KnowledgeBase:
    """Three Italian restaurants in Rome, six in Paris, and one that serves what no other does."""
    rows = [(f"roman_pig_{n}", "rome", "cheap", n, "italian", "casual", "vegan", "two") for n in (9, 46, 10)]
    rows += [(f"the_business_owl_{n}", "paris", "cheap", n, "italian", "casual", "vegan", "two") for n in range(1, 7)]
    rows += [("odd_cow", "london", "expensive", 3, "british", "business", "glutenfree", "four")]
    facts = []
    for name, location, price, rating, cuisine, atmosphere, restrictions, number in rows:
        values = (
            *(location, price, str(rating), f"{name}_phone", cuisine, atmosphere, restrictions, number),
            f"{name}_address",
        )
        facts += [Fact(subject=name, relation=field, object=value) for field, value in zip(FIELDS, values, strict=True)]
    return KnowledgeBase("small", facts)


class RankingSolver:
    """The rule bot as a system that only ranks, as a trained one does."""

    Recipe = Record
    seen = "nothing"

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        self.prepared = info.name, seed, list(worlds)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [
            Answer(ranking=rank(policy(sample.history, sample.candidates), sample.candidates)) for sample in samples
        ]


class Mute(RankingSolver):
    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [Answer() for _ in samples]


@pytest.fixture(params=[Solver, RankingSolver])
def partner(request: pytest.FixtureRequest) -> RestaurantPartner:
    return RestaurantPartner(request.param(), small_base(), seed=1)


def texts(turns: Sequence[Turn]) -> list[str]:
    return [turn.text for turn in turns if turn.speaker == "system"]


def state(partner: RestaurantPartner, *inputs: str) -> list[list[str]]:
    return [texts(partner.reply(text)) for text in inputs]


REQUEST = "I'd like to book a table for two in Rome, with Italian food in a cheap price range with a casual atmosphere!"


def test_a_whole_booking_from_hello_to_goodbye(partner: RestaurantPartner) -> None:
    assert state(partner, "Hi!", "I'd like to book a table for two in Rome") == [
        ["hello what can i help you with today"],
        ["i'm on it", "are you looking for a specific atmosphere"],
    ]
    assert state(partner, "casual", "Italian, please", "something cheap") == [
        ["any preference on a type of cuisine"],
        ["which price range are you looking for"],
        [
            "ok let me look into some options for you",
            "api_call italian rome two cheap casual",
            "what do you think of this option: roman_pig_46",
        ],
    ]
    another = "sure let me find another option for you"
    assert state(partner, "will it be raining?", "no", "What was the first option again?") == [
        ["i am sorry, i don't have an answer to that question"],
        [another, "what do you think of this option: roman_pig_10"],
        ["the option was roman_pig_46"],
    ]
    assert state(partner, "yes let's go with that previous one", "do you have its phone number?") == [
        ["great let me do the reservation"],
        ["here it is roman_pig_46_phone"],
    ]
    assert not partner.finished
    assert state(partner, "hold on, i am asking my friend if we need the address", "yes", "Thanks!", "no") == [
        ["whenever you're ready"],
        ["here it is roman_pig_46_address"],
        ["is there anything i can help you with"],
        ["you're welcome"],
    ]
    assert partner.finished


def test_facts_of_a_call_come_between_the_call_and_the_proposal(partner: RestaurantPartner) -> None:
    turns = partner.reply(REQUEST)
    assert [turn.speaker for turn in turns] == ["system"] * 4 + ["api"] * 27 + ["system"]
    assert sum(turn.text.startswith("roman_pig_9 r_") for turn in turns) == 9
    assert turns[-1].text == "what do you think of this option: roman_pig_46"


def test_at_most_four_restaurants_are_listed_and_the_seed_says_which() -> None:
    def listed(seed: int) -> list[str]:
        turns = RestaurantPartner(Solver(), small_base(), seed=seed).reply(REQUEST.replace("Rome", "Paris"))
        return list(dict.fromkeys(turn.text.split()[0] for turn in turns if turn.speaker == "api"))

    lists = [listed(seed) for seed in range(5)]
    assert all(len(names) == 4 for names in lists)
    assert lists[0] == listed(0)
    assert len({tuple(sorted(names)) for names in lists}) > 1


def test_an_update_leads_to_a_new_call(partner: RestaurantPartner) -> None:
    partner.reply(REQUEST)
    assert state(partner, "Instead, could it be in Paris?", "no thanks")[1][:2] == [
        "ok let me look into some options for you",
        "api_call italian paris two cheap casual",
    ]
    assert state(partner, "london and british") == [["sure is there anything else to update"]]
    assert state(partner, "yes")[0][0].startswith("What would you like to change?")


def test_nothing_found_is_said_with_changes_that_would_help(partner: RestaurantPartner) -> None:
    turns = partner.reply(REQUEST.replace("two", "four"))
    assert texts(turns)[-2] == "api_call italian rome four cheap casual"
    assert texts(turns)[-1] == (
        "I am sorry, I found nothing for: italian, rome, four, cheap, casual. You could change something: for two."
    )
    assert turns[-1].meta == {"remark": "no-match"}
    assert state(partner, "", "for two", "no")[1:] == [
        ["sure is there anything else to update"],
        [
            "ok let me look into some options for you",
            "api_call italian rome two cheap casual",
            "what do you think of this option: roman_pig_46",
        ],
    ]


def test_what_is_not_understood_is_said_politely_and_changes_nothing(partner: RestaurantPartner) -> None:
    state(partner, "hello", "may i have a table in rome")
    (remark,) = partner.reply("colourless green ideas sleep furiously")
    assert remark.text == (
        "I am afraid I did not understand that. My question was: are you looking for a specific atmosphere?"
        " I know casual, business."
    )
    assert state(partner, "in berlin") == [["I am sorry, I know no location 'berlin'. I know rome, paris, london."]]
    assert state(partner, "british or italian")[0][0].startswith("You named more than one cuisine: british, italian.")
    assert state(partner, "not casual")[0][0].startswith("I am afraid")
    assert state(partner, "casual") == [["any preference on a type of cuisine"]]


def test_running_out_of_options_is_said_and_an_old_one_can_be_taken(partner: RestaurantPartner) -> None:
    partner.reply(REQUEST)
    assert state(partner, "next", "no this does not work for me", "do you have something else")[2][0].startswith(
        "I am sorry, that was the last option."
    )
    assert state(partner, "what was the one you suggested before", "yes") == [
        ["the option was roman_pig_10"],
        ["great let me do the reservation"],
    ]
    assert state(partner, "phone and address") == [["here it is roman_pig_10_phone", "here it is roman_pig_10_address"]]


def test_a_restaurant_can_be_asked_for_by_name(partner: RestaurantPartner) -> None:
    assert state(partner, "Can you book a table at the_business_owl_3?", "what is its address") == [
        ["hello what can i help you with today", "great let me do the reservation"],
        ["here it is the_business_owl_3_address"],
    ]
    assert state(partner, "may i have a table at nowhere") == [["I am sorry, I know no restaurant 'nowhere'."]]


def test_the_sixth_slot_counts_once_it_is_named(partner: RestaurantPartner) -> None:
    turns = partner.reply(REQUEST.replace("!", " with vegan menu options"))
    assert "api_call italian rome two cheap casual vegan" in texts(turns)


def test_hedges_are_waited_for(partner: RestaurantPartner) -> None:
    state(partner, "hi", "a table in rome with a casual atmosphere")
    assert state(partner, "I love British food, but I also like variety.", "with italian food") == [
        ["whenever you're ready"],
        ["how many people would be in your party"],
    ]


def test_a_second_booking_starts_afresh(partner: RestaurantPartner) -> None:
    state(partner, REQUEST, "it's perfect")
    assert state(partner, "i would like to book a table for four") == [
        ["i'm on it", "are you looking for a specific atmosphere"],
    ]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("", "It is your turn. You could say: may i have a table for four in london."),
        ("it's perfect", "I have not proposed a restaurant yet."),
        ("what is the phone number", "We have not settled on a restaurant yet."),
        ("no", "I am afraid I did not understand that. You could say: may i have a table"),
        ("yes we need it, what is it please", "I am afraid I did not understand that."),
    ],
)
def test_what_makes_no_sense_yet_gets_a_hint(partner: RestaurantPartner, text: str, start: str) -> None:
    (remark,) = partner.reply(text)
    assert remark.text.startswith(start)


def test_without_flow_an_empty_line_hands_the_turn_back() -> None:
    partner = RestaurantPartner(Solver(), small_base(), seed=1, flowing=False)
    assert state(partner, "hello", REQUEST, "", "<silence>", "  ", "no i don't like it", "") == [
        ["hello what can i help you with today"],
        ["i'm on it"],
        ["ok let me look into some options for you"],
        ["api_call italian rome two cheap casual"],
        ["what do you think of this option: roman_pig_46"],
        ["sure let me find another option for you"],
        ["what do you think of this option: roman_pig_10"],
    ]


def test_the_transcript_is_a_dialogue_with_what_was_typed_and_what_was_heard(partner: RestaurantPartner) -> None:
    state(partner, "Hi!", "Something Italian in Rome, please", "eh?", "bye")
    dialogue = partner.dialogue()
    assert [(turn.speaker, turn.text) for turn in dialogue.turns[:5]] == [
        ("user", "Hi!"),
        ("system", "hello what can i help you with today"),
        ("user", "Something Italian in Rome, please"),
        ("system", "i'm on it"),
        ("user", "<silence>"),
    ]
    assert dialogue.turns[2].meta == {"heard": ["may i have a table with italian cuisine in rome"]}
    assert dialogue.turns[4].meta == {"implied": True}
    assert dialogue.turns[-1] == Turn(speaker="system", text="Goodbye!", meta={"remark": "goodbye"})
    assert dialogue.meta["world"] == "small"
    assert partner.finished


def test_remarks_come_in_chinese_too() -> None:
    partner = RestaurantPartner(Solver(), small_base(), seed=1, lang="zh")
    assert partner.welcome.startswith("请先问好")
    assert state(partner, "blah", "再见") == [
        ["抱歉，我没有听懂。您可以说：may i have a table for four in london。"],
        ["再见！"],
    ]


def test_an_unknown_language_or_a_strange_knowledge_base_is_refused() -> None:
    with pytest.raises(UsageError, match="no remarks in language 'fr'"):
        RestaurantPartner(Solver(), small_base(), seed=1, lang="fr")
    strange = KnowledgeBase("films", [Fact(subject="x", relation="director", object="y")])
    with pytest.raises(UsageError, match=r"'films' has no field cuisine, location, .* it has director"):
        RestaurantPartner(Solver(), strange, seed=1)


def test_a_system_is_prepared_and_must_answer() -> None:
    system = RankingSolver()
    RestaurantPartner(system, small_base(), seed=7)
    assert system.prepared == ("restaurant", 7, ["small"])
    with pytest.raises(PlugInError, match="Mute neither says anything nor ranks"):
        RestaurantPartner(Mute(), small_base(), seed=1).reply("hi")


def test_a_plain_world_will_do() -> None:
    class World:
        name = "plain"

        def __iter__(self):  # type: ignore[no-untyped-def]  # as in the protocol
            return iter(small_base())

        def about(self, subject: str) -> list[Fact]:
            raise NotImplementedError(subject)

        def subjects(self, relation: str, value: object) -> list[str]:
            raise NotImplementedError(relation, value)

    assert "api_call italian rome two cheap casual" in texts(
        RestaurantPartner(Solver(), World(), seed=1).reply(REQUEST)
    )


INPUTS = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *(
                    "",
                    "hi",
                    REQUEST,
                    "no",
                    "yes",
                    "rome",
                    "paris or rome",
                    "next",
                    "phone",
                    "instead could it be in paris",
                ),
                *(
                    "it's perfect",
                    "thanks",
                    "bye",
                    "may i have a table at odd_cow",
                    "i love thai food, but i also like",
                ),
                *(text.format(wait=templates.WAITS[0]) for text in (*templates.ASK_PHONE, templates.HEDGE_ADDRESS)),
                *(*templates.ASK_FIRST, *templates.ASK_PREVIOUS, *templates.TAKE_REPEATED, *templates.TAKE_NEWEST),
            ]
        ),
        st.text(max_size=20),
    ),
    max_size=12,
)


@settings(max_examples=60)
@given(inputs=INPUTS, flowing=st.booleans(), system=st.sampled_from([Solver, RankingSolver, RandomRanker]))
def test_no_conversation_is_too_odd(inputs: list[str], flowing: bool, system: Callable[[], System]) -> None:  # noqa: FBT001  # drawn
    partner = RestaurantPartner(system(), small_base(), seed=1, flowing=flowing)
    for text in inputs:
        turns = partner.reply(text)
        assert turns
        assert all(turn.text and turn.speaker != "user" for turn in turns)
    shown = [turn for turn in partner.dialogue().turns if "implied" not in turn.meta]
    assert sum(turn.speaker == "user" for turn in shown) == len(inputs)


def test_a_generated_knowledge_base_can_be_talked_about() -> None:
    partner = RestaurantPartner(RankingSolver(), KnowledgeBase("made", make_kb(1, 3)), seed=1)
    replies = state(partner, "hello", "may i have a table", "romantic", "french", "london", "for six", "moderate")
    assert replies[-1][0] == "ok let me look into some options for you"
    assert replies[-1][1] == "api_call french london six moderate romantic"


@pytest.mark.parametrize(("lang", "wants"), [("en", "You want: "), ("zh", "您要的是：")])
def test_the_goal_card_has_a_table_that_there_is(lang: str, wants: str) -> None:
    base = KnowledgeBase("made", make_kb(1, 3))
    first, again, other = (RestaurantPartner(Solver(), base, seed=seed, lang=lang).goal_card() for seed in (1, 1, 2))
    assert first == again != other
    assert first[0].startswith(wants)
    pairs = re.findall(r"(\w+) = (\w+)", first[0])
    assert len(pairs) == 5
    assert base.find(dict(pairs))
    assert "phone" in first[1] or "address" in first[1]


def test_where_nobody_can_book_there_is_no_goal_card() -> None:
    assert RestaurantPartner(Solver(), small_base(), seed=1).goal_card() == []


def test_a_talk_keeps_what_is_known_of_the_restaurants_that_the_bot_named() -> None:
    partner = RestaurantPartner(Solver(), small_base(), seed=1)
    partner.reply("may i have a table with british cuisine in london for four in an expensive price range")
    partner.reply("business")
    partner.reply("no")
    assert {fact.subject for fact in partner.dialogue().knowledge} == {"odd_cow"}
    assert {fact.relation for fact in partner.dialogue().knowledge} == set(FIELDS)
