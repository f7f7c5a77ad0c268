"""Scoring of result files: checker, emulation of `eval.py`, alignment with references, scores and slices."""
