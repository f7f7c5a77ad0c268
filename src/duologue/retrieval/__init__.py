"""Retrieve, fill, rerank: replies of people as templates, chosen by a small network.

`template_index` finds templates that answered similar dialogue states (`grouped_terms` and `postings` are its TF-IDF
search) and merges the filled ones; `reranker` trains and asks the network `duologue.models.utility`. A challenge plugs
in its states, fillings, features and utilities by subclasses of the records and as a `RerankingTask`.
"""
