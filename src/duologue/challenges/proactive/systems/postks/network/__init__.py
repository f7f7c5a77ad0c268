"""The network of the generation baseline: batches, model, training and search."""
