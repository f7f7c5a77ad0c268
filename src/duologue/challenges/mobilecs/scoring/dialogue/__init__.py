"""Track 2 (dialogue): checker, official and strict scores, formulas."""
