"""People: who they are, what they may do, how they come in, and what is kept of them.

Everything takes an open connection of the database and the time, so that several steps are one transaction.
"""
