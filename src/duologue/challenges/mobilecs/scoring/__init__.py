"""Scores of MobileCS result files, as the official programs compute them and strictly."""
