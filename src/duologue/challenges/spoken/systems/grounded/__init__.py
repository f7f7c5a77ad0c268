"""The system `grounded`: entity linking, dialogue state tracking, triple selection, template-based generation."""
