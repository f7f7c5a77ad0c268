"""Metrics that count per sample and then total; intervals and paired tests over the counts."""
