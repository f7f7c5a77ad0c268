"""What is done to text before anything else: anonymising, words and readings, the noise of speech."""
