"""Names of the MobileCS files: ontology of entity types and slots, and the notation of intents."""
