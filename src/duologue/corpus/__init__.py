"""Large corpora: shards processed in parallel, and structures that do not fit into memory."""
