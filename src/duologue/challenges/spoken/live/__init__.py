"""Live use: a conversation partner over a graph, and the baseline's HTTP interface."""
