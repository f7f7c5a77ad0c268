"""`duologue import`: dialogues that others collected, into a store."""

from __future__ import annotations

import click


@click.group(name="import")
def import_() -> None:
    """Bring dialogues that others collected into a store, as if they had been collected."""
