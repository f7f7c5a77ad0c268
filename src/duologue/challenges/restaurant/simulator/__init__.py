"""The corpus simulator: knowledge bases, dialogues, candidates, and files of them."""
