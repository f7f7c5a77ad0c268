"""Collecting posts: from the service by either of its programming interfaces, or from files that others made."""
