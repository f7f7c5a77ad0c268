from __future__ import annotations

from tests.challenges.spoken.worlds import WORLD

from duologue.challenges.spoken.systems.grounded.entity_linker import EntityLinker
from duologue.challenges.spoken.systems.grounded.questions.chain import chains, heard_attributes
from duologue.challenges.spoken.systems.grounded.questions.recognised_text import RecognisedText


def test_ways_go_along_attributes_that_are_there_and_heard() -> None:
    text = "星河札记的作者的家乡"
    (mention,) = EntityLinker(WORLD.entities).mentions(text)
    found = chains(RecognisedText.of(text), mention, "星河札记", WORLD, back=False)
    best = max(found, key=lambda one: one.score)
    assert best.query.told() == "星河札记 → 作者 → 家乡"
    assert best.rest.text.replace("\0", "") == "的的"
    assert all(one.steps[0].relation_names[0] in WORLD.relations("星河札记") for one in found)


def test_attributes_are_asked_for_by_other_words_too() -> None:
    assert [name for name, _ in heard_attributes(RecognisedText.of("那里几点开门"), ["开放时间", "地址"])] == [
        "开放时间"
    ]
    assert not list(heard_attributes(RecognisedText.of("那里的作怎样"), ["作者"]))
    assert [name for name, _ in heard_attributes(RecognisedText.of("那里的作怎样"), ["作者"], cut=True)] == ["作者"]
