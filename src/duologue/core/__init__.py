"""The nouns of the house: records, protocols, errors, plug-ins, recipes and the one conversation loop."""
