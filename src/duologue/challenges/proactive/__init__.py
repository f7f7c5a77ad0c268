"""Proactive knowledge-driven dialogue: DuConv, the Language and Intelligence Challenge of 2019."""
