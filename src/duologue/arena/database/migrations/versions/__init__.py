"""One module for each step, by its number."""
