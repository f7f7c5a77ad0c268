"""The challenge's systems, one package each, and what they share."""
