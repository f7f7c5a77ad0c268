"""Files of the challenge: readers and writers, rules for data files, stored truth, conversions, plain-text view."""
