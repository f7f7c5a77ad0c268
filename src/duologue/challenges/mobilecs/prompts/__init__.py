"""Prompts of both tracks for chat models."""
