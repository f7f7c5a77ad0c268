"""Whole conversations of track 2: scenes with the simulated user, and their judge."""
