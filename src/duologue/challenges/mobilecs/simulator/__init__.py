"""Simulator of calls to a mobile operator's service line: catalogue, conversation, annotation, noise, corpora."""
