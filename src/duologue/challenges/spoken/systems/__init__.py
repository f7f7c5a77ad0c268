"""Systems of the challenge, and what they share: correction of recognition errors and template-based generation."""
