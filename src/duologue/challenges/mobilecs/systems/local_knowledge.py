"""Systems that know the base of the call alone, and refuse knowledge from outside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duologue.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duologue.core.protocols import World


def refuse_knowledge(worlds: Mapping[str, World], name: str) -> None:
    """Raise `UsageError` where there is knowledge from outside the call for a system that does not read it."""
    if worlds:
        raise UsageError(
            f"'{name}' reads the call's own base alone, and found --kb {', '.join(sorted(worlds))}; leave --kb out, or "
            f"take an agent that was trained with --set knowledge=joined or global"
        )
