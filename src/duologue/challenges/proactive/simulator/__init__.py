"""The simulated user of whole conversations."""
