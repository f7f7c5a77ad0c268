"""The generation baseline: posterior knowledge selection."""
