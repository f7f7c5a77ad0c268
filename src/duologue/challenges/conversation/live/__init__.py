"""Live conversation with a system."""
