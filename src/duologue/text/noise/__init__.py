"""What speech and its recognition do to a text: a noise of our own, fitted to no challenge's data."""
