"""Prompts: what a chat model is told of a sample, and how its words become an answer.

A challenge brings one as data (`prompts.toml`) with a class beside it, under the entry point `duologue.prompts`.
"""
