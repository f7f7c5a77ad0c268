"""Chat models as judges: points by each challenge's own criteria and pairs of systems, with trials of the judge."""
