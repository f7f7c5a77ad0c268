"""Outside test of a trained ranker: per-response accuracy on the older dialog bAbI tasks (1 to 5, and OOV).

    python benchmarks/restaurant_babi.py --data FOLDER --model workspace/rankers/closed

Nothing is trained on them: four slots instead of five, other wordings, another knowledge base. Every bot
turn is to be found among the 4,212 candidates of the tasks. Candidates that are alike in everything the
ranker sees are ranked once: of restaurants that the dialogue never names, one per kind of sentence; of
api_calls, those of which the user named at least all values but one.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from duologue.challenges.restaurant.formats.files import turns_of
from duologue.challenges.restaurant.schema.templates import API_CALL
from duologue.challenges.restaurant.task import RestaurantTask
from duologue.core.plugins import load_system
from duologue.core.records import Candidate, Fact, Sample, Turn
from duologue.knowledge.base import KnowledgeBase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duologue.core.protocols import System

_CHUNK = 2000


class Turns(NamedTuple):
    """A bot turn to be found: what came before it, and what was said."""

    history: tuple[Turn, ...]
    answer: str


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a bAbI file in lower case, dialogues separated by a number that is 1."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            number, _, text = line.rstrip("\n").partition(" ")
            if text:
                yield int(number), text.lower()


def read_facts(path: Path) -> list[Fact]:
    """Return the facts of the bAbI knowledge base (`1 name R_field TAB value`)."""
    facts = []
    for _, text in lines_of(path):
        left, value = text.split("\t")
        subject, relation = left.split(" ")
        facts.append(Fact(subject=subject, relation=relation.removeprefix("r_"), object=value))
    return facts


def bot_turns(path: Path) -> Iterator[Turns]:
    """Yield every bot turn of a dialogue file with its history."""
    said: list[str] = []
    for number, text in lines_of(path):
        if number == 1:
            said = []
        user, tab, bot = text.partition("\t")
        said.append(user)
        if tab:
            yield Turns(tuple(turns_of(said)), bot)
            said.append(bot)


class Pool:
    """The shared candidates, and which of them need a rank of their own in a dialogue."""

    def __init__(self, texts: Sequence[str], facts: Sequence[Fact]) -> None:
        subjects = {fact.subject for fact in facts}
        own = {str(fact.object): fact.subject for fact in facts if str(fact.object).startswith(fact.subject)}
        self._fixed: list[str] = []
        self._calls: list[str] = []
        self._naming: dict[str, dict[str, str]] = defaultdict(dict)
        for text in texts:
            last = text.split(" ")[-1]
            subject = last if last in subjects else own.get(last)
            if text.startswith(API_CALL):
                self._calls.append(text)
            elif subject is None:
                self._fixed.append(text)
            else:
                self._naming[text.replace(subject, "{}")][subject] = text

    def candidates(self, history: Sequence[Turn]) -> list[str]:
        """Return the candidates to be ranked after a history."""
        spoken = {word.strip(".,") for turn in history if turn.speaker == "user" for word in turn.text.split()}
        near = {word for turn in history for word in turn.text.split()}
        calls = [call for call in self._calls if len(set(call.split()[1:]) - spoken) <= 1]
        named = []
        for texts in self._naming.values():
            stranger = next((subject for subject in texts if subject not in near), None)
            named += [text for subject, text in texts.items() if subject in near or subject == stranger]
        return [*self._fixed, *calls, *named]


def accuracy(system: System, pool: Pool, path: Path) -> tuple[float, int, int]:
    """Return the share of bot turns found, their number, and how many answers are no candidate at all."""
    turns = list(bot_turns(path))
    right = absent = 0
    for start in range(0, len(turns), _CHUNK):
        samples, answers = [], []
        for place, turn in enumerate(turns[start : start + _CHUNK], start=start):
            texts = pool.candidates(turn.history)
            absent += turn.answer not in texts
            candidates = tuple(Candidate(id=text, text=text) for text in texts)
            samples.append(Sample(id=str(place), dialogue_id="", history=turn.history, candidates=candidates))
            answers.append(turn.answer)
        ranked = system.answer(samples)
        right += sum((one.ranking or ("",))[0] == answer for one, answer in zip(ranked, answers, strict=True))
    return right / len(turns), len(turns), absent


def main() -> None:
    """Read the arguments, measure every test file, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with the dialog bAbI files")
    parser.add_argument("--model", type=Path, required=True, help="folder of a trained ranker")
    arguments = parser.parse_args()
    system = load_system(arguments.model)
    facts = read_facts(arguments.data / "dialog-babi-kb-all.txt.gz")
    texts = [text for _, text in lines_of(arguments.data / "dialog-babi-candidates.txt.gz")]
    pool = Pool(texts, facts)
    system.prepare(RestaurantTask().info, 0, {"babi": KnowledgeBase("babi", facts)})
    print(f"{system.seen}\n{len(texts)} candidates\ntask      accuracy  bot turns  no candidate  turns/s")
    for suffix in ("", "-OOV"):
        for task in range(1, 6):
            started = time.monotonic()
            share, count, absent = accuracy(system, pool, arguments.data / f"dialog-babi-task{task}tst{suffix}.txt.gz")
            speed = count / (time.monotonic() - started)
            print(f"T{task}{suffix:6s}  {share:.4f}   {count:8d}  {absent:12d}  {speed:7.0f}", flush=True)


if __name__ == "__main__":
    main()
