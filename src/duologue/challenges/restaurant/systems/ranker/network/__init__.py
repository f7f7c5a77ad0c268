"""The ranker's network: its input, its layers, its training objective."""
