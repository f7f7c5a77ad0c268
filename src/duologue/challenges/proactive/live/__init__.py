"""Whole conversations with people or the simulated user: live partner, scenes, grounding check and judge."""
