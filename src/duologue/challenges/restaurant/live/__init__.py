"""The bot as a live partner: language understanding, candidate generation and UI text."""
