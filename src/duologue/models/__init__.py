"""The neural rooms: the only door to torch."""
