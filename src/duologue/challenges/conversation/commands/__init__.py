"""Commands that the challenge brings: `duologue collect`, `import` and `extract`."""
