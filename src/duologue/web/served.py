"""The systems that are served, by the names that requests call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.core.errors import UsageError
from duologue.core.optional_protocols import Grounded
from duologue.core.protocols import Task
from duologue.run.system_worker import SystemWorker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from duologue.core.protocols import Service, System, World
    from duologue.core.records import Answer, Sample


class ServedSystem(NamedTuple):
    """A system that is ready to answer."""

    name: str
    """What requests call it as `model`: the task and the system."""
    task: Task
    system: System
    """Prepared; several threads may call it at once."""
    world: World | None
    seed: int
    form: Service | None
    """The task's own form over HTTP, if it has one."""

    @property
    def world_name(self) -> str | None:
        """The name of its knowledge base, if it has one."""
        return None if self.world is None else self.world.name

    @property
    def worker(self) -> SystemWorker | None:
        """The system's thread, where a request is one question to the system, so that several can be one call."""
        one_question = getattr(type(self.task), "answer_request", None) is Task.answer_request
        return self.system if one_question and isinstance(self.system, SystemWorker) else None

    def answer(self, sample: Sample, *, typed: bool) -> Answer:
        """Answer a sample; see `Task.answer_request`."""
        return self.task.answer_request(self.system, sample, self.world, seed=self.seed, typed=typed)


def prepared(name: str, task: Task, system: System, world: World | None, *, seed: int) -> ServedSystem:
    """Return a system of a task as `duologue serve` serves it; it is prepared here, in a thread of its own.

    Without a knowledge base the built-in one is taken, where the task has one.
    """
    if world is None and isinstance(task, Grounded):
        try:
            world = task.world(None)
        except UsageError:  # none is built in
            world = None
    worker = SystemWorker(system)
    form = task.service(worker, world, seed=seed)
    if form is None:
        worker.prepare(task.info, seed, {} if world is None else {world.name: world})
    return ServedSystem(name, task, worker, world, seed, form)


def by_name(served: Iterable[ServedSystem]) -> dict[str, ServedSystem]:
    """Return systems by their names. Raises `UsageError` where two have one name."""
    found: dict[str, ServedSystem] = {}
    for one in served:
        if one.name in found:
            raise UsageError(f"two systems would be called '{one.name}'; give the folder of one another name")
        found[one.name] = one
    return found
