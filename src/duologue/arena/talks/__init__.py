"""Talks: a person with a system, and two people with each other, kept turn by turn."""
