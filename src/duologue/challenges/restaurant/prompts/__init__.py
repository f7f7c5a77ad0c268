"""Prompts for chat models: as the bot that books, and as the user who wants a table."""
