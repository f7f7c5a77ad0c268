"""Golden cases of the five challenges: how each is found and run; `parity.py` runs them all."""
