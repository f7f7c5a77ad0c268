"""System `lstm`: the challenge's baseline, an LSTM encoder-decoder."""
