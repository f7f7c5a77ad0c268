"""Parts of `fuzz.py`: what is mutated, how, and where the command runs."""
