"""Learning from the probabilities that other taggers give to labels."""
