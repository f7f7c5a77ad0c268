"""Commands that only this challenge has."""
