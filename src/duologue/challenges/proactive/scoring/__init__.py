"""Scores of result files: checker, the official program, aligned references, strict scores and slices."""
