"""The only door to the database: posts and threads that outlive the program that fetched them."""
