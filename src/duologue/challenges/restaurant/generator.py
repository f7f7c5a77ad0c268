"""Simulated corpora: official files on disk, or rows in memory."""

from __future__ import annotations

from duologue.challenges.restaurant.rows import simulate

__all__ = ["simulate"]
