"""Dialogues that others collected, brought into a store as if they had been collected."""
