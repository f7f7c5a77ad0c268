"""The agent of track 2: understands a turn, queries the knowledge base, decides what to do, and says it.

`call_view` keeps what was said, `kb_pieces` what the base could tell; a small network (`turn_network`) weighs intents,
pieces and the staff's labels; `staff_policy` makes an action of that, and is the place for another policy; `realiser`
says the action in words of the training data (`staff_templates`), filled with the base's values.
"""
