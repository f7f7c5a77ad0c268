"""File formats of the challenge: readers and writers, rules for data files, conversions, the walker."""
