"""What the challenge talks in: slots and their values, utterance templates, and the task's brief."""
