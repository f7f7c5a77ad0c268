"""The system `grounded`: link what was said to the graph, track it, choose triples, reply."""
