"""What all learned rankers of the challenge share: simulated training data, delexicalisation, ranking by scores."""
