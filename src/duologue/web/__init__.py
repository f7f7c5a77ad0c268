"""Systems served over the network."""
