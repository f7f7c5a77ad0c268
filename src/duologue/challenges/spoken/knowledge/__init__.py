"""Knowledge graphs of the challenge: what is asked of them, and what is made of them for evaluation."""
