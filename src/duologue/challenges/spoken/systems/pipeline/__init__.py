"""The published baseline with small trained components: `entity_tagger`, `attributes`, `generator_input`.

The published program has a BERT of 330 million parameters for correction, RoBERTa models for tagging and sentence
matching, and a GPT-2 for generation (specification, section 7). The logic is theirs; the components here are trained
from scratch.
"""
