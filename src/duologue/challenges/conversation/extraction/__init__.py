"""Dialogue text extracted from raw data: Twitter posts and OpenSubtitles."""
