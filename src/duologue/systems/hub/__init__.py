"""System `hub`: pre-trained language models of the Hugging Face hub, as they are or fine-tuned."""
