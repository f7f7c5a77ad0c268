"""A system wrapped with a journal: samples answered before an interruption are not asked again."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from duologue.core.disk import sha256
from duologue.core.identity import Identity, hash_of_knowledge, hash_of_model
from duologue.core.plugins import packages_of, read_card
from duologue.core.recipe import to_table
from duologue.core.records import Record
from duologue.core.system_answers import answers_of, taken_up
from duologue.run.journal import CHUNK, Journal, answers_left, told_what_is_kept
from duologue.run.predict import decisive
from duologue.run.systems import is_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from duologue.core.protocols import System, Task, TaskInfo, World
    from duologue.core.records import Answer, Sample


class Resumed:
    """A system with a journal: it answers as the system itself does, and a question asked before from the journal.

    A question is a whole sample, so the same one gets the same answer wherever it is asked. A system that fits itself
    on the whole file is asked every time.
    """

    def __init__(self, system: System, journal: Journal) -> None:
        self._system, self._journal = system, journal
        self.Recipe: type[Record] = system.Recipe
        self.seen = system.seen
        self.external = getattr(system, "external", None)
        self.replayed = 0
        """Answers that came from the journal."""
        self.accounts: list[dict[str, Any]] = []
        """What each answer took when it was made, of systems that tell it; those from the journal too."""
        self.chunk = getattr(system, "chunk", CHUNK)
        self.whole_file = bool(getattr(system, "whole_file", False))
        self.reads: tuple[Path, ...] = getattr(system, "reads", ())
        """Files that examples are taken from."""

    @property
    def prompt_mark(self) -> str:
        """The mark of the prompt that the prepared system asks with; empty of most systems."""
        return str(getattr(self._system, "prompt_mark", ""))

    def prepare(self, info: TaskInfo, seed: int, worlds: Mapping[str, World]) -> None:
        """Prepare the system."""
        self._system.prepare(info, seed, worlds)

    def usage(self, accounts: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return what answers took in all, as the system adds their accounts up."""
        teller: Any = self._system
        return dict(teller.usage(accounts))

    def usage_lines(self, usage: dict[str, Any], answers: int) -> list[str]:
        """Return the same in the words of the system."""
        teller: Any = self._system
        return list(teller.usage_lines(usage, answers))

    def answer(self, samples: Sequence[Sample]) -> list[Answer]:
        """Answer each sample; raises what the system raises, of a bot with how many answers are kept."""
        if self.whole_file:
            return self._system.answer(samples)
        keys = [question_key(self, sample) for sample in samples]
        known = self._journal.answers
        missing = {key: sample for key, sample in zip(keys, samples, strict=True) if key not in known}
        self.replayed += len(samples) - len(missing)
        each: Any = getattr(self._system, "answer_each", None)
        with told_what_is_kept(self._journal):
            if missing and each is None:
                self._journal.add(list(missing), answers_of(self._system, list(missing.values())))
            elif missing:
                asked = list(missing)
                for place, answer, account in each(list(missing.values())):
                    self._journal.add([asked[place]], [answer], account)
        if each is not None:
            for key in keys:
                if key in known:
                    account = self._journal.accounts[key]
                    self.accounts.append(account if key in missing else taken_up(account))
                    missing.pop(key, None)  # asked twice, it was answered once
        return [known[key] for key in keys if key in known]


def question_key(system: Any, sample: Sample) -> str:
    """Return what an answer of a prepared system is kept by: another prompt is another question."""
    return sha256(str(getattr(system, "prompt_mark", "")).encode() + msgspec.json.encode(sample))


def kept_answers(
    task: Task, name: str, system: System, seed: int, journal: Path, *, kb: Path | None = None
) -> dict[int | str, Answer]:
    """Return what a stopped run of a system left in its journal, by `question_key`; the journal stays as it is.

    Nothing of a system that is asked every time.
    """
    if getattr(system, "whole_file", False):
        return {}
    return answers_left(journal, _identity(task, name, system, seed, kb))


@contextmanager
def resumed(
    task: Task,
    name: str,
    system: System,
    seed: int,
    journal: Path | None,
    *,
    kb: Path | None = None,
    say: Callable[[str], object] | None = None,
) -> Iterator[System]:
    """Give `system` (by its `name`) with a journal at a path, which is removed when all went through.

    A journal of another system, recipe, seed or knowledge base `kb` is set aside, which `say` is told. What is asked
    need not be the same: each question is looked up whole. Without a path the system is given as it is.
    """
    if journal is None:
        yield system
        return
    with Journal(journal, _identity(task, name, system, seed, kb), say=say) as kept:
        yield Resumed(system, kept)


def _identity(task: Task, name: str, system: System, seed: int, kb: Path | None) -> Identity:
    card = read_card(Path(name)) if is_model(name) else None
    return Identity(
        task=f"{task.info.name} {task.info.version}",
        system=card.system if card else name,
        packages=packages_of(card.system if card else name),
        seed=seed,
        recipe=card.recipe if card else decisive(system, to_table(getattr(system, "recipe", Record()))),
        world=hash_of_knowledge(kb) if kb else "",
        weights=hash_of_model(Path(name)) if card else "",
    )
