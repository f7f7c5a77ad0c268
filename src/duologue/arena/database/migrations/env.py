"""What Alembic runs: the steps that a database lacks, on the connection that it was given.

For developers: `python -m duologue.arena.migration "what changes"` writes the next step from the tables
as the rooms say them.
"""

from __future__ import annotations

from alembic import context

from duologue.arena.database.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=context.config.attributes.get("metadata", metadata),
    render_as_batch=True,  # SQLite changes a table by making it anew
)
with context.begin_transaction():
    context.run_migrations()
