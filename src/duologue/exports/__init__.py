"""Results in the forms of other tools: what CI systems, leaderboards, hubs and harnesses read.

Every figure is written to its last digit, with interval, signature and data seen where the form has a place for them.
No path of this machine and no text of a data set leaves with a report.
"""
