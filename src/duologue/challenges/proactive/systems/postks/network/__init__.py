"""The postks network: batches, model, training objective and decoding."""
