"""Systems of the challenge, and held-out splits for them."""
