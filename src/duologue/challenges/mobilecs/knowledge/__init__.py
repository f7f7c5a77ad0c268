"""Knowledge base and user goal of a MobileCS dialogue."""
