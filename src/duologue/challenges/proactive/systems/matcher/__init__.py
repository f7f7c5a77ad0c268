"""The retrieval baseline: candidate replies of other sessions, ranked by a trained matcher."""
