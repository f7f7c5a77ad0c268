"""Prompts for chat models: of both tracks, and as the user of track 2."""
