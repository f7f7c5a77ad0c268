"""Commands that the challenge brings: `duologue data collect`, `import` and `extract`."""
