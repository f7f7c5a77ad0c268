"""Facts indexed by subject, relation and object."""
