"""The hybrid code network, adapted to the ranking of candidates."""
