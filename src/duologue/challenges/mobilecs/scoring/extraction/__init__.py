"""Track 1 (extraction): checker, official and strict scores."""
