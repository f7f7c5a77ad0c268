"""Correction of recognition errors: candidate edits, a character language model and learned edit weights."""
