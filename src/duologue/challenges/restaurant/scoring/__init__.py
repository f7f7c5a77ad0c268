"""The checker and the scorer of result files, strict and as the official programs have it."""
