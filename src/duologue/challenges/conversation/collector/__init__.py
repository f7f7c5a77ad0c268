"""Collection of posts: from the Twitter (X) APIs, or imported from existing data."""
