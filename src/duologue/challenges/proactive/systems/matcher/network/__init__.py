"""The network of the retrieval baseline and its batches."""
