from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duologue.challenges.conversation.live.partner import ServiceAgent
from duologue.challenges.conversation.systems.lookup import FoundPassage
from duologue.core.errors import StorageError, UsageError
from duologue.core.records import Answer, Record, Sample, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from duologue.challenges.conversation.task import ConversationTask
    from duologue.core.protocols import TaskInfo, World


class Echo:
    """Says how long the history is and what was said last."""

    Recipe = Record
    seen = "nothing"

    def __init__(self, text: str | None = "{n} , isn 't it ? {last}") -> None:
        self.text = text
        self.prepared = ""

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        self.prepared = f"{info.name} {seed}"

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [Answer(text=self._said(sample)) for sample in samples]

    def _said(self, sample: Sample) -> str | None:
        return self.text and self.text.format(n=len(sample.history), last=sample.history[-1].text)


def test_what_is_typed_is_cut_as_the_data_is_and_shown_as_people_write() -> None:
    system = Echo()
    partner = ServiceAgent(system, seed=3)
    assert system.prepared == "conversation 3"
    (turn,) = partner.reply("@shop My order 112-3456789 isn't here!\n")
    assert turn.text == "1 , isn 't it ? my order <NUMBERS> isn 't here !"
    assert partner.shown(turn) == ["1, isn't it? my order <NUMBERS> isn't here!"]
    assert partner.dialogue().turns[0].meta["typed"] == "@shop My order 112-3456789 isn't here!"


def test_the_history_grows_until_an_empty_line_begins_a_new_dialogue() -> None:
    partner = ServiceAgent(Echo("{n}"), seed=1)
    assert [partner.reply(said)[0].text for said in ("a", "b")] == ["1", "3"]
    (note,) = partner.reply("  ")
    assert partner.shown(note) == ["a new dialogue begins"]
    assert partner.reply("c")[0].text == "1"
    dialogue = partner.dialogue()
    assert [turn.speaker for turn in dialogue.turns] == ["user", "system"] * 3
    assert [turn.meta["dialogue"] for turn in dialogue.turns] == [0, 0, 0, 0, 4, 4]
    assert not partner.finished


@pytest.mark.parametrize("word", ["Bye", "/quit"])
def test_goodbyes_leave_and_the_customer_speaks_first(word: str) -> None:
    partner = ServiceAgent(Echo(), seed=1, lang="zh")
    assert partner.opening() == []
    assert word.lower() in partner.how_to_talk
    assert partner.reply(word) == []
    assert partner.finished


def test_an_empty_reply_is_shown_as_such_and_a_ranking_is_refused() -> None:
    partner = ServiceAgent(Echo(""), seed=1)
    assert partner.shown(partner.reply("a")[0]) == ["(no reply)"]
    with pytest.raises(UsageError, match="answers with text"):
        ServiceAgent(Echo(None), seed=1).reply("a")


def test_wrong_languages_and_places_are_refused(task: ConversationTask, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no remarks in language 'fr'"):
        ServiceAgent(Echo(), seed=1, lang="fr")
    with pytest.raises(StorageError, match="cannot read"):
        task.partner(Echo(), tmp_path / "nothing.txt", seed=1, lang="en", name="x")
    with pytest.raises(UsageError, match="no knowledge built in"):
        task.world(None)
    assert task.partner(Echo(), None, seed=1, lang="en", name="x").reply("a")


class Reader(Echo):
    """Says the only passage that it is given."""

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        self.texts = [str(fact.object) for world in worlds.values() for fact in world]

    def trace(self, sample: Sample) -> list[FoundPassage]:
        return [FoundPassage("bags", self.texts[0], 0.5), FoundPassage("", "a\x1b dog 's life .", 0.25)]


def test_passages_stand_below_the_reply_and_in_the_transcript(
    task: ConversationTask, write: Callable[..., Path]
) -> None:
    partner = task.partner(Reader("bags are free ."), write("bags are free ."), seed=1, lang="en", name="x")
    (turn,) = partner.reply("what do bags cost?")
    assert partner.shown(turn) == [
        "bags are free.",
        "said from the knowledge 0.50: bags: bags are free.",
        "knowledge 0.25: a\\x1b dog's life.",
    ]
    told = partner.dialogue().turns[-1].meta["knowledge"]
    assert told[0] == {"about": "bags", "text": "bags are free .", "similarity": 0.5}
    chinese = task.partner(Reader("x"), task.world(write("bags are free .")), seed=1, lang="zh", name="x")
    assert chinese.shown(chinese.reply("hi")[0])[1].startswith("知识 0.50")


def test_a_request_is_cut_into_tokens_and_its_answer_put_together_where_a_person_typed_it(
    task: ConversationTask,
) -> None:
    asked = Sample(id="x", dialogue_id="d", history=(Turn(speaker="user", text="It's late, isn't it?"),))
    typed = task.answer_request(Echo(), asked, None, seed=1, typed=True)
    assert typed.text == "1, isn't it? it's late, isn't it?"
    own = task.answer_request(Echo(), asked, None, seed=1, typed=False)
    assert own.text == "1 , isn 't it ? It's late, isn't it?"
