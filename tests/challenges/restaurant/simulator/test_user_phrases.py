from __future__ import annotations

from duologue.challenges.restaurant.schema.ontology import schema_of_part
from duologue.challenges.restaurant.schema.utterance_parser import parse_utterance
from duologue.challenges.restaurant.simulator.recipe import Generation
from duologue.challenges.restaurant.simulator.user_phrases import UserPhrases
from duologue.core.rng import Rng

SCHEMA = schema_of_part("tst3")
PHRASES = UserPhrases(SCHEMA, Generation())


def test_the_rule_bot_understands_every_wording() -> None:
    for number in range(200):
        rng = Rng("phrases", number)
        values = {slot.name: rng.choice(SCHEMA.values[slot.name]) for slot in SCHEMA.slots}
        request = parse_utterance(PHRASES.request(values, list(values), rng))
        assert (request.kind, request.values) == ("request", values)
        for slot in SCHEMA.slots:
            new = values[slot.name]
            answer = parse_utterance(PHRASES.answer(slot.name, new, rng))
            update = parse_utterance(PHRASES.update(slot.name, new, rng))
            assert (answer.kind, answer.values["new"]) == ("answer", new)
            assert (update.kind, update.values["new"]) == ("update", new)
            if slot.hedges:
                assert parse_utterance(PHRASES.hedge(slot.name, new=new, avoid=new, rng=rng)).kind == "hedge"
        for item in ("phone", "address"):
            assert parse_utterance(PHRASES.ask_item(item, rng)).kind == f"ask-{item}"
            assert parse_utterance(PHRASES.hedge_item(item, rng)).kind == f"hedge-{item}"


def test_slots_without_hedges_are_answered_at_once() -> None:
    never = {slot.name for slot in SCHEMA.slots if not slot.hedges}
    rng = Rng("hedges")
    hesitant = {slot.name for slot in SCHEMA.slots for _ in range(50) if PHRASES.hedges_answer(slot.name, rng)}
    changing = {slot.name for slot in SCHEMA.slots for _ in range(50) if PHRASES.hedges_update(slot.name, rng)}
    assert hesitant == changing == {slot.name for slot in SCHEMA.slots} - never
