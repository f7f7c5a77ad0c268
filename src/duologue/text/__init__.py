"""Text preprocessing that precedes everything else: the anonymiser."""
