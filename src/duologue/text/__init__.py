"""What is done to text before anything else sees it."""
