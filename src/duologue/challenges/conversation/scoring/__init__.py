"""Checking and scoring of result files: official, strict, and relevance to the context."""
