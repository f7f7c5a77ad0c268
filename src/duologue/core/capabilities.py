"""Optional protocols of a task, with the commands that need them and the sections of the guide."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duologue.core import optional_protocols
from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from duologue.core.protocols import Task

GUIDE = "docs/guide/your-own-task.md"


class Capability(NamedTuple):
    """An optional protocol of a task."""

    protocol: str
    """Its name in `duologue.core.optional_protocols`, and the heading of its section in the guide."""
    column: str
    """Its short name in `duologue list`."""
    lacking: str
    """What a task without it has not."""


CAPABILITIES = (
    Capability("Inspectable", "show", "no view of its data files"),
    Capability("Convertible", "convert", "data of one form only, so there is nothing to convert"),
    Capability("Simulated", "generate", "no simulator that generates data"),
    Capability("NoiseModel", "noise", "no noise model"),
    Capability("Grounded", "kb", "no knowledge base"),
    Capability("FactChecking", "check --kb", "no files that are held against a knowledge base"),
    Capability("Conversable", "chat", "no live partner to talk to"),
    Capability("Paired", "pair", "no dialogues that two people make"),
    Capability("Playable", "simulate", "no simulated user to hold whole conversations with"),
    Capability("Annotatable", "annotate", "no layers that people annotate"),
)
"""All there are, in the order in which they are listed."""


def capabilities(task: Task) -> tuple[Capability, ...]:
    """Return the optional protocols that a task keeps."""
    return tuple(one for one in CAPABILITIES if isinstance(task, getattr(optional_protocols, one.protocol)))


EXPECTED = ("Inspectable", "Simulated", "NoiseModel", "Conversable", "Playable")
"""Protocols whose commands people try on every task: one of ours that lacks them says why."""


def reasons(task: Task) -> dict[str, str]:
    """Return why a task does without optional protocols, by their columns in `duologue list`."""
    return {one.column: task.without[one.protocol] for one in CAPABILITIES if one.protocol in task.without}


def lacking_capability(task: str, protocol: str, advice: str = "") -> UsageError:
    """Return the error for a command that needs an optional protocol which the task of this name does not keep."""
    found = next(one for one in CAPABILITIES if one.protocol == protocol)
    section = f"{GUIDE}#{protocol.lower()}"
    return UsageError(
        f"task '{task}' has {found.lacking}{f'; {advice}' if advice else ''} (it would keep the protocol "
        f"`{protocol}`: {section})"
    )
