"""File formats: readers and writers, validation rules, memory-saving ground truth, conversions, plain-text view."""
