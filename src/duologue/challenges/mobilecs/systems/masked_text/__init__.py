"""Pre-training of a character encoder on bare calls: characters are masked and told from what stands around them."""
