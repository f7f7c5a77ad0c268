"""Files, posts and stores of posts: reading, writing, viewing."""
