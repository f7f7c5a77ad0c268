from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.challenges.restaurant.live.test_partner import Mute, RankingSolver

from duologue.challenges.restaurant.live.scenes import make_stage
from duologue.challenges.restaurant.schema import templates
from duologue.challenges.restaurant.schema.utterance_parser import named_values
from duologue.challenges.restaurant.simulator.random_kb import make_kb
from duologue.challenges.restaurant.systems.solver.solver import Solver
from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.errors import UsageError
from duologue.core.records import Answer, Record, Sample
from duologue.knowledge.base import KnowledgeBase
from duologue.run.simulate import simulate
from duologue.systems.baselines import RandomRanker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from duologue.core.protocols import TaskInfo, World
    from duologue.run.simulate import Simulation

BASE = KnowledgeBase("kb1", make_kb(1, 1))
SLOT_OF = {str(value): slot.name for slot in templates.SLOTS for value in BASE.values(slot.name)}


class OwnWords:
    """A bot that looks restaurants up by itself, makes no calls and speaks in its own words."""

    Recipe: type[Record] = Record
    seen = "nothing"
    questions = {  # a constant
        "cuisine": "What kind of food do you feel like?",
        "location": "Which city?",
        "number": "How many guests will there be?",
        "price": "And your budget?",
        "atmosphere": "Any ambience in mind?",
    }

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        (world,) = worlds.values()
        self.base = KnowledgeBase("own", world)

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        return [Answer(text=self.reply(sample)) for sample in samples]

    def reply(self, sample: Sample) -> str:
        said = [turn.text for turn in sample.history if turn.speaker == "user"]
        shown = [name for turn in sample.history if turn.speaker == "system" for name in self.named(turn.text)]
        wanted: dict[str, str] = {}
        for text in said:
            if any(cue in text for cue in ("if she wants", "but perhaps", "change", " or ", "always", "let me think")):
                continue  # a hedge
            for slot, values in named_values(text, SLOT_OF).items():
                wanted[slot] = next((one for one in values if f"on {one}" in text or f"prefers {one}" in text), "")
                others = [one for one in values if f"doesn't like {one}" not in text and f"keep {one}" not in text]
                wanted[slot] = wanted[slot] or others[-1 if "my friend wants" in text or "had" in text else 0]
        last = said[-1]
        if "phone" in last or "address" in last or "need it" in last:
            item = "address" if "address" in " ".join(said[-2:]) and "phone" not in last else "phone"
            taken = shown[-1] if shown else "nothing"
            return f"That is {taken}_{item}."
        missing = [slot for slot in self.questions if slot not in wanted]
        if len(said) == 1:
            return "Welcome! What can I do for you?"
        if missing:
            return self.questions[missing[0]]
        if last in (*templates.ACCEPTS, *templates.TAKE_NEWEST, *templates.FAREWELLS, *templates.THANKS):
            return "Wonderful, done."
        found = [name for name in self.base.find(wanted) if name not in shown] or ["no further one"]
        return f"How about {found[0].replace('_', ' ').title()}?"

    def named(self, text: str) -> list[str]:
        name = text.removeprefix("How about ").removesuffix("?").replace(" ", "_").lower()
        return [name] if name in self.base else []


class Wrong(RankingSolver):
    """Understands nothing of prices: always looks for what is expensive."""

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        answers = []
        for sample in samples:
            (text,) = (Solver().answer([sample])[0].text,)
            words = str(text).split()
            if words[0] == "api_call":
                words[4] = "expensive"
            answers.append(Answer(text=" ".join(words)))
        return answers


def simulated(system: Any, seed: int = 1, n: int = 25, **options: Any) -> Simulation:
    stage = make_stage(BASE, (), **{"n": n, "seed": seed, "max_turns": None, **options})
    return simulate(RestaurantTask(), system, stage, name="bot", seed=seed)


def scores(found: Simulation) -> dict[str, float]:
    return {one.name: one.value for one in found.report.scores}


@pytest.mark.slow
@pytest.mark.parametrize("bot", [Solver(), RankingSolver()], ids=["free text", "ranking what is offered"])
def test_a_perfect_bot_books_every_table(bot: Any) -> None:
    found = simulated(bot, n=60)
    assert found.ended_by == {"over": 60}
    assert {name: value for name, value in scores(found).items() if name not in {"turns", "unclear-replies"}} == {
        "success": 1,
        "tables-as-wanted": 1,
        "calls-as-wanted": 1,
        "items-told": 1,
    }
    assert scores(found)["unclear-replies"] == 0
    assert 15 < scores(found)["turns"] < 35


@pytest.mark.slow
def test_the_perfect_bot_has_conversations_as_the_generator_makes_them() -> None:
    for dialogue in simulated(Solver(), n=30).dialogues:
        spoken = [turn for turn in dialogue.turns if turn.speaker != "api"]
        assert [turn.speaker for turn in spoken] == ["user", "system"] * (len(spoken) // 2)
        assert spoken[-1].text == templates.BOT_WELCOME
        places = [place for place, turn in enumerate(dialogue.turns) if turn.text.startswith("api_call")]
        first, last = places[0], places[-1]
        assert len(places) == 2
        assert dialogue.turns[first + 1].speaker == "user"  # nothing is listed: the user changes its mind
        assert dialogue.turns[last + 1].speaker == "api"
        assert not any(turn.speaker == "api" for turn in dialogue.turns[:last])


@pytest.mark.slow
def test_bots_of_different_worth() -> None:
    own, wrong, chance = (scores(simulated(one)) for one in (OwnWords(), Wrong(), RandomRanker()))
    assert own["success"] > 0.5
    assert "calls-as-wanted" not in own
    assert own["unclear-replies"] < 0.1
    assert 0.1 < wrong["tables-as-wanted"] < 0.6
    assert 0.1 < wrong["calls-as-wanted"] < 0.6
    assert chance["success"] == 0


def test_failed_bookings_are_told() -> None:
    found = simulated(Wrong(), n=20)
    failed = [one.message for one in found.report.problems]
    assert len(failed) == round(20 * (1 - scores(found)["success"]))
    assert set(failed) == {"no restaurant that has all that the user wanted was taken"}


@pytest.mark.slow
def test_equal_seeds_give_equal_dialogues_and_users_that_are_asked_anew_say_the_same() -> None:
    first, second, other = (simulated(Solver(), seed, n=10) for seed in (1, 1, 2))
    assert first.dialogues == second.dialogues
    assert first.report == second.report
    assert first.dialogues != other.dialogues
    stage = make_stage(BASE, (), n=10, seed=1, max_turns=None)
    for dialogue in reversed(first.dialogues):
        heard = tuple(turn for turn in dialogue.turns if turn.speaker != "api" and not turn.text.startswith("api_call"))
        for place in range(0, len(heard), 7):
            while heard[place].speaker != "user":
                place += 1  # noqa: PLW2901  # the next turn of the user
            (answer,) = stage.user.answer([Sample(id="x", dialogue_id=dialogue.id, history=heard[:place])])
            assert answer.text == heard[place].text


def test_written_bookings_are_a_data_file(tmp_path: Path) -> None:
    found = simulated(Solver(), n=5)
    task = RestaurantTask()
    task.write_dialogues(found.dialogues, tmp_path / "played.json")
    examples = list(task.load(tmp_path / "played.json"))
    assert [one.sample.id for one in examples] == [one.id for one in found.dialogues]
    for example, dialogue in zip(examples, found.dialogues, strict=True):
        assert [turn.text for turn in example.sample.history] == [turn.text for turn in dialogue.turns[:-1]]
        assert [turn.speaker for turn in example.sample.history] == [turn.speaker for turn in dialogue.turns[:-1]]
        assert example.references[0].text == templates.BOT_WELCOME
    assert json.loads((tmp_path / "played.json").read_bytes())[0]["answer"]["utterance"] == templates.BOT_WELCOME


def test_bases_that_allow_no_booking_and_users_are_refused() -> None:
    facts = [fact for fact in BASE if fact.relation != "phone"]
    with pytest.raises(UsageError, match="has no phone, which users ask for"):
        make_stage(KnowledgeBase("mute", facts), (), n=1, seed=1, max_turns=None)
    with pytest.raises(UsageError, match="leave out --users"):
        make_stage(BASE, ("people.json",), n=1, seed=1, max_turns=None)
    with pytest.raises(UsageError, match="too few"):
        make_stage(KnowledgeBase("small", list(BASE)[:9]), (), n=1, seed=1, max_turns=None)


def test_a_bot_that_says_nothing_is_refused_and_conversations_are_cut() -> None:
    with pytest.raises(UsageError, match="said nothing"):
        simulated(Mute(), n=2)
    found = simulated(Solver(), n=5, max_turns=6)
    assert found.ended_by == {"max_turns": 5}
    assert scores(found)["success"] == 0
