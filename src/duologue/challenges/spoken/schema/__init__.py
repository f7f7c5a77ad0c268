"""Schema of the challenge: triples of entity, attribute and value, and when two are the same."""
