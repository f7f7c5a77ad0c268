"""The learned ranker: a neural candidate ranker trained on simulated dialogues."""
