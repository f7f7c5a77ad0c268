"""The steps that make the tables of one version from those of the one before it (Alembic)."""
