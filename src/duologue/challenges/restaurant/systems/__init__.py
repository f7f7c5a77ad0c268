"""Systems that answer the challenge, one folder each."""
