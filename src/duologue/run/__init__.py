"""The pipeline: train a system, run it on official files, score what it wrote."""
