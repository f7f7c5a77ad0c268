"""People around systems: tracks, campaigns of ratings, talks and annotation, with their database."""
