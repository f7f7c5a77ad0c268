"""Official files: rows, rules for data files, names of test sets, the dataset walker."""
