"""Questions about a knowledge graph, made by rule from wordings, with their truth."""
