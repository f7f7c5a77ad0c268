"""Pre-trained language models in the form of the Hugging Face hub: the one door to transformers and peft.

A model is always read from a folder. Only `source` can bring one over the network, and only where the user names it.
"""
