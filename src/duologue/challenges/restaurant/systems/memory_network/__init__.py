"""The end-to-end memory network with match types, as a ranker."""
