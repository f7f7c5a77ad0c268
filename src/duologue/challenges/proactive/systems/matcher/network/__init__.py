"""The matcher network and its batches."""
