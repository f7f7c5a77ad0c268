"""Terminal output, and path types and options shared by all commands."""
