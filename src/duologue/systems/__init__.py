"""Systems that serve any task."""
