"""The version of the package, which signatures, notes and checkpoints tell."""

__version__ = "0.1.0"
