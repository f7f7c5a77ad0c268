"""From collected posts to dialogue text: preprocessing, extraction, and checks of what was extracted."""
