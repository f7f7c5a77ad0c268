"""Knowledge graphs of the challenge: what is made of them for evaluation."""
