"""Commands that only the spoken challenge has."""
