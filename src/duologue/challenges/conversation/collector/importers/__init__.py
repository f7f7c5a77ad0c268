"""Importers of existing data into a store."""
