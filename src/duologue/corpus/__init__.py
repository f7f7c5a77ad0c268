"""Large corpora: shards worked on by several processes or a cluster, and what does not fit into memory."""
