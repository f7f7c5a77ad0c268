"""Pre-trained encoders of sentences that packages bring with their weights: `encoder` has the door to each."""
