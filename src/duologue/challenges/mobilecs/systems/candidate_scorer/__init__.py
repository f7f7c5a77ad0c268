"""A small network that scores candidates by features, which the extraction systems share: training, and use."""
