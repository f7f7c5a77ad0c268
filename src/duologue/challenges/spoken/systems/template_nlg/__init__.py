"""Template-based generation: retrieved reply templates filled with the given facts, reranked by a trained network.

`surface_forms` lists the ways to write a value, `templates` delexicalises replies and fills templates, `context` holds
what a reply answers, `template_index` retrieves candidates, `features` computes their features, `reranking_task` plugs
that into the engine of `duologue.retrieval`, `grounding` rejects those with unsupported claims, `training_pairs` reads
the training data, `generator` puts them together.
"""
