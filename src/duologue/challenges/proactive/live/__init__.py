"""Conversations with people and with the simulated user: live partner, scenes, grounding check and judge."""
