"""Annotation of dialogues by people: projects, suggestions, leases, versions, agreement, adjudication, export."""
