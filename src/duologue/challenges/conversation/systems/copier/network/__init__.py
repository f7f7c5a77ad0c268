"""Networks of the system `copy`."""
