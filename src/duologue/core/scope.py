"""Scope of a system: the tasks that it serves, declared on its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.records import Record

if TYPE_CHECKING:
    from duologue.core.protocols import TaskInfo


class Scope(Record, frozen=True, kw_only=True):
    """Which tasks a system serves; what is left empty is open.

    A system's class has it as `scope = Scope(tasks=("restaurant",))`, written out, so that it can be read without
    importing the class. A system without one serves every task.
    """

    tasks: tuple[str, ...] = ()
    """Tasks by name, where it knows their own text and no other."""
    answers: tuple[str, ...] = ()
    """Parts of an answer that it can give, as `TaskInfo.answers` names them: `ranking`, `text`, `facts`, `acts`, ..."""
    languages: tuple[str, ...] = ()
    """Languages that it reads and writes: `en`, `zh`."""

    def refusal(self, info: TaskInfo) -> str:
        """Return why a task is not served, in words; empty where it is.

        >>> from duologue.core.protocols import TaskInfo
        >>> Scope(answers=("ranking",)).refusal(TaskInfo(name="talk", version="1", language="en", answers="text"))
        "it gives ranking, and 'talk' wants text"
        """
        if self.tasks and info.name not in self.tasks:
            return f"it is made for {' and '.join(self.tasks)}"
        lacking = [part for part in info.answers.split("+") if self.answers and part not in self.answers]
        if lacking:
            return f"it gives {' and '.join(self.answers)}, and '{info.name}' wants {' and '.join(lacking)}"
        if self.languages and info.language not in self.languages:
            return f"it speaks {' and '.join(self.languages)}, and '{info.name}' is in {info.language}"
        return ""

    def __str__(self) -> str:
        """Return it in a few words, for a list."""
        parts = [", ".join(self.tasks), "+".join(self.answers), ", ".join(self.languages)]
        return " in ".join(part for part in parts if part) or "any task"
