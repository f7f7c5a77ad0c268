"""Replies that say given facts: what people said in like situations, filled with these facts, and a trained choice.

`surface_forms` gives the ways in which people write a value, `templates` turns a reply into a template and back,
`context` says what a reply answers, `template_index` finds templates that fit, `features` measures what they would say,
`grounding` finds knowledge in a reply, `reranker` and `generator` learn to choose and answer.
"""
