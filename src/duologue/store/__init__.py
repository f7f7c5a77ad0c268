"""The only door to the database: what outlives the program that gathered it."""
