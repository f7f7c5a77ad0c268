"""Systems of the challenge, and how they hold data out."""
