"""The published baseline with small trained components: `entity_tagger`, `attributes`, `generator_input`.

The published ones are a BERT of 330 million parameters that corrects, RoBERTa models that tag names and compare
sentences, and a GPT-2 that replies (specification, section 7). The logic is theirs; the parts are trained from nothing.
"""
