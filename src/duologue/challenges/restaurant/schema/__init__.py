"""Slots and their values, utterance templates, and the task's info."""
