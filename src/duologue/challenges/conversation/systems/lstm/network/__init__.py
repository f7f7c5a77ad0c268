"""Networks of the LSTM baseline."""
