"""Duologue: an open workbench for knowledge-driven and goal-oriented dialogue."""

__version__ = "0.1.0"
