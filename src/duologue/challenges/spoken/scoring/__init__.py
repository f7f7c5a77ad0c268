"""Scoring: the checker of result files, the scoring options, counts per sample and the formulas over them."""
