"""Conversation modelling (DSTC6 track 2): the next thing a customer service says."""
