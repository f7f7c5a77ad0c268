"""The core nouns: records, protocols, errors, plug-ins, recipes and the conversation loop."""
