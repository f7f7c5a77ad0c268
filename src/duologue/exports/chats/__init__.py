"""Dialogues in the chat files of other tools, read and written."""
