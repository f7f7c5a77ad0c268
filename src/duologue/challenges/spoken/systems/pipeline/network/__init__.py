"""Neural networks of the pipeline: span tagger with a CRF, text encoder, and copying transformer."""
