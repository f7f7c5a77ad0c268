"""Ratings by people and judges: their files and protocols, agreement, scores of systems, and how many are needed."""
