"""The planner: replies of people to like situations, their slots filled, and a trained choice among them.

`slots` turns a reply into a template, `situation` says where a conversation stands, `bank` finds templates that people
used in like situations, `plan` says what must come next on the way START -> A -> B, `overlap` and `features` measure
candidates against one another, the knowledge and the history, `duologue.models.utility` learns to choose.
"""
