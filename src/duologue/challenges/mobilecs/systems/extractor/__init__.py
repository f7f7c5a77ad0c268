"""A joint extractor: one tagger over the whole call, then mentions linked and slots given to entities in one search."""
