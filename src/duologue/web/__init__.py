"""Systems reached over the network."""
