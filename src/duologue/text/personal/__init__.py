"""Where personal data stands in a text: one module for each family of kinds."""
