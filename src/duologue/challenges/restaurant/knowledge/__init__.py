"""The knowledge base of restaurants: its text format, lookups, and the API calls that query it."""
