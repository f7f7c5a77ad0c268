"""One folder per challenge; none knows another."""
