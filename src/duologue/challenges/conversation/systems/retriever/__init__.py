"""System `retriever`: replies of training dialogues, found by their contexts."""
