"""Understanding of questions that need several triples: reverse look-up, hops, comparison, extremes, counts, lists."""
