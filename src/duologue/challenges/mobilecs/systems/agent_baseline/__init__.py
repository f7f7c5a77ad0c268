"""The challenge's baseline of track 2: one language model of small size over names, intents, results and replies."""
