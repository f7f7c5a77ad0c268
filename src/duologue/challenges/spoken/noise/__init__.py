"""Simulated recognition errors: the measured noise model, its simulator, and noisy copies of data files."""
