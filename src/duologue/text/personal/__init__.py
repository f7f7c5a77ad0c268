"""Detectors of personal data, one module per family of kinds."""
