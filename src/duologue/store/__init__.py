"""Databases: the only package that imports sqlite3."""
