"""Prompt of the challenge for chat models, and the text form of the published generator."""
