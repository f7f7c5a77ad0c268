"""Replies that say given facts: what people said in like situations, filled with these facts, and a trained choice.

`values` gives the ways in which people write a value, `templates` turns a reply into a template and back, `situation`
says what a reply answers, `bank` finds templates that fit, `figures` measures what they would say, `claims` finds
knowledge in a reply, `replier` learns to choose and answers.
"""
