"""Competitions: tracks with phases, teams and their entries, and the board."""
