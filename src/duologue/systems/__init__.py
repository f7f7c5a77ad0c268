"""Systems for any task."""
