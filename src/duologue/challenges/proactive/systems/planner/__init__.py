"""The planner: retrieved templates of human replies, filled with the sample's facts and ranked by a trained network.

`slots` turns a reply into a template, `state` is the dialogue state, `template_index` retrieves templates that people
used in similar states, `plan` has the hard constraints on the way START -> A -> B, `features` computes the features of
candidates, `reranking_task` plugs all that into the engine of `duologue.retrieval`, `planner` is the system.
"""
