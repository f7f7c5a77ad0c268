"""The rule-based bot: a dialogue state tracker with a hand-written policy."""
